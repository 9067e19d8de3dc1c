"""A run as a point: what waits and is never begun counts, and a late engine says nothing."""

from __future__ import annotations

import math

import pytest

from fsgauge.engine.wire import OperationResult
from fsgauge.record.modes import Curve
from fsgauge.record.records import RunRecord
from fsgauge.stats.curve.point import Point, points_of
from tests.synthetic import histogram_of
from tests.synthetic.setting import with_result
from tests.synthetic_curve import Queue, make_curve

MS = 1_000_000
CURVE = Curve(limit_ns=5 * MS, quantile="p99")
MADE = make_curve({"ext4": Queue(50_000.0), "xfs": Queue(200_000.0, offers=60_000.0)}, blocks=2)
PACED = [run for run in MADE.runs if run.cell.pace and run.system == "ext4"]
RUN = min(PACED, key=lambda run: run.cell.pace.rate if run.cell.pace else 0.0)


def with_reads(run: RunRecord, latencies_ns: dict[int, int], dropped: int = 0) -> RunRecord:
    result = run.result
    assert result is not None
    found = histogram_of(latencies_ns)
    read = OperationResult(
        operations=found.operations,
        size_bytes=found.operations * 4096,
        errors=0,
        service_latency=found,
        response_latency=found,
        backlog_dropped=dropped,
    )
    return with_result(run, result.model_copy(update={"read": read}))


def point(run: RunRecord) -> Point:
    (found,) = points_of([run], CURVE)
    return found


def operations(run: RunRecord) -> int:
    assert run.result is not None and run.result.read is not None
    return run.result.read.operations


def test_latency_is_the_response_s_quantile() -> None:
    of = operations(RUN)
    slow = of // 50
    found = point(with_reads(RUN, {MS: of - slow, 3 * MS: slow}))
    assert found.latency_ns == pytest.approx(3 * MS, rel=0.02)
    assert found.is_known and not found.is_over(CURVE.limit_ns)


def test_operations_that_were_never_begun_count_as_the_slowest() -> None:
    """Of all, 0.8 % took 9 ms and another 2 % waited longer than the limit and were dropped."""
    of = operations(RUN)
    slow = round(0.008 * of)
    kept = {MS: of - slow, 9 * MS: slow}
    within = with_reads(RUN, kept)
    assert point(within).latency_ns == pytest.approx(MS, rel=0.02)
    waiting = round(5e-3 * RUN.cell.pace.rate) if RUN.cell.pace else 0
    dropped = with_reads(RUN, kept, dropped=waiting + round(0.02 * of))
    assert point(dropped).latency_ns == math.inf


def test_what_was_due_within_the_limit_when_the_run_ended_is_not_late() -> None:
    of = operations(RUN)
    waiting = round(5e-3 * RUN.cell.pace.rate) if RUN.cell.pace else 0
    found = point(with_reads(RUN, {MS: of}, dropped=waiting))
    assert found.latency_ns == pytest.approx(MS, rel=0.02)


def test_a_rate_that_is_not_served_is_over_any_limit() -> None:
    highest = max(PACED, key=lambda run: run.cell.pace.rate if run.cell.pace else 0.0)
    found = point(highest)
    assert found.latency_ns == math.inf and found.is_over(10**18) and not found.is_late


def test_a_rate_that_a_starved_engine_could_not_offer_says_nothing() -> None:
    of_xfs = [run for run in MADE.runs if run.cell.pace and run.system == "xfs"]
    late = [each for each in points_of(of_xfs, CURVE) if each.rate > 65_000]
    assert late and all(each.is_late and not each.is_known for each in late)


def test_too_few_operations_for_the_quantile_say_nothing() -> None:
    few = [run for run in make_curve(blocks=2, duration_s=0.01).runs if run.cell.pace]
    found = points_of(few, CURVE)
    assert found and any(each.latency_ns is None for each in found)


def test_a_rate_of_too_few_operations_says_nothing_whatever_came_of_it() -> None:
    """A few of them that were late by chance are no sign of a system."""
    assert RUN.cell.pace is not None and RUN.result is not None
    rate = 999e9 / RUN.result.elapsed_ns
    pace = RUN.cell.pace.model_copy(update={"rate": rate})
    slow = RUN.model_copy(update={"cell": RUN.cell.model_copy(update={"pace": pace})})
    assert point(with_reads(slow, {MS: 10}, dropped=500)).latency_ns is None
