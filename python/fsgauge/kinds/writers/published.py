"""Rates that others published of several direct writers to one file, as the page needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.published.ledger import Claim, Figure, ledger_of
from fsgauge.published.observe import Observation, of_rows
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results

BETWEEN_CASES = ("D-14", "D-16", "D-18")
"""Claims that hold one case against another."""


@dataclass(frozen=True)
class PublishedCase:
    """One line of the publication; `claim` is its id in the ledger.

    `lay_out` is in MB/s, `called` the printed words; `iops`, `seconds` and `operations` have one
    number per number of writers. `change_percent` and `share_percent` (of the ideal) are computed
    from the rates, `operations` from the file's size.
    """

    claim: str
    name: str
    lay_out: float
    iops: list[float]
    seconds: list[float]
    operations: list[int]
    called: str
    change_percent: float
    share_percent: float


@cache
def published_cases() -> list[PublishedCase]:
    """The figures that the study `writers` repeats."""
    ledger = ledger_of("writers")
    file_bytes, write_kib = ledger.of("D-07").figure("file"), ledger.of("D-06").computed[0]
    writes = round(file_bytes.values[0] / (write_kib.value * 1024))
    rates = [(claim, figure) for claim in ledger.claim for figure in claim.figures]
    return [_case(claim, figure, writes) for claim, figure in rates if figure.name == "IOPS"]


def _case(claim: Claim, rates: Figure, writes: int) -> PublishedCase:
    computed = {number.name: number.value for number in claim.computed}
    return PublishedCase(
        claim=claim.id,
        name=rates.of,
        lay_out=claim.figure("lay-out rate").values[0],
        iops=rates.values,
        seconds=claim.figure("time").values,
        operations=[writes * (place + 1) for place in range(len(rates.values))],
        called=claim.figure("in words").printed,
        change_percent=computed["change"],
        share_percent=computed["share of ideal"],
    )


def change(about: Observable, results: Results) -> list[Observation]:
    """The rate of so many writers over that of the fewest, taken inside blocks; none where the rig
    set both."""
    scaling = Scaling.within(results)
    own = (
        (point.cell, line.system, point.change)
        for line in scaling.lines
        for point in line.points
        if not line.limited_by
    )
    return of_rows(about, results, f"{scaling.writer_counts[0]} writer", own)


def touched(about: Observable, results: Results) -> list[Observation]:
    """Without a device: touching every byte in memory over writing to nothing."""
    limits = Scaling.within(results).limits
    own = ((point.cell, about.system, point.touched_ratio) for point in limits)
    return of_rows(about, results, "nothing written", own)


OBSERVED = {"change": change, "touched": touched}
