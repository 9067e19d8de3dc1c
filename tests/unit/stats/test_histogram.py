"""Histograms against the true values they were made of."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.record.quantiles import QUANTILES, operations_needed
from fsgauge.stats.histogram import mean_ns, merge, percentile_curve, quantile_ns, quantile_of
from tests.synthetic import histogram_of

LATENCIES = st.dictionaries(
    st.integers(min_value=1, max_value=10**11), st.integers(min_value=1, max_value=500), min_size=1
)


def true_quantile(latencies: dict[int, int], quantile: float) -> int:
    ordered = sorted(latency for latency, count in latencies.items() for _ in range(count))
    return ordered[max(1, math.ceil(quantile * len(ordered) - 1e-9)) - 1]


@given(LATENCIES, st.sampled_from([0.1, 0.5, 0.9, 0.99]))
def test_a_quantile_is_within_one_percent_and_between_the_extremes(
    latencies: dict[int, int], quantile: float
) -> None:
    histogram = histogram_of(latencies)
    found = quantile_ns(histogram, quantile)
    if found is None:
        return
    expected = true_quantile(latencies, quantile)
    assert abs(found - expected) <= 0.01 * expected
    assert histogram.min_ns <= found <= histogram.max_ns


@given(LATENCIES, st.sampled_from([0.1, 0.5, 0.9, 0.99]))
def test_a_quantile_lies_between_the_edges_of_its_bucket(
    latencies: dict[int, int], quantile: float
) -> None:
    found = quantile_of(histogram_of(latencies), quantile)
    if found is None:
        return
    expected = true_quantile(latencies, quantile)
    assert found.low_ns <= expected < found.high_ns
    assert abs(math.log(expected / found.value_ns)) <= found.reach + 1e-12
    if expected >= 128:
        assert found.reach <= 1 / 64


@given(LATENCIES, LATENCIES)
def test_merging_is_addition(left: dict[int, int], right: dict[int, int]) -> None:
    both = {key: left.get(key, 0) + right.get(key, 0) for key in {*left, *right}}
    assert merge([histogram_of(left), histogram_of(right)]) == histogram_of(both)


def test_a_quantile_needs_ten_samples_beyond_it() -> None:
    assert quantile_ns(histogram_of({1000: 999}), 0.99) is None
    assert quantile_ns(histogram_of({1000: 1000}), 0.99) == 1000
    assert quantile_ns(histogram_of({1000: 9_999}), 0.999) is None
    assert quantile_ns(histogram_of({1000: 10_000}), 0.999) is not None


@pytest.mark.parametrize(("name", "quantile"), QUANTILES.items())
def test_as_many_operations_are_asked_for_as_a_quantile_takes(name: str, quantile: float) -> None:
    needed = operations_needed(name)
    assert quantile_of(histogram_of({100: needed}), quantile) is not None
    assert quantile_of(histogram_of({100: needed - 1}), quantile) is None


def test_the_mean_is_exact() -> None:
    assert mean_ns(histogram_of({100_003: 1, 200_001: 3})) == (100_003 + 3 * 200_001) / 4
    assert mean_ns(histogram_of({})) is None


def test_nothing_merges_to_nothing_and_empty_histograms_keep_the_extremes() -> None:
    assert merge([]) is None
    merged = merge([histogram_of({}), histogram_of({70: 2})])
    assert merged is not None
    assert (merged.min_ns, merged.max_ns, merged.operations) == (70, 70, 2)


def test_the_curve_rises_and_stops_where_samples_run_out() -> None:
    curve = percentile_curve(histogram_of({100 + step: 10 for step in range(1000)}))
    latencies = [latency for _, latency in curve]
    assert latencies == sorted(latencies)
    assert curve[-1][0] <= 1 - 10 / 10_000 + 1e-9


def test_what_begins_at_zero_is_known_from_there_up_alone() -> None:
    found = histogram_of({0: 9_900, 100_000: 100})
    assert quantile_ns(found, 0.5) is None
    assert quantile_ns(found, 0.9905) is not None
    assert percentile_curve(found)[0][0] > 0.99
