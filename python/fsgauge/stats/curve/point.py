"""One run of a curve as a point: the rate that it was offered, and the latency that it gave.

Latency counts from the intended start. Operations that were due longer ago than the limit and never
begun have no latency, and are late all the same: the quantile counts them as slower than any other.
A rate that was not served is over any limit; the run's length alone decides how late it was. Where
the queue was not full and the engine had no processor, or was itself most of the work, or stood
still, the engine was late, and the run says nothing of the system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import Histogram, LoadResult, sides_of
from fsgauge.record.factors import factors_of
from fsgauge.record.modes import Curve
from fsgauge.record.records import Cell, RunRecord
from fsgauge.record.series import SAMPLES_BEYOND
from fsgauge.stats.histogram import quantile_of
from fsgauge.stats.metrics import QUANTILES, latencies
from fsgauge.stats.run_checks import (
    FULL_QUEUE,
    done_at_pace,
    engine_heavy,
    operations,
    paused,
    rate_missed,
    starved,
)
from fsgauge.stats.samples import is_complete


@dataclass(frozen=True)
class Point:
    """`latency_ns` is infinite where the rate was not served, None where a run had too few
    operations for the quantile. `is_late`: the engine could not offer the rate."""

    rate: float
    latency_ns: float | None
    is_late: bool
    run: RunRecord

    @property
    def is_known(self) -> bool:
        """Whether it says something of the system."""
        return self.latency_ns is not None and not self.is_late

    def is_over(self, limit_ns: int) -> bool:
        return self.is_known and (self.latency_ns or 0.0) > limit_ns


def operation_of(cell: Cell) -> str:
    """What the limit is of, by its name in a result."""
    return factors_of(cell).waited_for


def operations_needed(curve: Curve) -> int:
    """The fewest operations of a run that its quantile is read from."""
    return math.ceil(SAMPLES_BEYOND / (1 - QUANTILES[curve.quantile]) - 1e-6)


def share_waited_for(run: RunRecord, result: LoadResult) -> float:
    """Of all operations of a run, those that the limit is of. A commit is a write here."""
    found = latencies(result).get(operation_of(run.cell))
    if found is None:
        found = result.write.service_latency if result.write is not None else None
    waited, of = found.operations if found is not None else 0, operations(result)
    return waited / of if waited and of else 1.0


def points_of(runs: Sequence[RunRecord], curve: Curve) -> list[Point]:
    """The points of runs at a pace that were measured to their end, by rate."""
    found = (_point(run, run.result, curve) for run in runs if run.cell.pace and is_complete(run))
    return sorted(filter(None, found), key=lambda each: each.rate)


def _point(run: RunRecord, result: LoadResult | None, curve: Curve) -> Point | None:
    if result is None or run.cell.pace is None or not result.elapsed_ns:
        return None
    rate = run.cell.pace.rate
    is_missed = rate_missed(run, result) is not None
    is_late = is_missed and _engine_was_late(run, result)
    latency_ns = math.inf if is_missed else _latency_ns(run, result, rate, curve)
    due = rate * result.elapsed_ns / 1e9 if result.clients is None else done_at_pace(result)
    if due < operations_needed(curve):
        latency_ns = None  # a few that come late by chance are no sign of a system
    return Point(rate, latency_ns, is_late, run)


def _engine_was_late(run: RunRecord, result: LoadResult) -> bool:
    """Whether operations waited for the engine, and neither for a place in the queue nor for calls
    that do their work before they return."""
    if paused(run, result):
        return True
    depth = run.load.queue_depth if run.load is not None else 1
    calls_ns = result.sync.latency.sum_ns if result.sync is not None else 0
    in_flight = result.in_flight_mean + depth * calls_ns / result.elapsed_ns
    is_full = in_flight >= FULL_QUEUE * depth * len(result.jobs)
    return not is_full and bool(starved(run, result) or engine_heavy(run, result))


def _latency_ns(run: RunRecord, result: LoadResult, rate: float, curve: Curve) -> float | None:
    histogram = latencies(result).get(operation_of(run.cell))
    if histogram is None or not histogram.operations:
        return None
    dropped = sum(side.backlog_dropped for side in sides_of(result))
    over = max(0.0, dropped - rate * curve.limit_ns / 1e9)
    return _with_unbegun(histogram, over / done_at_pace(result), curve)


def _with_unbegun(histogram: Histogram, unbegun: float, curve: Curve) -> float | None:
    """The quantile of these operations and of a share `unbegun` of as many, slower than all."""
    quantile = QUANTILES[curve.quantile] * (1 + unbegun)
    if histogram.operations < operations_needed(curve):
        return None
    if quantile >= 1:
        return math.inf
    found = quantile_of(histogram, quantile)
    return float(histogram.max_ns) if found is None else found.value_ns
