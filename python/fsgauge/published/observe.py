"""What a study's results say to a claim: one observation for each cell that it is about.

Three quantities are in every kind's results: "ratio", a comparison with the baseline by a metric,
where the rig did not set it; "steps", that ratio at one value of a factor over it at another, taken
inside blocks; and "rate", the system's own, in GB/s. Others are a kind's own: OBSERVED in its
published.py, by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Self

from fsgauge import kinds
from fsgauge.published.ledger import Part
from fsgauge.published.trial import Observable, Scalar
from fsgauge.record.records import Cell
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.results import Comparison, JudgedRatio, Results


class Observation(Part):
    """A ratio or a share with its 95 % interval, over `n` blocks.

    `over` is what it is a ratio to, "" for a share. `p` is corrected for the other comparisons of
    its study, where it is one of them.
    """

    cell: str
    system: str
    over: str
    value: float
    low: float | None
    high: float | None
    n: int
    p: float | None = None

    @classmethod
    def of(cls, cell: str, system: str, over: str, found: Estimate | Ratio | JudgedRatio) -> Self:
        """A number as statistics gives it."""
        return cls(
            cell=cell,
            system=system,
            over=over,
            value=found.value if isinstance(found, Estimate) else found.ratio,
            low=found.low,
            high=found.high,
            n=found.n,
            p=found.p_adjusted if isinstance(found, JudgedRatio) else None,
        )

    def excludes(self, value: float) -> bool:
        """Whether the interval lies on one side of a value."""
        return self.is_below(value) or self.is_above(value)

    def is_below(self, value: float) -> bool:
        """Whether all of the interval is below a value; False without an interval."""
        return self.high is not None and self.high < value

    def is_above(self, value: float) -> bool:
        """Whether all of the interval is above a value; False without an interval."""
        return self.low is not None and self.low > value

    def contains(self, value: float) -> bool:
        """Whether a value is in the interval; False without one."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high


Observe = Callable[[Observable, Results], list[Observation]]


def observe(about: Observable, results: Results) -> list[Observation]:
    """What these results say; [] where they have no such system, cell or metric.

    Raises KeyError for a quantity that the kind of study does not declare.
    """
    if about.quantity == "ratio":
        return [_of(entry, results) for entry in _comparisons(about, results)]
    if about.quantity == "steps":
        return _steps(about, results)
    if about.quantity == "rate":
        return _rates(about, results)
    has_own = kinds.has_part(results.kind, "published")
    own: Mapping[str, Observe] = kinds.part(results.kind, "published").OBSERVED if has_own else {}
    return own[about.quantity](about, results)


def cells_of(about: Observable, results: Results) -> list[Cell]:
    """The cells that have every factor that is asked for."""
    return [cell for cell in results.cells if has(cell, about.cells)]


def has(cell: Cell, factors: Mapping[str, Scalar]) -> bool:
    """Whether a cell has these factors; one that a cell does not have is not equal to any."""
    return all(cell.factors.get(name) == value for name, value in factors.items())


def _rates(about: Observable, results: Results) -> list[Observation]:
    """The system's own, in GB/s."""
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation(
            cell=cells[each.cell],
            system=about.system,
            over="",
            value=each.value / 1e9,
            low=each.low / 1e9 if each.low is not None else None,
            high=each.high / 1e9 if each.high is not None else None,
            n=each.n,
        )
        for each in results.measurements
        if (each.system, each.metric) == (about.system, about.metric) and each.cell in cells
    ]


def _comparisons(about: Observable, results: Results) -> list[Comparison]:
    found = (
        results.comparison(cell.id, about.system, about.metric) for cell in cells_of(about, results)
    )
    return [
        entry
        for entry in found
        if entry is not None and not entry.limited_by and entry.verdict != "too noisy"
    ]


def _of(entry: Comparison, results: Results) -> Observation:
    return Observation(
        cell=results.cell(entry.cell).name,
        system=entry.system,
        over=results.baseline,
        value=entry.ratio,
        low=entry.low,
        high=entry.high,
        n=entry.n,
        p=entry.p_adjusted,
    )


def _steps(about: Observable, results: Results) -> list[Observation]:
    """One for each pair of cells that differ in the factor `across` alone, as far as is known.

    Factors that follow from it (which calls carry the load, what a test reads) are not compared.
    """
    first, second = about.at
    entries = {entry.cell: entry for entry in _comparisons(about, results)}
    cells = [cell for cell in results.cells if cell.id in entries]
    found = [
        _step(entries[cell.id], entries[other.id], cell, about)
        for cell in cells
        for other in cells
        if (cell.factors.get(about.across), other.factors.get(about.across)) == (first, second)
        and _alike(cell, other, about.across)
    ]
    return [each for each in found if each is not None]


def _alike(cell: Cell, other: Cell, across: str) -> bool:
    left_out = {across, "interface"} | ({"read_percent"} if across == "test" else set())
    names = (cell.factors.keys() | other.factors.keys()) - left_out
    return all(cell.factors.get(name) == other.factors.get(name) for name in names)


def _step(
    before: Comparison, after: Comparison, cell: Cell, about: Observable
) -> Observation | None:
    then = dict(before.blocks)
    logs = [math.log(ratio / then[block]) for block, ratio in after.blocks if block in then]
    found = ratio_of_blocks(logs)
    if found is None:
        return None
    first, second = about.at
    across = about.across.replace("_", " ")
    name = f"{cell.name}: {across} {second} over {first}"
    return Observation.of(name, about.system, about.system, found)
