"""The levels of intervals: what is promised of one, of several, and of all looks at a race."""

from __future__ import annotations

import pytest

from fsgauge.plan.levels import ALPHA, LEVEL, corrected, of_look, shown_from


def test_of_several_each_is_wider_so_that_all_hold() -> None:
    assert corrected(0) == corrected(1) == LEVEL == 0.95
    assert [1 - corrected(number) for number in (2, 20)] == pytest.approx([0.025, 0.0025])


def test_what_comes_so_often_is_missed_by_all_runs_in_one_study_of_twenty() -> None:
    for runs in (8, 24, 59):
        assert (1 - shown_from(runs)) ** runs == pytest.approx(ALPHA)
    assert shown_from(0) == shown_from(1) == LEVEL


def test_all_looks_at_a_race_err_together_as_often_as_one_interval() -> None:
    assert (1 - of_look(10, 59)) / 2 * 10 * 59 == pytest.approx(ALPHA)
    assert (1 - of_look(1, 1)) / 2 == pytest.approx(ALPHA)
    assert of_look(0, 0) == of_look(1, 1)
