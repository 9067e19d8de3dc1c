"""What a study's results say to a trial: one observation for each cell that it is about.

Two quantities are in every kind's results: "ratio", a comparison with the baseline by a metric,
and "steps", that ratio at one value of a factor over it at another, taken inside blocks. Others are
a kind's own: OBSERVED in its observed.py, by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Self

from fsgauge import kinds
from fsgauge.published.ledger import Part, Scalar, Trial
from fsgauge.record import Cell
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


Observe = Callable[[Trial, Results], list[Observation]]


def observe(trial: Trial, results: Results) -> list[Observation]:
    """What these results say; [] where they have no such system, cell or metric.

    Raises KeyError for a quantity that the kind of study does not declare.
    """
    if trial.quantity == "ratio":
        return [_of(entry, results) for entry in _comparisons(trial, results)]
    if trial.quantity == "steps":
        return _steps(trial, results)
    own: Mapping[str, Observe] = kinds.part(results.kind, "observed").OBSERVED
    return own[trial.quantity](trial, results)


def cells_of(trial: Trial, results: Results) -> list[Cell]:
    """The cells that have every factor that the trial asks for."""
    return [cell for cell in results.cells if has(cell, trial.cells)]


def has(cell: Cell, factors: Mapping[str, Scalar]) -> bool:
    """Whether a cell has these factors; one that a cell does not have is not equal to any."""
    return all(cell.factors.get(name) == value for name, value in factors.items())


def _comparisons(trial: Trial, results: Results) -> list[Comparison]:
    found = (
        results.comparison(cell.id, trial.system, trial.metric) for cell in cells_of(trial, results)
    )
    return [entry for entry in found if entry is not None]


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


def _steps(trial: Trial, results: Results) -> list[Observation]:
    """One for each pair of cells that differ in the factor `across` alone, as far as is known.

    Factors that follow from it (which calls carry the load, what a test reads) are not compared.
    """
    first, second = trial.at
    entries = {entry.cell: entry for entry in _comparisons(trial, results)}
    cells = [cell for cell in results.cells if cell.id in entries]
    found = [
        _step(entries[cell.id], entries[other.id], cell, trial)
        for cell in cells
        for other in cells
        if (cell.factors.get(trial.across), other.factors.get(trial.across)) == (first, second)
        and _alike(cell, other, trial.across)
    ]
    return [each for each in found if each is not None]


def _alike(cell: Cell, other: Cell, across: str) -> bool:
    left_out = {across, "interface"} | ({"read_percent"} if across == "test" else set())
    names = (cell.factors.keys() | other.factors.keys()) - left_out
    return all(cell.factors.get(name) == other.factors.get(name) for name in names)


def _step(before: Comparison, after: Comparison, cell: Cell, trial: Trial) -> Observation | None:
    then = dict(before.blocks)
    logs = [math.log(ratio / then[block]) for block, ratio in after.blocks if block in then]
    found = ratio_of_blocks(logs)
    if found is None:
        return None
    first, second = trial.at
    across = trial.across.replace("_", " ")
    name = f"{cell.name}: {across} {second} over {first}"
    return Observation.of(name, trial.system, trial.system, found)
