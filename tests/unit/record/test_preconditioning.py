"""SNIA's window against hand-worked rounds: range and slope, each limit met and missed."""

from __future__ import annotations

import pytest

from fsgauge.record.preconditioning import last_window


def test_equal_rounds_are_steady() -> None:
    window = last_window([100.0] * 5)
    assert window is not None
    assert (window.range_share, window.slope_share) == (0.0, 0.0)
    assert window.is_steady


def test_a_straight_decline_of_ten_percent_is_the_limit() -> None:
    """105 to 95: range 10 % of the mean, the fitted line moves 10 %."""
    window = last_window([105.0, 102.5, 100.0, 97.5, 95.0])
    assert window is not None
    assert window.range_share == pytest.approx(0.10)
    assert window.slope_share == pytest.approx(0.10)
    steeper = last_window([106.0, 103.0, 100.0, 97.0, 94.0])
    assert steeper is not None and not steeper.is_steady


def test_scatter_without_a_trend_is_judged_by_its_range() -> None:
    inside = last_window([91.0, 109.0, 100.0, 109.0, 91.0])
    assert inside is not None and inside.range_share == pytest.approx(0.18) and inside.is_steady
    outside = last_window([89.0, 111.0, 100.0, 111.0, 89.0])
    assert outside is not None and outside.slope_share < 1e-9 and not outside.is_steady


def test_only_the_last_five_count_and_fewer_are_no_window() -> None:
    window = last_window([400.0, 300.0, 200.0, 100.0, 100.0, 100.0, 100.0, 100.0])
    assert window is not None and window.is_steady
    assert last_window([100.0] * 4) is None
    assert last_window([0.0] * 5) is None
