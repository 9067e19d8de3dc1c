"""What the same load does without a device: the line above which nothing can be a device's."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from fsgauge.kinds.writers.analysis.groups import Group
from fsgauge.kinds.writers.analysis.model import LimitPoint
from fsgauge.record import RunRecord
from fsgauge.stats.samples import is_complete
from fsgauge.wire import Limits


def limits_of(group: Group, runs: Sequence[RunRecord]) -> list[LimitPoint]:
    """Geometric means over all runs of a cell, of every system: none of them takes part."""
    points = []
    for writers, cell in group.cells.items():
        found = [
            run.result.limits
            for run in runs
            if run.cell.id == cell.id
            and is_complete(run)
            and run.result is not None
            and run.result.limits is not None
            and min(_rates(run.result.limits)) > 0
        ]
        if found:
            columns = zip(*map(_rates, found), strict=True)
            null, memory, touched = (statistics.geometric_mean(column) for column in columns)
            points.append(
                LimitPoint(
                    writers=writers,
                    group=group.name,
                    null=null,
                    memory=memory,
                    memory_touched=touched,
                )
            )
    return points


def _rates(limits: Limits) -> tuple[float, float, float]:
    return (
        limits.null_operations_per_second,
        limits.memory_operations_per_second,
        limits.memory_touched_operations_per_second,
    )
