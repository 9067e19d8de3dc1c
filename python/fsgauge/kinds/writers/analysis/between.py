"""What another way to write brings: a group's rates over the first group's, from ratios in blocks.

Ways to write are ranges, access and allocation. Groups that differ in their load (block size,
order, depth, interface) are not held against one another: their I/Os are not the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.writers.analysis.groups import Group
from fsgauge.kinds.writers.analysis.lines import Measured
from fsgauge.kinds.writers.analysis.model import GroupRatio
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record import Cell
from fsgauge.stats.estimate import estimate, over


def between_groups(
    measured: Measured, groups: Sequence[Group], systems: Sequence[str]
) -> list[GroupRatio]:
    """System by system, each group after the first of the same load, at each number of writers."""
    firsts: dict[tuple[object, ...], Group] = {}
    for group in groups:
        firsts.setdefault(_load(group), group)
    rows = []
    for system in systems:
        for group in groups:
            first = firsts[_load(group)]
            if group is first:
                continue
            for writers in sorted(group.cells.keys() & first.cells.keys()):
                ratio = estimate(
                    over(
                        measured.rates(group.cells[writers].id, system),
                        measured.rates(first.cells[writers].id, system),
                    )
                )
                if ratio is not None:
                    rows.append(
                        GroupRatio(
                            system=system,
                            writers=writers,
                            group=group.name,
                            first=first.name,
                            ratio=ratio,
                        )
                    )
    return rows


def _load(group: Group) -> tuple[object, ...]:
    cell: Cell = next(iter(group.cells.values()))
    return (
        WritersFactors.of(cell).block_size_bytes,
        WritersFactors.of(cell).pattern,
        WritersFactors.of(cell).queue_depth,
        WritersFactors.of(cell).interface,
    )
