"""Estimates put over one another and in other units."""

from __future__ import annotations

from fsgauge.stats.estimate import Estimate, over_unpaired

AGED = Estimate(value=3.0, low=2.0, high=4.0, n=6)
FRESH = Estimate(value=1.5, low=1.0, high=2.0, n=4)


def test_an_unpaired_ratio_spans_all_that_both_intervals_allow() -> None:
    assert over_unpaired(AGED, FRESH) == Estimate(value=2.0, low=1.0, high=4.0, n=4)


def test_without_both_intervals_an_unpaired_ratio_has_none() -> None:
    alone = FRESH.model_copy(update={"low": None, "high": None})
    for ratio in (over_unpaired(AGED, alone), over_unpaired(alone, AGED)):
        assert (ratio.low, ratio.high) == (None, None)


def test_another_unit_leaves_the_interval_as_wide_as_it_was() -> None:
    assert AGED.in_units_of(2.0) == Estimate(value=1.5, low=1.0, high=2.0, n=6)
    alone = Estimate(value=3.0, low=None, high=None, n=1)
    assert alone.in_units_of(3.0) == Estimate(value=1.0, low=None, high=None, n=1)
