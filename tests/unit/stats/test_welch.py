"""The interval of two unpaired folders, against scipy's own tests.

The ratio of two sides over sittings: its edges. Rates of errors are in tests/known.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from fsgauge.stats.ratio import ratio_of_blocks
from fsgauge.stats.welch import OF_A_MODEL, Scatter, interval, over_sittings, shift, welch

A = [0.01, -0.02, 0.03, 0.00, 0.015]
B = [0.11, 0.05, 0.16, 0.08, 0.13, 0.02, 0.09]


def test_interval_and_p_are_those_of_scipys_welch_test() -> None:
    found = welch(A, B)
    expected = stats.ttest_ind(B, A, equal_var=False)
    bounds = expected.confidence_interval(0.95)
    assert found is not None and found.low is not None and found.high is not None
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.freedom == pytest.approx(expected.df, rel=1e-9)
    assert math.log(found.low) == pytest.approx(bounds.low, rel=1e-9)
    assert math.log(found.high) == pytest.approx(bounds.high, rel=1e-9)
    assert found.n == 5


@pytest.mark.parametrize(("first", "second"), [(3, 3), (5, 7), (12, 4), (40, 40)])
def test_the_robust_p_is_that_of_scipys_exact_mann_whitney(first: int, second: int) -> None:
    chance = np.random.default_rng(first)
    a, b = chance.normal(0, 1, first), chance.normal(0.4, 1, second)
    expected = stats.mannwhitneyu(b, a, method="exact").pvalue
    assert shift(list(a), list(b)).p == pytest.approx(expected, rel=1e-6)


def test_three_blocks_a_folder_have_no_robust_interval_at_95_percent() -> None:
    assert shift(A[:3], B[:3]).low is None
    assert shift(A[:4], B[:4]).low is not None


def test_one_block_gives_a_ratio_and_no_interval() -> None:
    found = welch([0.0], [0.1, 0.2])
    assert found is not None
    assert (found.low, found.high, found.p, found.n) == (None, None, 1.0, 1)
    assert found.detectable_percent() is None


def test_nothing_against_something_is_no_ratio() -> None:
    assert welch([], B) is None
    assert welch(A, []) is None


def test_blocks_without_any_spread_are_certain() -> None:
    same, other = welch([0.1] * 4, [0.1] * 4), welch([0.0] * 4, [0.1] * 4)
    assert same is not None and other is not None
    assert (same.p, same.low, same.high) == (1.0, 1.0, 1.0)
    assert other.p == 0.0 and other.low == other.high


def test_buckets_keep_equal_values_from_being_certain() -> None:
    found = welch([0.0] * 4, [0.01] * 4, steps=0.01)
    assert found is not None and found.low is not None and found.high is not None
    assert found.low < 1 < found.high


def test_values_that_are_known_to_their_buckets_leave_the_ratio_open_by_both() -> None:
    """All blocks of a folder in one bucket: the interval was 1.010 to 1.010, and "worse"."""
    found = welch([0.0] * 8, [0.01] * 8, reach=0.012)
    assert found is not None and found.low is not None and found.high is not None
    assert math.log(found.low) == pytest.approx(-0.002)
    assert math.log(found.high) == pytest.approx(0.022)
    assert found.p == 1.0 and found.robust.p == 1.0
    assert found.robust.low is not None and found.robust.low < 1
    clear = welch([0.0] * 8, [0.03] * 8, reach=0.012)
    assert clear is not None and clear.p == 0.0 and clear.robust.p < 0.001
    assert clear.low is not None and clear.low > 1


def test_a_wider_level_is_a_wider_interval_around_the_same_ratio() -> None:
    found = welch(A, B)
    assert found is not None and found.error is not None and found.freedom is not None
    low, high = interval(found.ratio, found.error, found.freedom, 0.99)
    assert found.low is not None and found.high is not None
    assert low < found.low < found.ratio < found.high < high
    assert math.sqrt(low * high) == pytest.approx(found.ratio)


def test_the_detectable_effect_is_seen_in_80_of_100() -> None:
    """3000 comparisons, planted at the effect that eight blocks of 3 % are said to show."""
    chance = np.random.default_rng(2)
    error = 0.03 * math.sqrt(2 / 8)
    sample = welch(list(_spread(8)), list(_spread(8)))
    assert sample is not None and sample.error == pytest.approx(error)
    effect = math.log1p((sample.detectable_percent() or 0) / 100)
    seen = [
        stats.ttest_ind(
            chance.normal(effect, 0.03, 8), chance.normal(0, 0.03, 8), equal_var=False
        ).pvalue
        < 0.05
        for _ in range(3000)
    ]
    assert np.mean(seen) == pytest.approx(0.80, abs=0.03)


def _spread(count: int) -> np.ndarray:
    """Values whose sample deviation is exactly 3 %."""
    values = np.linspace(-1, 1, count)
    return values * 0.03 / np.std(values, ddof=1)


def test_noise_beyond_every_number_has_an_interval_all_the_same() -> None:
    """Two short runs of a busy machine in each of two folders: compare ended with OverflowError."""
    low, high = interval(1.0, error=90.0, freedom=1.0, level=0.95)
    assert 0 < low < 1e-100 and 1e100 < high < math.inf
    found = ratio_of_blocks([-200.0, 200.0])
    assert found is not None and found.high is not None and 1e100 < found.high < math.inf


A_OF_SITTINGS = [[0.00, 0.02, -0.01, 0.01], [0.05, 0.04, 0.06, 0.05]]
B_OF_SITTINGS = [[0.10, 0.12, 0.09, 0.13], [0.16, 0.14, 0.15, 0.17]]


def test_one_sitting_a_side_has_no_interval_and_says_what_its_blocks_show() -> None:
    found, blocks = (
        over_sittings(A_OF_SITTINGS[:1], B_OF_SITTINGS[:1]),
        welch(A_OF_SITTINGS[0], B_OF_SITTINGS[0]),
    )
    assert found is not None and blocks is not None and not found.measured
    assert found.ratio == pytest.approx(blocks.ratio)
    assert (found.within_low, found.within_high) == (blocks.low, blocks.high)
    assert (found.low, found.high, found.error, found.p) == (None, None, None, 1.0)


def test_what_is_known_of_sittings_counts_and_never_less_than_blocks_show() -> None:
    a, b = A_OF_SITTINGS[:1], B_OF_SITTINGS
    blocks = welch(a[0], b[0] + b[1])
    wide, narrow = (over_sittings(a, b, known=Scatter(each, 9.0)) for each in (0.2, 0.001))
    model = over_sittings(a, b, known=OF_A_MODEL)
    assert blocks is not None and wide is not None and narrow is not None and model is not None
    assert wide.error == pytest.approx(0.2 * math.sqrt(1 + 1 / 2)) and wide.freedom == 9
    for each in (narrow, model):
        assert (each.error, each.freedom) == (blocks.error, blocks.freedom)
    measured = over_sittings(A_OF_SITTINGS, B_OF_SITTINGS, known=Scatter(0.2, 9.0))
    assert measured == over_sittings(A_OF_SITTINGS, B_OF_SITTINGS)


def test_four_sittings_are_four_values() -> None:
    found = over_sittings(A_OF_SITTINGS, B_OF_SITTINGS)
    means = [[sum(each) / len(each) for each in side] for side in (A_OF_SITTINGS, B_OF_SITTINGS)]
    expected = stats.ttest_ind(means[1], means[0])
    assert found is not None and found.measured
    assert found.p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert found.low is not None and math.log(found.low) == pytest.approx(interval.low)
    assert found.high is not None and math.log(found.high) == pytest.approx(interval.high)


def test_one_new_sitting_stands_against_several_old_ones() -> None:
    found = over_sittings([*A_OF_SITTINGS, A_OF_SITTINGS[0]], B_OF_SITTINGS[:1])
    assert found is not None and found.measured and found.freedom == 2


def test_swapping_the_sides_inverts_the_ratio() -> None:
    for a, b in (
        (A_OF_SITTINGS, B_OF_SITTINGS),
        (A_OF_SITTINGS[:1], B_OF_SITTINGS),
        (A_OF_SITTINGS[:1], B_OF_SITTINGS[:1]),
    ):
        known = Scatter(0.01, 9.0)
        there, back = over_sittings(a, b, known=known), over_sittings(b, a, known=known)
        assert there is not None and back is not None
        assert there.low is not None and back.high is not None
        assert there.ratio * back.ratio == pytest.approx(1)
        assert there.low * back.high == pytest.approx(1)


def test_one_block_has_no_interval_and_none_no_ratio() -> None:
    found = over_sittings([[0.0]], [[0.1, 0.2]])
    assert found is not None and found.low is None and found.p == 1
    assert over_sittings([], B_OF_SITTINGS) is None


def test_what_buckets_leave_open_makes_it_wider() -> None:
    sharp, blunt = (
        over_sittings(A_OF_SITTINGS, B_OF_SITTINGS),
        over_sittings(A_OF_SITTINGS, B_OF_SITTINGS, reach=0.01),
    )
    assert sharp is not None and blunt is not None
    assert sharp.low is not None and blunt.low is not None
    assert blunt.low == pytest.approx(sharp.low * math.exp(-0.01))
    assert blunt.p > sharp.p
