"""What went between nodes, and to disks, for each operation: the counters beside each run.

Counts do not depend on how fast a machine is, so they say the same of an emulated one. The block is
the sample; of several runs of a system in a block the mean counts.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from fsgauge.engine.wire import timed_operations
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.stats.results import TrafficNumber
from fsgauge.stats.samples import Samples, is_complete


def traffic_of(runs: Sequence[RunRecord], samples: Samples) -> list[TrafficNumber]:
    """A number a cell, system and counter, cells and systems in the plan's order."""
    counted = [run for run in runs if run.traffic and is_complete(run)]
    plan, own = samples.plan, samples.beside()
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            here = [r for r in counted if (r.cell.id, r.system) == (cell.id, system)]
            for name in dict.fromkeys(each.name for run in here for each in run.traffic):
                number = _number(own, [run for run in here if operations_of(run)], name)
                if number is not None:
                    found.append(number)
    return found


def operations_of(run: RunRecord) -> int:
    """All of a run, those of its warm-up included: a counter does not know which was which."""
    result = run.result
    if result is None:
        return 0
    return int(Intervals.of(result.intervals).done.sum()) or timed_operations(result)


def _number(samples: Samples, runs: Sequence[RunRecord], name: str) -> TrafficNumber | None:
    having = [(run, each) for run in runs for each in run.traffic if each.name == name]
    if not having:
        return None
    for run, each in having:
        samples.put(f"traffic.{name}", run.cell.id, run, each.count / operations_of(run))
    first, counted = having[0]
    mean = samples.plain_mean(f"traffic.{name}", first.cell.id, first.system)
    if mean is None:
        return None
    parts = {part for _, each in having for part in each.parts}
    return TrafficNumber(
        cell=first.cell.id,
        system=first.system,
        name=name,
        title=counted.title,
        unit=counted.unit,
        per_operation=mean,
        parts={
            part: statistics.fmean(e.parts.get(part, 0) / operations_of(run) for run, e in having)
            for part in sorted(parts)
        },
    )
