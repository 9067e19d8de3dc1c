"""How a rate grows with the number of hosts that take part, where a study varies it.

Each host brings the cell's whole load, so that so many hosts ideally do as many times what one
does. All numbers are taken inside blocks, as those of every comparison are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, FactorValue, Plan
from fsgauge.stats.results import HostPoint, HostScaling
from fsgauge.stats.samples import Samples
from fsgauge.stats.scaling.fit import fit_law
from fsgauge.stats.scaling.growth import grown


@dataclass(frozen=True)
class HostGroup:
    """Cells that differ in their number of hosts alone, by that number, ascending. `name` is what
    they share."""

    name: str
    cells: dict[int, Cell]


def host_scaling(
    plan: Plan, samples: Samples, metric_of: Callable[[Cell], str]
) -> list[HostScaling]:
    """Each group of each system, by what its cells are judged by; none where the study does not
    vary the number."""
    return [
        _scaling(samples, group, system, metric_of(next(iter(group.cells.values()))))
        for group in host_groups(plan.cells)
        for system in plan.systems
    ]


def host_groups(cells: Sequence[Cell]) -> list[HostGroup]:
    """The groups with two numbers or more, in the study's order.

    A cell belongs to each group that says what it says and more: one host has no choice of files,
    and stands at the begin of each choice.
    """
    of_cells = [(cell, factors_of(cell).host_count) for cell in cells]
    counted = [(cell, count) for cell, count in of_cells if count is not None]
    kinds = list(dict.fromkeys(_shared(cell) for cell, _ in counted))
    largest = [each for each in kinds if not any(each < other for other in kinds)]
    groups = []
    for each in largest:
        own = {count: cell for cell, count in counted if _shared(cell) <= each}
        last = next(cell for cell, _ in counted if _shared(cell) == each)
        if len(own) > 1:
            groups.append(HostGroup(_without_hosts(last), dict(sorted(own.items()))))
    return groups


def _shared(cell: Cell) -> frozenset[tuple[str, FactorValue]]:
    """All that a cell says but its hosts."""
    declared = factors_of(cell)
    found = declared.in_role("hosts")
    name = found[0] if found else None
    return frozenset((key, value) for key, value in cell.factors.items() if key != name)


def _without_hosts(cell: Cell) -> str:
    """The cell's name without the words for its hosts."""
    return cell.name.replace(f", {factors_of(cell).hosts_words}", "")


def _scaling(samples: Samples, group: HostGroup, system: str, metric: str) -> HostScaling:
    rates = {
        count: samples.block_logs(metric, cell.id, system) for count, cell in group.cells.items()
    }
    points = [
        HostPoint(hosts=count, cell=group.cells[count].id, **vars(growth))
        for count, growth in grown(samples, rates).items()
    ]
    return HostScaling(
        system=system,
        group=group.name,
        metric=metric,
        points=points,
        fit=fit_law(rates, level=samples.level, of="hosts"),
    )
