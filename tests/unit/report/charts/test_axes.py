"""Ticks of a ratio axis: few, round, inside, with 1 among them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fsgauge.report.charts.axes import ratio_domain, ratio_ticks


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=10))
def test_ticks_are_few_and_hold_one(values: list[float]) -> None:
    low, high = ratio_domain(values)
    assert low <= min(values) and max(values) <= high
    ticks = ratio_ticks(low, high)
    assert 1.0 in ticks and 1 < len(ticks) <= 8
    assert all(low <= tick <= high for tick in ticks)
