"""What scaling needs beside the metrics of every study, as samples of the same kind.

Gives `Samples` named `FAIRNESS`, `LAYOUT` (under `ANY_CELL`: it belongs to the turn) and as
`companion_name` says. A writer is a job. Where writers end by themselves (passes), each did the
same work in its own time, so its own rate counts, not its share of operations.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import LoadJob, LoadResult, sides_of
from fsgauge.record.quantiles import QUANTILES
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.stats.histogram import quantile_of
from fsgauge.stats.metrics import Reading, own_rates
from fsgauge.stats.samples import Samples, is_complete


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
