"""Estimates against scipy and against the algebra that ratios must obey."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fsgauge.stats.ratio import deviation_of_steps, ratio_of_blocks

LOGS = st.lists(st.floats(-1, 1, allow_nan=False), min_size=2, max_size=20)


def test_the_interval_and_p_are_those_of_the_t_test() -> None:
    logs = [0.02, -0.05, 0.04, 0.011, 0.07, 0.03]
    expected = scipy_stats.ttest_1samp(logs, 0.0)
    interval = expected.confidence_interval(0.95)
    found = ratio_of_blocks(logs)
    assert found is not None
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(
        (math.exp(interval.low), math.exp(interval.high))
    )


@given(LOGS)
def test_swapping_systems_inverts_the_ratio(logs: list[float]) -> None:
    there, back = ratio_of_blocks(logs), ratio_of_blocks([-log for log in logs])
    assert there is not None and back is not None
    assert there.ratio * back.ratio == pytest.approx(1, rel=1e-12)
    assert there.low is not None and back.high is not None
    assert there.low * back.high == pytest.approx(1, rel=1e-9)
    assert there.p == pytest.approx(back.p)


def test_no_block_is_no_ratio_and_one_block_has_no_interval() -> None:
    assert ratio_of_blocks([]) is None
    one = ratio_of_blocks([math.log(0.9)])
    assert one is not None
    assert (one.ratio, one.low, one.high, one.p) == (pytest.approx(0.9), None, None, 1.0)


def test_steps_of_a_histogram_are_never_taken_for_certainty() -> None:
    """Blocks in the same two buckets agree exactly; that is resolution, not precision.

    With eight blocks, the interval was 0.4 % wide to each side, and buckets are 1.6 % wide.
    """
    for blocks in (3, 8, 100):
        found = ratio_of_blocks([math.log(65 / 64)] * blocks, reach=1 / 64)
        assert found is not None and found.low is not None and found.high is not None
        assert found.low < 1 and found.high > 66 / 64
        assert found.p == 1.0
        assert found.deviation == pytest.approx(deviation_of_steps(1 / 64))


REACHES = st.floats(0, 0.02)


@given(LOGS, REACHES)
def test_what_buckets_leave_open_only_widens(logs: list[float], reach: float) -> None:
    """And as much on both sides; p is that of the possible value that is nearest to 1."""
    sharp, open_ = ratio_of_blocks(logs), ratio_of_blocks(logs, reach=reach)
    assert sharp is not None and open_ is not None
    assert sharp.low is not None and open_.low is not None
    assert sharp.high is not None and open_.high is not None
    assert open_.ratio == sharp.ratio
    assert math.log(sharp.low / open_.low) >= reach - 1e-12
    assert math.log(open_.high / open_.ratio) == pytest.approx(math.log(open_.ratio / open_.low))
    assert open_.p >= sharp.p - 1e-12
    if open_.low > 1 or open_.high < 1:
        assert open_.p <= 0.05 + 1e-9
