"""The answer of a study `aging`: what each system keeps of its clean rate, the baseline first.

"At 5 % free, writes keep 61 % of their clean rate on ext4 1 MiB (55 to 67) and 95 % on ext4 8 MiB
(90 to 99); reads 58 to 97 %. A model, not a measurement, predicts 29 % on ext4 1 MiB and 90 % on
ext4 8 MiB for a disk with heads."
What a model says has a sentence of its own, and only where the storage has no heads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.kinds.aging.analysis.model import Aging, AgingLine, AgingPoint
from fsgauge.kinds.aging.factors import AgingFactors, Side
from fsgauge.record.records import Cell
from fsgauge.stats.kept import NOUNS, Kept, Level, kept_sentences, picked
from fsgauge.stats.sentence import DECIDED
from fsgauge.stats.wording import listed, percent


def aging_answer(aging: Aging, primary: Sequence[Cell], margin_percent: float) -> str:
    """It is about the level of the first primary cell that was measured after ageing."""
    for cell in primary:
        factors = AgingFactors.of(cell)
        lead, free_percent = factors.side, factors.free_percent
        other: Side = "read" if lead == "write" else "write"
        found = {side: list(_kept(aging, side, free_percent)) for side in (lead, other)}
        if free_percent is not None and found[lead]:
            level = Level(
                where=f"At {free_percent} % free",
                of="their clean rate",
                sides={NOUNS[side]: kept for side, kept in found.items() if kept},
                elsewhere=list(_elsewhere(aging, found, free_percent)),
                margin_percent=margin_percent,
            )
            return f"{kept_sentences(level)}{_prediction(aging, found[lead], free_percent)}"
    return "No answer yet: no turn has both its clean rate and one after ageing."


def _kept(aging: Aging, side: Side, free_percent: int | None) -> Iterator[Kept]:
    for line in aging.lines:
        point = line.at(free_percent)
        if line.side == side and point is not None and point.relative is not None:
            yield from _of_point(line, point)


def _of_point(line: AgingLine, point: AgingPoint) -> Iterator[Kept]:
    kept = point.relative
    if kept is not None:
        verdict = point.verdict or "undecided"
        yield Kept(line.system, kept.value, kept.edges, kept.n, verdict, point.detectable_percent)


def _elsewhere(
    aging: Aging, found: dict[Side, list[Kept]], free_percent: int
) -> Iterator[tuple[str, str, Kept]]:
    """What other levels decide of systems that are undecided here, side by side."""
    unclear = {(side, each.system) for side, kept in found.items() for each in kept if each.is_open}
    for line in aging.lines:
        for point in line.points:
            is_other = point.free_percent != free_percent and point.verdict in DECIDED
            if is_other and (line.side, line.system) in unclear:
                for kept in _of_point(line, point):
                    yield f"At {point.free_percent} % free", NOUNS[line.side], kept


def _prediction(aging: Aging, kept: Sequence[Kept], free_percent: int) -> str:
    """The model's sentence, with a space before it; "" where it does not know all of these."""
    layouts = [(each, aging.layout(each.system, free_percent)) for each in picked(kept)]
    said = [
        f"{percent(layout.predicted_relative.value)} on {each.system}"
        for each, layout in layouts
        if layout is not None and layout.predicted_relative is not None
    ]
    if aging.seeks != "no" or len(said) < len(layouts):
        return ""
    return f" A model, not a measurement, predicts {listed(said)} for a disk with heads."
