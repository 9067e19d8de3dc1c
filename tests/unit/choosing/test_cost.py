"""A race that would wear a device out is refused."""

from __future__ import annotations

import pytest

from fsgauge.choosing.cost import Cost, expected_of, wear
from fsgauge.errors import InputError
from fsgauge.study.parse import load_study

TB = 10**12


def test_little_is_not_said_much_is_and_too_much_is_refused() -> None:
    study = load_study("mix-mail", storage="device:nvme-X")
    assert wear(study, TB, 59 * TB) == ""
    assert "the whole device 61 times" in wear(study, TB, 61 * TB)
    with pytest.raises(InputError, match="more than it endures"):
        wear(study, TB, 601 * TB)
    assert wear(load_study("mix-mail"), TB, 601 * TB) == ""


def test_a_race_is_expected_to_take_fewer_runs_than_at_worst() -> None:
    """The blocks that confirm are whole in both: 8 of five systems and the baseline again."""
    worst = Cost(24 * 61 + 8 * 6, 1512.0, 10**9)
    usual = expected_of(worst, systems=60, blocks=24, confirm=8)
    assert usual.runs == round(4.8 * 61 + 48) == 341
    assert usual.seconds == pytest.approx(341, abs=1)
    short = Cost(3 * 61 + 48, 231.0, 10)
    assert expected_of(short, systems=60, blocks=3, confirm=8) == short


def test_no_more_is_said_than_fits_into_the_budget() -> None:
    assert Cost(100, 50.0, 1000).within(25.0) == Cost(50, 25.0, 500)
    assert Cost(100, 50.0, 1000).within(60.0) == Cost(100, 50.0, 1000)
