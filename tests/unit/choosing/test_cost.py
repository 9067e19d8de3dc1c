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
    usual = expected_of(Cost(2400, 1000.0, 10**9), systems=100, blocks=24)
    assert usual.runs == 480
    assert usual.seconds == pytest.approx(200)
    assert usual.written_bytes == pytest.approx(200_000_000)
    assert expected_of(Cost(300, 9.0, 3), systems=100, blocks=3).runs == 300
