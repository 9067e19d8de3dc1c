"""The answer of a study `aging`: what each system keeps of its clean rate, the baseline first.

"At 5 % free, writing keeps 61 % of its clean rate on ext4 1 MiB (55 to 67 %) and 95 % on ext4 8 MiB
(90 to 99 %); reading 58 to 97 %. A model, not a measurement, predicts 29 and 90 % for a disk with
heads."
What a model says has a sentence of its own, and only where the storage has no heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.kinds.aging.analysis.model import Aging, AgingPoint
from fsgauge.kinds.aging.factors import AgingFactors, Side
from fsgauge.record.records import Cell
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.sentence import DECIDED, WORDS_LIMIT, shortest
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    listed,
    loss_shown,
    named_systems,
    percent,
    percent_range,
    remark,
    too_few,
    words_in,
)
from fsgauge.units import exact_percent

MOST_NAMED = 4
_GERUNDS: dict[Side, str] = {"write": "writing", "read": "reading"}


@dataclass(frozen=True)
class _Kept:
    """What one system keeps at the level of the sentence; `predicted` for a disk."""

    system: str
    relative: Estimate
    verdict: str
    predicted: Estimate | None
    detectable_percent: float | None = None


def aging_answer(aging: Aging, primary: Sequence[Cell], margin_percent: float) -> str:
    """The sentence; it is about the first primary cell that was measured after ageing."""
    found = _lead(aging, primary)
    if found is None:
        return "No answer yet: no turn has both its clean rate and one after ageing."
    side, level, kept = found
    blocks = min(each.relative.n for each in kept)
    where = f"At {level} % free, {_GERUNDS[side]}"
    if blocks < BLOCKS_FOR_A_VERDICT:
        return _too_few(aging, blocks, where, kept)
    if all(each.verdict == "equivalent" for each in kept):
        names = listed([each.system for each in kept])
        of_all = f"all {len(kept)} systems: " if len(kept) > NAMED_SYSTEMS else ""
        said = (
            f"{where} is as fast as when clean, within {exact_percent(margin_percent)}, on"
            f" {of_all}{names}"
        )
        return _with_prediction(said, aging, kept, len(kept))
    clear = [each for each in kept if each.verdict not in OPEN]
    unclear = [each.system for each in kept if each.verdict in OPEN]
    other = _decided_elsewhere(aging, side, level, unclear)
    if not clear:
        asked = f"at {level} % free, {_GERUNDS[side]} is undecided on {_named(unclear)}"
        said = f"Too noisy to tell what ageing costs: {asked}{other}"
        predicted = _with_prediction("", aging, kept, len(kept)).removeprefix(".")
        return f"{said}.{_would_have_shown(kept)}{predicted}"
    untold = f"; too noisy to tell on {_named(unclear)}{other}" if unclear else ""
    tail = "" if unclear else _other_side(aging, side, level)
    for named in (MOST_NAMED, 2, 1):
        said = shortest(f"{_sentence(where, clear, named)}{untold}{end}" for end in (tail, ""))
        if len(said.split()) < WORDS_LIMIT:
            break
    return _with_prediction(said, aging, clear, named)


MOST_WORDS_BETWEEN = 9
"""Names of more words are counted: the sentence stays short."""


def _would_have_shown(kept: Sequence[_Kept]) -> str:
    """ " Only a loss of 47 % would have shown."."""
    least = {
        each.system: 100 * (1 - 1 / (1 + each.detectable_percent / 100))
        for each in kept
        if each.verdict in OPEN and each.detectable_percent is not None
    }
    said = loss_shown(least)
    return f" {said[0].upper()}{said[1:]}." if least else ""


def _decided_elsewhere(aging: Aging, side: Side, level: int, unclear: Sequence[str]) -> str:
    """What the tables decide of systems that are undecided here: the first of it, and how much."""
    found = [
        (line, point, point.relative)
        for line in aging.lines
        for point in line.points
        if line.system in unclear
        and (line.side, point.free_percent) != (side, level)
        and point.verdict in DECIDED
        and point.relative is not None
    ]
    if not found:
        return ""
    line, point, relative = found[0]
    words = _interval(_Kept(line.system, relative, point.verdict or "", None))
    more = f", one of {len(found)} such rates" if len(found) > 1 else ""
    return (
        f"; decided elsewhere: at {point.free_percent} % free, {_GERUNDS[line.side]} keeps"
        f" {percent(relative.value, relative.edges)} on {line.system} ({words}){more}"
    )


def _named(systems: Sequence[str]) -> str:
    return named_systems(systems, MOST_NAMED if len(systems) <= MOST_NAMED else MOST_NAMED - 1)


def _lead(aging: Aging, primary: Sequence[Cell]) -> tuple[Side, int, list[_Kept]] | None:
    for cell in [*primary]:
        factors = AgingFactors.of(cell)
        side, level = factors.side, factors.free_percent
        if level is None:
            continue
        kept = [
            _Kept(
                line.system,
                point.relative,
                point.verdict or "",
                _predicted(aging, line.system, level),
                point.detectable_percent,
            )
            for line in aging.lines
            if line.side == side and (point := line.at(level)) is not None and point.relative
        ]
        if kept:
            return side, level, kept
    return None


def _predicted(aging: Aging, system: str, level: int) -> Estimate | None:
    layout = aging.layout(system, level)
    return layout.predicted_relative if layout is not None else None


def _sentence(where: str, kept: Sequence[_Kept], named: int) -> str:
    shown = _shown(kept, named)
    parts = [
        f"{percent(each.relative.value, each.relative.edges)}"
        f"{' of its clean rate' if at == 0 else ''} on"
        f" {each.system} ({_interval(each)})"
        for at, each in enumerate(shown)
    ]
    between = len(kept) - len(shown)
    names = [each.system for each in kept if each not in shown]
    is_short = words_in(listed(names)) <= MOST_WORDS_BETWEEN
    untold = listed(names) if is_short else f"{between} others"
    more = f", {untold} between" if between else ""
    if between and len(shown) == 1:
        more = f", and {between} more in the tables"
    return f"{where} keeps {listed(parts)}{more}"


def _shown(kept: Sequence[_Kept], named: int) -> list[_Kept]:
    """All in the study's order, the baseline first; of too many the first, the least and the
    most."""
    if len(kept) <= named or named == 1:
        return list(kept[:named])
    by_share = sorted(kept, key=lambda each: each.relative.value)
    return [each for each in kept if each in (kept[0], by_share[0], by_share[-1])]


def _other_side(aging: Aging, side: Side, level: int) -> str:
    """ "; reading 58 to 97 %"."""
    other: Side = "read" if side == "write" else "write"
    points: list[AgingPoint | None] = [line.at(level) for line in aging.lines if line.side == other]
    values = sorted(p.relative.value for p in points if p is not None and p.relative is not None)
    if not values:
        return ""
    ends = dict.fromkeys((percent(values[0]), percent(values[-1])))
    return f"; {_GERUNDS[other]} {' to '.join(ends).replace(' % to', ' to')}"


def _with_prediction(said: str, aging: Aging, kept: Sequence[_Kept], named: int) -> str:
    predicted = [each.predicted for each in _shown(kept, named)]
    known = [each for each in predicted if each is not None]
    if aging.seeks != "no" or len(known) < len(predicted):
        return f"{said}."
    numbers = listed([percent(each.value) for each in known]).replace(" %,", ",")
    numbers = numbers.replace(" % and", " and")
    return f"{said}. A model, not a measurement, predicts {numbers} for a disk with heads."


def _too_few(aging: Aging, blocks: int, where: str, kept: Sequence[_Kept]) -> str:
    """What was measured is undecided; a prediction needs no blocks, for layouts hardly vary."""
    said = ""
    candidates = []
    for named in (MOST_NAMED, 2, 1):
        shown = [f"{percent(e.relative.value)} on {e.system}" for e in _shown(kept, named)]
        more = f", of {len(kept)} systems" if len(kept) > len(shown) else ""
        said = f"{too_few(blocks)} {where} kept {listed(shown)} of its clean rate{more}"
        candidates.append(_with_prediction(said, aging, kept, named))
    return shortest([*candidates, f"{said}."])


def _interval(each: _Kept) -> str:
    return f"{percent_range(*each.relative.edges, ' %')}{remark(each.verdict)}"
