"""What is computed here because scipy has it without reach, floor or interval is scipy's otherwise.

Values are whole numbers of 1/64, so that ties and zeros are frequent and exact.
"""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fsgauge.stats.ratio import ratio_of_blocks
from fsgauge.stats.verdict import benjamini_hochberg
from fsgauge.stats.welch import shift, welch

PACKAGE = Path(__file__).parents[3] / "python" / "fsgauge"
BLOCKS = st.lists(st.integers(-40, 40).map(lambda steps: steps / 64), min_size=2, max_size=14)
P_VALUES = st.lists(st.floats(0, 1), max_size=30)


def close(expected: float) -> object:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def by_definition(p_values: list[float]) -> list[float]:
    """Benjamini and Hochberg's step-up: the least of p m / rank over all p that are not smaller."""
    ordered = sorted(p_values)
    scaled = [p * len(ordered) / rank for rank, p in enumerate(ordered, 1)]
    return [min(1.0, *scaled[ordered.index(p) :]) for p in p_values]


def test_scipy_stats_is_for_tests() -> None:
    """To import it takes half a second of each command; scipy.special has the functions."""
    found = [path for path in PACKAGE.rglob("*.py") if "from scipy.stats" in path.read_text()]
    assert found == []


@given(P_VALUES)
def test_corrected_p_values_are_those_of_the_definition(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == [close(p) for p in by_definition(p_values)]


@given(BLOCKS, BLOCKS)
def test_the_rank_sum_p_is_that_of_scipy_with_ties(a: list[float], b: list[float]) -> None:
    expected = scipy_stats.mannwhitneyu(a, b, method="exact")
    assert shift(a, b).p == close(float(expected.pvalue))


@given(BLOCKS)
def test_a_ratio_without_reach_is_the_t_test(logs: list[float]) -> None:
    assume(statistics.stdev(logs) > 0)
    expected = scipy_stats.ttest_1samp(logs, 0.0)
    found = ratio_of_blocks(logs)
    assert found is not None
    assert found.p == close(float(expected.pvalue))
    low, high = expected.confidence_interval(0.95)
    assert (found.low, found.high) == (close(math.exp(low)), close(math.exp(high)))


@pytest.mark.filterwarnings("ignore:Precision loss")  # of one set that does not vary
@given(BLOCKS, BLOCKS)
def test_two_sets_without_reach_and_floor_are_the_test_of_welch(
    a: list[float], b: list[float]
) -> None:
    assume(max(statistics.stdev(a), statistics.stdev(b)) > 0)
    expected = scipy_stats.ttest_ind(b, a, equal_var=False)
    found = welch(a, b)
    assert found is not None
    assert found.p == close(float(expected.pvalue))
    assert found.freedom == close(float(expected.df))
    low, high = expected.confidence_interval(0.95)
    assert (found.low, found.high) == (close(math.exp(low)), close(math.exp(high)))
