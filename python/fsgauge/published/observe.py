"""What a study's results say to a claim: one observation for each cell that it is about.

Five quantities are in every kind's results: "ratio", a comparison with the baseline by a metric;
"steps", that ratio at one value of a factor over it at another, taken inside blocks; "own steps",
the same of the system's own numbers; "rate", these, in GB/s; and "more hosts", the rate of several
hosts together over that of the fewest. What the rig set is none of them. Others are a kind's own:
OBSERVED in its published.py, by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Self

from fsgauge import kinds
from fsgauge.published.ledger import Part
from fsgauge.published.trial import Observable, Scalar
from fsgauge.record.records import Cell
from fsgauge.stats.estimate import Estimate, over_unpaired
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.results import Comparison, JudgedRatio, Results
from fsgauge.stats.rig_limits import BY_RIG, WORDS, Limit, set_by


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

    def is_below(self, value: float) -> bool:
        """Whether all of the interval is below a value; False without an interval."""
        return self.high is not None and self.high < value

    def is_above(self, value: float) -> bool:
        """Whether all of the interval is above a value; False without an interval."""
        return self.low is not None and self.low > value

    def contains(self, value: float) -> bool:
        """Whether a value is in the interval; False without one."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high


MORE_HOSTS = "more hosts"
Observe = Callable[[Observable, Results], list[Observation]]


def observe(about: Observable, results: Results) -> list[Observation]:
    """What these results say; [] where they have no such system, cell or metric. Raises KeyError
    for a quantity that the kind of study does not declare."""
    if about.quantity == "ratio":
        found = (_ratio(entry, about, results) for entry in _comparisons(about, results))
        return [each for each in found if each is not None]
    if about.quantity == "steps":
        return _steps(about, results)
    if about.quantity == "own steps":
        return _own_steps(about, results)
    if about.quantity == "rate":
        return _rates(about, results)
    if about.quantity == MORE_HOSTS:
        return _more_hosts(about, results)
    has_own = kinds.has_part(results.kind, "published")
    own: Mapping[str, Observe] = kinds.part(results.kind, "published").OBSERVED if has_own else {}
    return own[about.quantity](about, results)


_MISSING: dict[Limit, str] = {
    "emulator": "a machine where KVM works is missing",
    "IOPS": "a rig without that limit is missing",
    "bandwidth": "a rig without that limit is missing",
}
"""What would let systems, and not the rig, set a rate."""


def why_none(about: Observable, results: Results) -> str:
    """Why nothing is observed, and what is missing for it."""
    cells = {cell.id for cell in cells_of(about, results)}
    if not cells or about.system not in results.systems:
        return "its run has no such cell or system"
    compared = {about.system, about.over or results.baseline}
    met = {e.limit for e in results.measurements if e.cell in cells and e.system in compared}
    limit = next((each for each in BY_RIG if each in met), None)
    if limit is not None:
        return f"{WORDS[limit]} set its rates; {_MISSING[limit]}"
    judged = [e for e in results.comparisons if e.cell in cells and e.system == about.system]
    if any(each.verdict == "too noisy" for each in judged):
        return "its blocks are too far apart; a quieter machine, or more blocks, are missing"
    return "no block of its run has what is compared; it has to be run again"


def cells_of(about: Observable, results: Results) -> list[Cell]:
    """The cells that have every factor that is asked for."""
    return [cell for cell in results.cells if has(cell, about.cells)]


def has(cell: Cell, factors: Mapping[str, Scalar]) -> bool:
    """Whether a cell has these factors; one that a cell does not have is not equal to any."""
    return all(cell.factors.get(name) == value for name, value in factors.items())


OwnRow = tuple[str, str, Estimate | Ratio | JudgedRatio | None]
"""A cell's id, a system, and a number of theirs that only this kind of study has."""


def of_rows(
    about: Observable, results: Results, over: str, rows: Iterable[OwnRow]
) -> list[Observation]:
    """The numbers of the trial's system in its cells, each a ratio to `over`, "" for none."""
    names = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation.of(names[cell], system, over, found)
        for cell, system, found in rows
        if system == about.system and cell in names and found is not None
    ]


def _more_hosts(about: Observable, results: Results) -> list[Observation]:
    """But where the rig set it: of a shared disk's limit each host has an equal part, so that two
    do twice what one does."""
    limits = {each.cell: each.limit for each in results.measurements if each.system == about.system}
    own = (
        (point.cell, line.system, point.change)
        for line in results.host_scaling
        for point in line.points
        if line.system == about.system and point.change is not None
        if not set_by(limits[line.points[0].cell], limits[point.cell])
    )
    return of_rows(about, results, "one host", own)


def _rates(about: Observable, results: Results) -> list[Observation]:
    """The system's own, in GB/s."""
    own = (
        (each.cell, each.system, each.in_units_of(1e9))
        for each in results.measurements
        if each.metric == about.metric and each.limit not in BY_RIG
    )
    return of_rows(about, results, "", own)


def _comparisons(about: Observable, results: Results) -> list[Comparison]:
    found = (
        results.comparison(cell.id, about.system, about.metric) for cell in cells_of(about, results)
    )
    return [
        entry
        for entry in found
        if entry is not None and not entry.limited_by and entry.verdict != "too noisy"
    ]


def _ratio(entry: Comparison, about: Observable, results: Results) -> Observation | None:
    """To the baseline, or inside blocks to the system that the trial names."""
    if not about.over:
        return Observation.of(results.cell(entry.cell).name, entry.system, results.baseline, entry)
    other = results.comparison(entry.cell, about.over, about.metric)
    found = _inside_blocks(entry, other) if other is not None and not other.limited_by else None
    if found is None:
        return None
    return Observation.of(results.cell(entry.cell).name, about.system, about.over, found)


def _steps(about: Observable, results: Results) -> list[Observation]:
    """One for each pair of cells that differ in the factor `across` alone, as far as is known.
    Factors that follow from it (which calls carry the load, what a test reads) are not compared."""
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


def _own_steps(about: Observable, results: Results) -> list[Observation]:
    entries = {
        each.cell: each
        for each in results.measurements
        if (each.system, each.metric) == (about.system, about.metric)
    }
    cells = [cell for cell in cells_of(about, results) if cell.id in entries]
    return [
        Observation.of(
            _step_name(cell.name, about),
            about.system,
            about.system,
            over_unpaired(entries[other.id], entries[cell.id]),
        )
        for cell in cells
        for other in cells
        if [each.factors.get(about.across) for each in (cell, other)] == about.at
        and _alike(cell, other, about.across)
        and not set_by(entries[cell.id].limit, entries[other.id].limit)
    ]


def _step_name(cell: str, about: Observable) -> str:
    first, second = about.at
    return f"{cell}: {about.across.replace('_', ' ')} {second} over {first}"


def _alike(cell: Cell, other: Cell, across: str) -> bool:
    left_out = {across, "interface"} | ({"read_percent"} if across == "test" else set())
    names = (cell.factors.keys() | other.factors.keys()) - left_out
    return all(cell.factors.get(name) == other.factors.get(name) for name in names)


def _step(
    before: Comparison, after: Comparison, cell: Cell, about: Observable
) -> Observation | None:
    found = _inside_blocks(after, before)
    if found is None:
        return None
    return Observation.of(_step_name(cell.name, about), about.system, about.system, found)


def _inside_blocks(top: Comparison, bottom: Comparison) -> Ratio | None:
    """One ratio over another; None with less than a block that has both."""
    below = dict(bottom.blocks)
    return ratio_of_blocks(
        [math.log(ratio / below[block]) for block, ratio in top.blocks if block in below]
    )
