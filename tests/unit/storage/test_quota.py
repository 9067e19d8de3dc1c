"""What a quota leaves counts as free space and free inodes do."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.storage import path as quota
from fsgauge.storage import path as storage_path
from fsgauge.storage.path import Left, free_inodes, left_by_quota, require_usable


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> list[quota._Limits]:
    """An ordinary user's quotas, of itself and of its group."""
    found = [
        quota._Limits(hard_blocks=1000, used_bytes=24_000, hard_inodes=50, used_inodes=45),
        quota._Limits(hard_blocks=500, used_bytes=0),
    ]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(quota, "_limits", lambda _: iter(found))
    return found


def test_the_least_of_user_and_group_and_no_limit_is_none(limited: list[quota._Limits]) -> None:
    assert left_by_quota("/tmp") == Left(500 * 1024, 5)
    limited.clear()
    assert left_by_quota("/tmp") == Left(None, None)


def test_what_is_used_up_leaves_nothing_rather_than_less(limited: list[quota._Limits]) -> None:
    limited[0].used_bytes, limited[0].used_inodes = 1 << 40, 60
    assert left_by_quota("/tmp") == Left(0, 0)


@pytest.mark.usefixtures("limited")
def test_root_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert left_by_quota("/tmp") == Left(None, None)


def test_the_kernel_is_asked_and_where_there_is_none_nothing_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ctypes.sizeof(quota._Limits) == 72, "struct if_dqblk"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert left_by_quota(str(tmp_path / "missing")) == Left(None, None)
    left_by_quota(str(tmp_path))


def test_a_study_that_a_quota_has_no_room_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_path, "left_by_quota", lambda _: Left(10 << 20, 7))
    with pytest.raises(InputError, match="has 10 MiB free") as refused:
        require_usable(str(tmp_path), 16 << 20)
    assert "quota" in refused.value.cause
    assert free_inodes(str(tmp_path)) == 7
    monkeypatch.setattr(storage_path, "left_by_quota", lambda _: Left(None, None))
    require_usable(str(tmp_path), 16 << 20)
