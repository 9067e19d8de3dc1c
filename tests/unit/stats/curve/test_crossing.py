"""The rate at which a block's latencies pass the limit."""

from __future__ import annotations

import math

import pytest

from fsgauge.stats.curve.crossing import HIGHEST, crossing, knee, rising
from fsgauge.stats.curve.point import Point
from tests.synthetic_curve import make_curve

MS = 1_000_000
LIMIT_NS = 5 * MS
RUN = next(run for run in make_curve(blocks=2).runs if run.cell.pace)


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
