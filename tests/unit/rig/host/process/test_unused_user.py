"""A user number that nothing on this machine has."""

from __future__ import annotations

import grp
import pwd
from typing import Any

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.host.process import unused_user
from fsgauge.rig.host.process.unused_user import unused_user_id


def test_users_groups_and_processes_keep_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    def only(number: int) -> Any:
        def find(asked: int) -> object:
            if asked != number:
                raise KeyError(asked)
            return object()

        return find

    monkeypatch.setattr(unused_user, "_NUMBERS", range(61184, 61188))
    monkeypatch.setattr(pwd, "getpwuid", only(61184))
    monkeypatch.setattr(grp, "getgrgid", only(61185))
    monkeypatch.setattr(unused_user, "_of_processes", lambda: {61186})
    assert unused_user_id() == 61187
    monkeypatch.setattr(unused_user, "_of_processes", lambda: {61186, 61187})
    with pytest.raises(RigError, match="from 61184 to 61187"):
        unused_user_id()


def test_it_has_no_name_here() -> None:
    with pytest.raises(KeyError):
        pwd.getpwuid(unused_user_id())
