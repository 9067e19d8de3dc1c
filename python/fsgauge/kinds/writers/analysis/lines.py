"""Each system's rates by number of writers, and groups of cells against one another.

All numbers are geometric means over blocks with a t interval on logs, from ratios inside blocks;
the baseline's value in a block is the mean of its two turns. A group's cells differ in their number
of writers alone. Groups that differ in ranges, access or allocation are compared; those that differ
in their load (block size, order, depth, interface, hosts) are not, as their I/Os are not the same.
A writer is a job; where writers end by passes, its own rate counts, not its share of operations.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import Limits, LoadJob, LoadResult, sides_of
from fsgauge.kinds.writers.analysis import model
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.quantiles import QUANTILES
from fsgauge.record.records import Cell, RunRecord, TurnRecord
from fsgauge.stats.contrast import Contrast, Rig, Value, in_blocks, judged_ratio
from fsgauge.stats.estimate import Estimate, over
from fsgauge.stats.histogram import quantile_of
from fsgauge.stats.metrics import Reading, own_rates
from fsgauge.stats.rig_limits import Place, RigLimit, rates_set_by
from fsgauge.stats.samples import Samples, is_complete
from fsgauge.stats.scaling.fit import fit_law
from fsgauge.stats.scaling.growth import Counted, Growth, grown
from fsgauge.units import format_size


def fairness(result: LoadResult) -> float | None:
    """The slowest writer's own rate as a share of the writers' mean; None from fewer than two."""
    rates = own_rates(result)
    mean = statistics.fmean(rates) if rates else 0.0
    return min(rates) / mean if len(rates) > 1 and mean > 0 else None


FAIRNESS = "fairness"
LAYOUT = "layout"
TOTAL = "operations in all"
TIME = "time of all"
ANY_CELL = ""
SMALLEST_SHARE = 1e-9
"""Stands for a writer that did nothing, whose share has no logarithm."""


def companion_name(role: str, number: str) -> str:
    return f"companion.{role}.{number}"


def collect_beside(
    study: Samples, turns: Sequence[TurnRecord], runs: Sequence[RunRecord]
) -> Samples:
    """Fairness, lay-out rates, companions, and what all writers did in which time, of all runs that
    were measured to their end."""
    samples = study.beside()
    for turn in turns:
        rate = layout_rate(turn)
        if rate:
            samples.put(LAYOUT, ANY_CELL, turn, math.log(rate))
    for run in runs:
        if run.result is None or not is_complete(run):
            continue
        is_whole = isinstance(run.job, LoadJob) and bool(run.job.passes)
        for name, reading in _readings(run.result, is_whole=is_whole):
            samples.add((name, run.cell.id, run.system), (run.block, run.again), reading)
    return samples


def layout_rate(turn: TurnRecord) -> float | None:
    """Bytes per second of the lay-out, from the first open to the end of the last fsync."""
    layout = turn.layout
    if layout is None or layout.ended == "interrupted":
        return None
    if not layout.size_bytes or not layout.elapsed_ns:
        return None
    return layout.size_bytes * 1e9 / layout.elapsed_ns


def _readings(result: LoadResult, *, is_whole: bool) -> Iterator[tuple[str, Reading]]:
    """`is_whole`: the writers end when all is written, not when their time is over."""
    operations = sum(side.operations for side in sides_of(result))
    if is_whole and operations and result.elapsed_ns:
        yield TOTAL, Reading(operations)
        yield TIME, Reading(result.elapsed_ns)
    share = fairness(result)
    if share is not None:
        yield FAIRNESS, Reading(max(share, SMALLEST_SHARE))
    for companion in result.companions:
        if not result.elapsed_ns:
            continue
        rate = max(companion.operations, 1) * 1e9 / result.elapsed_ns
        yield companion_name(companion.role, "iops"), Reading(rate)
        for name in ("p50", "p99"):
            found = quantile_of(companion.latency, QUANTILES[name])
            if found is not None and found.low_ns > 0:
                yield companion_name(companion.role, name), Reading(found.value_ns, found.reach)


def groups_of(cells: Sequence[Cell]) -> list[Counted]:
    of_cells = [(cell, WritersFactors.of(cell)) for cell in cells]
    varying = [word for word in _WORDS if len({word(factors) for _, factors in of_cells}) > 1]
    found: dict[str, dict[int, Cell]] = {}
    for cell, factors in of_cells:
        name = ", ".join(word(factors) for word in varying)
        found.setdefault(name, {})[factors.writers] = cell
    return [Counted(name, dict(sorted(by_writers.items()))) for name, by_writers in found.items()]


_WORDS: tuple[Callable[[WritersFactors], str], ...] = (
    lambda factors: factors.ranges,
    lambda factors: factors.access,
    lambda factors: factors.allocation,
    lambda factors: format_size(factors.block_size_bytes),
    lambda factors: "random" if factors.pattern.startswith("rand") else "sequential",
    lambda factors: f"depth {factors.queue_depth}",
    lambda factors: factors.interface,
    lambda factors: factors.hosts_words,
)


RATE = "iops"
ROLES = ("reader", "log")


@dataclass(frozen=True)
class Measured:
    """The metrics of every study, those of scaling alone, and the raw system, if there is one."""

    samples: Samples
    beside: Samples
    device: str | None

    def rates(self, cell: str, system: str) -> dict[int, float]:
        return self.samples.block_logs(RATE, cell, system)


def line_of(
    measured: Measured, group: Counted, system: str, limits: Mapping[Place, RigLimit]
) -> model.ScalingLine:
    values = {n: Value(RATE, cell.id, system) for n, cell in group.cells.items()}
    rates = {n: measured.samples.block_logs(*value) for n, value in values.items()}
    points = [
        _point(measured, group.cells[writers].id, system, writers, growth)
        for writers, growth in grown(measured.samples, values).items()
    ]
    return model.ScalingLine(
        system=system,
        group=group.name,
        points=points,
        fit=fit_law(rates, level=measured.samples.level, of="writers"),
        best_writers=_best(points),
        layout_rate=measured.beside.number(LAYOUT, ANY_CELL, system),
        limited_by=rates_set_by(limits, (points[0].cell, system), (points[-1].cell, system)),
    )


def _point(
    measured: Measured, cell: str, system: str, writers: int, growth: Growth
) -> model.ScalingPoint:
    samples = measured.samples
    return model.ScalingPoint(
        writers=writers,
        cell=cell,
        iops=growth.rate,
        change=growth.change,
        efficiency=growth.efficiency,
        fairness=_fairness(measured.beside, cell, system),
        p50_ns=samples.number("write.p50", cell, system),
        p99_ns=samples.number("write.p99", cell, system),
        p999_ns=samples.number("write.p999", cell, system),
        of_device=_of_device(measured, cell, system),
        operations=measured.beside.number(TOTAL, cell, system),
        elapsed_ns=measured.beside.number(TIME, cell, system),
        blocks=growth.blocks,
    )


def _of_device(measured: Measured, cell: str, system: str) -> Estimate | None:
    if measured.device is None or system == measured.device:
        return None
    if measured.samples.idle_blocks(RATE, cell, measured.device):
        return None
    of_device = over(measured.rates(cell, system), measured.rates(cell, measured.device))
    both = Contrast(Value(RATE, cell, system), Value(RATE, cell, measured.device))
    least = Rig(measured.samples).deviation(both)
    return measured.samples.over_blocks(of_device, least=least)


def _fairness(beside: Samples, cell: str, system: str) -> Estimate | None:
    """A share of the mean, so 1 at most; 0 without an interval where a writer did nothing."""
    logs = beside.block_logs(FAIRNESS, cell, system)
    if any(log <= math.log(SMALLEST_SHARE) for log in logs.values()):
        return Estimate(value=0.0, low=None, high=None, n=len(logs))
    found = beside.over_blocks(logs)
    if found is None or found.high is None:
        return found
    return found.model_copy(update={"high": min(found.high, 1.0)})


def _best(points: list[model.ScalingPoint]) -> int | None:
    """The measured number with the highest rate; None if it is the largest, or the only one."""
    known = [(point.iops.value, point.writers) for point in points if point.iops is not None]
    if len(known) < 2:
        return None
    best = max(known)[1]
    return None if best == known[-1][1] else best


def companions_of(measured: Measured, group: Counted, system: str) -> list[model.CompanionRow]:
    """What readers and log writers did beside this system's writers."""
    rows = []
    for writers, cell in group.cells.items():
        for role in ROLES:
            numbers = {
                name: measured.beside.number(companion_name(role, name), cell.id, system)
                for name in ("iops", "p50", "p99")
            }
            if numbers["iops"] is not None:
                rows.append(
                    model.CompanionRow(
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


def between_groups(
    measured: Measured, groups: Sequence[Counted], systems: Sequence[str], margin_percent: float
) -> list[model.GroupRatio]:
    """System by system, each group after the first of the same load, at each number of writers."""
    firsts: dict[tuple[object, ...], Counted] = {}
    for group in groups:
        firsts.setdefault(_load(group), group)
    contrasts = {
        (system, group.name, first.name, writers): Contrast(
            Value(RATE, group.cells[writers].id, system),
            Value(RATE, first.cells[writers].id, system),
            family=writers,
        )
        for system in systems
        for group in groups
        if group is not (first := firsts[_load(group)])
        for writers in sorted(group.cells.keys() & first.cells.keys())
    }
    rows = []
    for key, judged in in_blocks(contrasts, measured.samples, margin_percent).items():
        system, name, first_name, writers = key
        alone = measured.samples.over_blocks(judged.logs, least=judged.ratio.least)
        if alone is not None:
            low, high = judged.of_pick
            rows.append(
                model.GroupRatio(
                    system=system,
                    writers=writers,
                    group=name,
                    first=first_name,
                    ratio=alone,
                    judged=judged_ratio(judged),
                    pick_low=low,
                    pick_high=high,
                )
            )
    return rows


def _load(group: Counted) -> tuple[object, ...]:
    load = WritersFactors.of(next(iter(group.cells.values())))
    return load.block_size_bytes, load.pattern, load.queue_depth, load.interface, load.hosts


def limits_of(
    group: Counted, runs: Sequence[RunRecord], samples: Samples
) -> list[model.LimitPoint]:
    """Geometric means over all runs of a cell, of every system: none of them takes part."""
    points = []
    for writers, cell in group.cells.items():
        blocks = [
            (run.block, run.result.limits)
            for run in runs
            if run.cell.id == cell.id
            and is_complete(run)
            and run.result is not None
            and run.result.limits is not None
            and min(_rates(run.result.limits)) > 0
        ]
        if blocks:
            found = [limits for _, limits in blocks]
            columns = zip(*map(_rates, found), strict=True)
            null, memory, touched = (statistics.geometric_mean(column) for column in columns)
            strides = [each.memory_stride_operations_per_second for each in found]
            stride = [each for each in strides if each]
            points.append(
                model.LimitPoint(
                    cell=cell.id,
                    writers=writers,
                    group=group.name,
                    null=null,
                    memory=memory,
                    memory_touched=touched,
                    touched_ratio=samples.over_blocks(_touched(blocks)),
                    memory_stride=statistics.geometric_mean(stride) if stride else None,
                    stride_bytes=_stride_bytes(runs) if stride else None,
                )
            )
    return points


def _touched(blocks: Sequence[tuple[int, Limits]]) -> dict[int, float]:
    """Logs of memory touched byte by byte over nothing written; the mean of each block."""
    logs: dict[int, list[float]] = {}
    for block, limits in blocks:
        null, _, touched = _rates(limits)
        logs.setdefault(block, []).append(math.log(touched / null))
    return {block: statistics.fmean(each) for block, each in logs.items()}


def _stride_bytes(runs: Sequence[RunRecord]) -> int | None:
    strides = (run.job.limits_stride_bytes for run in runs if isinstance(run.job, LoadJob))
    return next((stride for stride in strides if stride), None)


def _rates(limits: Limits) -> tuple[float, float, float]:
    return (
        limits.null_operations_per_second,
        limits.memory_operations_per_second,
        limits.memory_touched_operations_per_second,
    )
