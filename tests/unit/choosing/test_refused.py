"""A race that would wear a device out is refused."""

from __future__ import annotations

import pytest

from fsgauge.choosing.refused import wear
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
