"""Rates that others published of several direct writers to one file, as the page needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.published.ledger import Claim, Figure, Publication, ledger_of
from fsgauge.published.observe import Observation, cells_of
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results

BETWEEN_CASES = ("D-14", "D-16", "D-18")
"""Claims that hold one case against another."""


@dataclass(frozen=True)
class PublishedCase:
    """One line of the publication; `claim` is its id in the ledger.

    `lay_out` is in MB/s, `iops` has one rate per number of writers, `called` the printed words.
    `change_percent` and `share_percent` (of the ideal) are computed from the rates.
    """

    claim: str
    name: str
    lay_out: float
    iops: list[float]
    called: str
    change_percent: float
    share_percent: float


@dataclass(frozen=True)
class PublishedWriters:
    """Rates of several direct writers to one file; `between` is said of two cases."""

    publication: Publication
    lay_out_unit: str
    case: list[PublishedCase]
    between: list[Claim]

    @property
    def writers(self) -> list[str]:
        """What the rates of a case are of: "1 writer", "2 writers"."""
        return self.publication.columns


@cache
def published_writers() -> PublishedWriters:
    """The figures that the study `writers` repeats."""
    ledger = ledger_of("writers")
    rates = [(claim, figure) for claim in ledger.claim for figure in claim.figures]
    return PublishedWriters(
        publication=ledger.publication,
        lay_out_unit="MB/s",
        case=[_case(claim, figure) for claim, figure in rates if figure.name == "IOPS"],
        between=[ledger.of(claim) for claim in BETWEEN_CASES],
    )


def _case(claim: Claim, rates: Figure) -> PublishedCase:
    computed = {number.name: number.value for number in claim.computed}
    return PublishedCase(
        claim=claim.id,
        name=rates.of,
        lay_out=claim.figure("lay-out rate").values[0],
        iops=rates.values,
        called=claim.figure("in words").printed,
        change_percent=computed["change"],
        share_percent=computed["share of ideal"],
    )


def change(about: Observable, results: Results) -> list[Observation]:
    """The rate of so many writers over that of the fewest, taken inside blocks."""
    scaling = Scaling.of(results)
    if scaling is None:
        return []
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation.of(
            cells[point.cell], line.system, f"{scaling.writer_counts[0]} writer", point.change
        )
        for line in scaling.lines
        if line.system == about.system
        for point in line.points
        if point.cell in cells and point.change is not None
    ]


def touched(about: Observable, results: Results) -> list[Observation]:
    """Without a device: touching every byte in memory over writing to nothing."""
    scaling = Scaling.of(results)
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation.of(cells[point.cell], about.system, "nothing written", point.touched_ratio)
        for point in (scaling.limits if scaling is not None else ())
        if point.cell in cells and point.touched_ratio is not None
    ]


OBSERVED = {"change": change, "touched": touched}
