"""Each system's rates by number of writers, from ratios inside blocks.

Takes samples; gives points, the law through them, and what else belongs to the line. All numbers
are geometric means over blocks with a t interval on logs; the baseline's value in a block is the
mean of its two turns, as everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.kinds.writers.analysis.fit import fit_law
from fsgauge.kinds.writers.analysis.groups import Group
from fsgauge.kinds.writers.analysis.model import CompanionRow, ScalingLine, ScalingPoint
from fsgauge.kinds.writers.analysis.samples import (
    ANY_CELL,
    FAIRNESS,
    LAYOUT,
    SMALLEST_SHARE,
    companion_name,
)
from fsgauge.stats.estimate import ByBlock, Estimate, estimate, over
from fsgauge.stats.samples import Samples

RATE = "iops"
ROLES = ("reader", "log")


@dataclass(frozen=True)
class Measured:
    """The metrics of every study, those of scaling alone, and the raw system, if there is one."""

    samples: Samples
    beside: Samples
    device: str | None

    def rates(self, cell: str, system: str) -> dict[int, float]:
        """Log rate by block."""
        return self.samples.block_logs(RATE, cell, system)


def line_of(measured: Measured, group: Group, system: str) -> ScalingLine:
    """One system in one group."""
    points = [_point(measured, group, system, writers) for writers in group.cells]
    rates = {n: measured.rates(cell.id, system) for n, cell in group.cells.items()}
    return ScalingLine(
        system=system,
        group=group.name,
        points=points,
        fit=fit_law(rates),
        best_writers=_best(points),
        layout_rate=estimate(measured.beside.block_logs(LAYOUT, ANY_CELL, system)),
    )


def _point(measured: Measured, group: Group, system: str, writers: int) -> ScalingPoint:
    cell = group.cells[writers].id
    fewest = next(iter(group.cells))
    rates = measured.rates(cell, system)
    gain = over(rates, measured.rates(group.cells[fewest].id, system))
    more = writers != fewest
    return ScalingPoint(
        writers=writers,
        cell=cell,
        iops=estimate(rates),
        change=estimate(gain) if more else None,
        efficiency=estimate(gain, shift=math.log(fewest / writers)) if more else None,
        fairness=_fairness(measured.beside.block_logs(FAIRNESS, cell, system)),
        p50_ns=_latency(measured.samples, "p50", cell, system),
        p99_ns=_latency(measured.samples, "p99", cell, system),
        p999_ns=_latency(measured.samples, "p999", cell, system),
        of_device=_of_device(measured, cell, system),
        blocks=[(block, math.exp(log)) for block, log in sorted(rates.items())],
    )


def _latency(samples: Samples, quantile: str, cell: str, system: str) -> Estimate | None:
    metric = f"write.{quantile}"
    logs = samples.block_logs(metric, cell, system)
    return estimate(logs, reach=samples.reach(metric, cell, system))


def _of_device(measured: Measured, cell: str, system: str) -> Estimate | None:
    if measured.device is None or system == measured.device:
        return None
    return estimate(over(measured.rates(cell, system), measured.rates(cell, measured.device)))


def _fairness(logs: ByBlock) -> Estimate | None:
    """A share of the mean, so 1 at most; 0 without an interval where a writer did nothing."""
    if any(log <= math.log(SMALLEST_SHARE) for log in logs.values()):
        return Estimate(value=0.0, low=None, high=None, n=len(logs))
    found = estimate(logs)
    if found is None or found.high is None:
        return found
    return found.model_copy(update={"high": min(found.high, 1.0)})


def _best(points: list[ScalingPoint]) -> int | None:
    """The measured number with the highest rate; None if it is the largest, or the only one."""
    known = [(point.iops.value, point.writers) for point in points if point.iops is not None]
    if len(known) < 2:
        return None
    best = max(known)[1]
    return None if best == known[-1][1] else best


def companions_of(measured: Measured, group: Group, system: str) -> list[CompanionRow]:
    """What readers and log writers did beside this system's writers."""
    rows = []
    for writers, cell in group.cells.items():
        for role in ROLES:
            numbers = {
                name: estimate(
                    measured.beside.block_logs(companion_name(role, name), cell.id, system),
                    reach=measured.beside.reach(companion_name(role, name), cell.id, system),
                )
                for name in ("iops", "p50", "p99")
            }
            if numbers["iops"] is not None:
                rows.append(
                    CompanionRow(
                        system=system,
                        group=group.name,
                        writers=writers,
                        role=role,
                        iops=numbers["iops"],
                        p50_ns=numbers["p50"],
                        p99_ns=numbers["p99"],
                    )
                )
    return rows
