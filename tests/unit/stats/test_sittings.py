"""The ratio of two sides over sittings: its edges. Rates of errors are in tests/known."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from fsgauge.stats.sittings import over_sittings
from fsgauge.stats.welch import welch

A = [[0.00, 0.02, -0.01, 0.01], [0.05, 0.04, 0.06, 0.05]]
B = [[0.10, 0.12, 0.09, 0.13], [0.16, 0.14, 0.15, 0.17]]


def test_one_sitting_a_side_is_wider_than_its_blocks_and_says_what_they_show() -> None:
    found, blocks = over_sittings(A[:1], B[:1]), welch(A[0], B[0])
    assert found is not None and blocks is not None and not found.measured
    assert found.ratio == pytest.approx(blocks.ratio)
    assert (found.within_low, found.within_high) == (blocks.low, blocks.high)
    assert found.error is not None and blocks.error is not None
    assert found.error == pytest.approx(blocks.error * math.sqrt(1 + 4))
    assert found.freedom == pytest.approx(blocks.freedom)


def test_four_sittings_are_four_values() -> None:
    found = over_sittings(A, B)
    means = [[sum(each) / len(each) for each in side] for side in (A, B)]
    expected = stats.ttest_ind(means[1], means[0])
    assert found is not None and found.measured
    assert found.p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert found.low is not None and math.log(found.low) == pytest.approx(interval.low)
    assert found.high is not None and math.log(found.high) == pytest.approx(interval.high)


def test_one_new_sitting_stands_against_several_old_ones() -> None:
    found = over_sittings([*A, A[0]], B[:1])
    assert found is not None and found.measured and found.freedom == 2


def test_swapping_the_sides_inverts_the_ratio() -> None:
    for a, b in ((A, B), (A[:1], B), (A[:1], B[:1])):
        there, back = over_sittings(a, b), over_sittings(b, a)
        assert there is not None and back is not None
        assert there.low is not None and back.high is not None
        assert there.ratio * back.ratio == pytest.approx(1)
        assert there.low * back.high == pytest.approx(1)


def test_one_block_has_no_interval_and_none_no_ratio() -> None:
    found = over_sittings([[0.0]], [[0.1, 0.2]])
    assert found is not None and found.low is None and found.p == 1
    assert over_sittings([], B) is None


def test_what_buckets_leave_open_makes_it_wider() -> None:
    sharp, blunt = over_sittings(A, B), over_sittings(A, B, reach=0.01)
    assert sharp is not None and blunt is not None
    assert sharp.low is not None and blunt.low is not None
    assert blunt.low == pytest.approx(sharp.low * math.exp(-0.01))
    assert blunt.p > sharp.p
