"""Claims that others published of allocation sizes and ageing, as the page needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, cast, get_args

from fsgauge.kinds.aging.analysis.model import Aging, AgingPoint
from fsgauge.kinds.aging.factors import Side
from fsgauge.published.ledger import Claim, ledger_of
from fsgauge.published.observe import Observation
from fsgauge.published.trial import Observable, Trial
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import parse_size

Test = Literal["kept", "kept at", "in chunks", "clean"]
TESTS: tuple[Test, ...] = get_args(Test)


@dataclass(frozen=True)
class PublishedClaim:
    """What an allocation size keeps, and which number of a report is shown next to it. `claim` is
    the id in the ledger; `published` is a printed figure, or the fact in our words. Without a
    `test` it is a rate of other hardware: no number of ours is shown next to it."""

    claim: str
    text: str
    published: str
    in_our_words: bool = False
    test: Test | None = None
    side: Side = "write"
    chunk_bytes: int = 0
    free_percent: int | None = None


@cache
def tested_claims() -> list[PublishedClaim]:
    """Those that the study `aging` tests: what allocation sizes do to rates."""
    claims = {
        (each.test, each.side, each.chunk_bytes, each.free_percent): each
        for claim in ledger_of("aging").claim
        for trial in claim.trials
        if (each := _claim(claim, trial)) is not None
    }
    return list(claims.values())


def rates_elsewhere() -> list[PublishedClaim]:
    """Rates of other hardware."""
    return [
        PublishedClaim(claim.id, claim.fact, figure.printed)
        for claim in ledger_of("aging").claim
        for figure in claim.figures
        if figure.unit == "GB/s" and figure.printed
    ]


def _claim(claim: Claim, trial: Trial) -> PublishedClaim | None:
    """None for a trial of rates in the holes themselves, which other tables of the page have."""
    quantity = "clean" if trial.cells.get("wear") == "clean" else trial.quantity
    test = next((each for each in TESTS if each == quantity), None)
    if test is None:
        return None
    side = cast(Side, trial.cells.get("side", "write"))
    printed = [figure.printed for figure in claim.figures if figure.of == side]
    free = trial.cells.get("free_percent")
    return PublishedClaim(
        claim=claim.id,
        text=trial.words,
        published=printed[0] if printed else claim.fact,
        in_our_words=not printed,
        test=test,
        side=side,
        chunk_bytes=parse_size(trial.system),
        free_percent=int(free) if free is not None else None,
    )


def kept(about: Observable, results: Results) -> list[Observation]:
    return [
        Observation.of(
            f"{point.free_percent} % free", about.system, "its clean rate", point.relative
        )
        for point in _points(about, results)
        if point.relative is not None
    ]


def kept_at(about: Observable, results: Results) -> list[Observation]:
    level = f"{about.cells['free_percent']} % free"
    return [each for each in kept(about, results) if each.cell == level]


def in_chunks(about: Observable, results: Results) -> list[Observation]:
    """The share of the aged files' bytes in extents of exactly the allocation size."""
    return [
        Observation.of("aged files", each.system, "", each.chunk_share)
        for each in Aging.within(results).aged
        if each.system == about.system and each.chunk_share is not None
    ]


def over_all_others(about: Observable, results: Results) -> list[Observation]:
    """A system's rate over that of the best of the others, at every level."""
    others = [
        line
        for line in Aging.within(results).lines
        if line.side == about.cells["side"] and line.system != about.system
    ]
    found = []
    for point in _points(about, results):
        rates = [each.rate.value for line in others if (each := line.at(point.free_percent))]
        if point.free_percent is not None and rates:
            ratio = Estimate(
                value=point.rate.value / max(rates), low=None, high=None, n=point.rate.n
            )
            level = f"{point.free_percent} % free"
            found.append(Observation.of(level, about.system, "the best of the others", ratio))
    return found


def _points(about: Observable, results: Results) -> list[AgingPoint]:
    line = Aging.within(results).line(about.system, cast(Side, about.cells["side"]))
    return line.points if line else []


OBSERVED = {
    "kept": kept,
    "kept at": kept_at,
    "in chunks": in_chunks,
    "over all others": over_all_others,
}
