"""A run as a point: what waits and is never begun counts, and a late engine says nothing."""

from __future__ import annotations

import math

import pytest

from fsgauge.engine.wire import OperationResult
from fsgauge.record.modes import Curve
from fsgauge.record.records import RunRecord
from fsgauge.stats.curve.point import HIGHEST, Point, crossing, knee, points_of, rising
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


LIMIT_NS = 5 * MS


def points(*pairs: tuple[float, float | None], late: tuple[float, ...] = ()) -> list[Point]:
    return [Point(rate, None if ms is None else ms * MS, rate in late, RUN) for rate, ms in pairs]


def test_between_two_rates_the_line_is_straight_in_logs() -> None:
    found = crossing(points((100, 1.0), (200, 2.5), (400, 10.0)), LIMIT_NS)
    assert found is not None and found.where == "measured"
    assert found.rate == pytest.approx(math.sqrt(200 * 400))


def test_the_first_rate_over_the_limit_is_below_every_answer() -> None:
    found = crossing(points((100, 7.0), (200, 9.0)), LIMIT_NS)
    assert found is not None
    assert (found.where, found.rate, found.latency_ns) == (
        "below",
        pytest.approx(100),
        pytest.approx(7 * MS),
    )


def test_a_limit_that_no_rate_passes_is_above_them() -> None:
    found = crossing(points((100, 1.0), (200, 2.0)), LIMIT_NS)
    assert found is not None and (found.where, found.rate) == ("above", pytest.approx(200))


def test_a_rate_that_was_not_served_counts_as_a_bounded_latency() -> None:
    found = crossing(points((100, 1.0), (200, math.inf)), LIMIT_NS)
    assert found is not None and found.where == "measured"
    share = math.log(5) / math.log(HIGHEST * 5)
    assert found.rate == pytest.approx(100 * 2**share)


def test_one_stalled_run_is_averaged_with_its_neighbours() -> None:
    calm = points((100, 1.0), (200, 1.0), (300, 1.0), (400, 1.0), (500, 2.0), (600, 20.0))
    stalled = points((100, 1.0), (200, 30.0), (300, 1.0), (400, 1.0), (500, 2.0), (600, 20.0))
    before, after = crossing(calm, LIMIT_NS), crossing(stalled, LIMIT_NS)
    assert before is not None and after is not None
    assert after.rate == pytest.approx(before.rate, rel=0.03)


def test_runs_that_say_nothing_are_in_no_line() -> None:
    known = crossing(points((100, 1.0), (200, 10.0)), LIMIT_NS)
    more = points((50, None), (100, 1.0), (150, 90.0), (200, 10.0), late=(150,))
    assert crossing(more, LIMIT_NS) == known
    assert crossing(points((50, None)), LIMIT_NS) is None


def test_rising_pools_what_falls() -> None:
    assert rising([1.0, 3.0, 2.0, 4.0]) == [1.0, 2.5, 2.5, 4.0]
    assert rising([3.0, 2.0, 1.0]) == [2.0, 2.0, 2.0]


def test_the_knee_is_where_rate_over_latency_is_highest() -> None:
    curve = points((100, 1.0), (200, 1.2), (300, 1.5), (400, 4.0), (500, 50.0))
    assert knee(curve, LIMIT_NS) == pytest.approx(300)
    assert knee(curve[:2], LIMIT_NS) is None
