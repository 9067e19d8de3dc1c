"""Runs of a curve as points: the rate that each was offered, and the latency that it gave.

Latency counts from the intended start. Operations that were due longer ago than the limit and never
begun have no latency, and are late all the same: the quantile counts them as slower than any other.
A rate that was not served is over any limit; the run's length alone decides how late it was. Where
the queue was not full and the engine had no processor, or was itself most of the work, or stood
still, the engine was late, and the run says nothing of the system.

Of a block's points: where latencies pass the limit, at a rate, or a bound of it. Latency does not
fall as the rate rises, so the logs are fitted by the rising line that is nearest to them (pool
adjacent violators): one run that stalled is averaged with its neighbours. Between the last rate
within the limit and the first one over it, the line is straight in the logs of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from fsgauge.engine.wire import Histogram, LoadResult, sides_of
from fsgauge.record.factors import factors_of
from fsgauge.record.modes import Curve
from fsgauge.record.quantiles import QUANTILES, operations_needed
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.histogram import quantile_of
from fsgauge.stats.metrics import latencies
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
    if due < operations_needed(curve.quantile):
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
    if histogram.operations < operations_needed(curve.quantile):
        return None
    if quantile >= 1:
        return math.inf
    found = quantile_of(histogram, quantile)
    return float(histogram.max_ns) if found is None else found.value_ns


Where = Literal["measured", "above", "below"]
"""The limit was passed between two rates; at none that was offered; at the least of them."""
HIGHEST = 100.0
"""Latencies count as so many limits at most: beyond, a run's length decides them."""


@dataclass(frozen=True)
class Crossing:
    """`rate` is where the limit is passed, or the highest or the least rate that was offered, with
    the latency there."""

    where: Where
    rate: float
    latency_ns: float


@dataclass(frozen=True)
class Line:
    """Logs of rates, ascending, and of the latencies that are fitted to them; one at least."""

    rates: list[float]
    latencies: list[float]

    def at(self, rate: float) -> float | None:
        """The log of the latency at a rate; None where nothing was measured below or above."""
        log = math.log(rate)
        for place, (low, high) in enumerate(pairwise(self.rates)):
            if low <= log <= high:
                share = (log - low) / (high - low) if high > low else 0.0
                return _between(self.latencies[place], self.latencies[place + 1], share)
        return None


def line_of(points: Sequence[Point], limit_ns: int) -> Line | None:
    """The line of points by their rate; None where none says anything."""
    known = [(each.rate, each.latency_ns) for each in points if each.is_known]
    shown = [(rate, min(each, HIGHEST * limit_ns)) for rate, each in known if each is not None]
    if not shown:
        return None
    return Line(
        [math.log(rate) for rate, _ in shown],
        rising([math.log(max(latency_ns, 1.0)) for _, latency_ns in shown]),
    )


def crossing(points: Sequence[Point], limit_ns: int) -> Crossing | None:
    """The crossing of points by their rate; None where none says anything."""
    line = line_of(points, limit_ns)
    if line is None:
        return None
    limit, fitted = math.log(limit_ns), line.latencies
    if fitted[0] > limit:
        return Crossing("below", math.exp(line.rates[0]), math.exp(fitted[0]))
    for at in range(1, len(fitted)):
        if fitted[at] > limit:
            share = (limit - fitted[at - 1]) / (fitted[at] - fitted[at - 1])
            met = _between(line.rates[at - 1], line.rates[at], share)
            return Crossing("measured", math.exp(met), limit_ns)
    return Crossing("above", math.exp(line.rates[-1]), math.exp(fitted[-1]))


def _between(low: float, high: float, share: float) -> float:
    return low + share * (high - low)


def rising(values: Sequence[float]) -> list[float]:
    """The rising numbers that are nearest to these, by least squares."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, number = value, 1
        while pools and pools[-1][0] >= mean:
            before, of = pools.pop()
            mean, number = (before * of + mean * number) / (of + number), of + number
        pools.append((mean, number))
    return [mean for mean, number in pools for _ in range(number)]


def knee(points: Sequence[Point], limit_ns: int) -> float | None:
    """The rate at which rate over latency is highest (Kleinrock's power): beyond it, more load
    costs more in latency than it brings. None of fewer than three points."""
    line = line_of(points, limit_ns)
    if line is None or len(line.rates) < FEWEST_FOR_KNEE:
        return None
    powers = [rate - log for rate, log in zip(line.rates, line.latencies, strict=True)]
    return math.exp(line.rates[powers.index(max(powers))])


FEWEST_FOR_KNEE = 3
