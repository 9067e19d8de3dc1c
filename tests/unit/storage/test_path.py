"""A folder that cannot be used says why, and what can be."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.storage import path as storage
from fsgauge.storage.path import require_usable

MIB = 1 << 20


def said(folder: Path, size_bytes: int = MIB) -> InputError:
    with pytest.raises(InputError) as refusal:
        require_usable(str(folder), size_bytes)
    return refusal.value


def room(free_bytes: int, flags: int = 0) -> Any:
    return lambda _: SimpleNamespace(f_bavail=free_bytes // 4096, f_frsize=4096, f_flag=flags)


def test_one_that_works(tmp_path: Path) -> None:
    require_usable(str(tmp_path), MIB)


def test_one_that_is_not_there(tmp_path: Path) -> None:
    refused = said(tmp_path / "a b=c")
    assert refused.what == f"there is no folder {tmp_path}/a b=c"
    assert f"mkdir '{tmp_path}/a b=c'" in refused.next


def test_one_that_is_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage.os, "statvfs", room(1 << 30, os.ST_RDONLY))
    refused = said(tmp_path)
    assert "is mounted read-only" in refused.what and "remount,rw" in refused.next


def test_one_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage.os, "access", lambda *_: False)
    refused = said(tmp_path)
    assert "cannot be written by this user" in refused.what
    assert "a folder of your own" in refused.next


def test_one_with_less_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage.os, "statvfs", room(100 * MIB))
    assert said(tmp_path, 200 * MIB).next == "--set storage.size=90MiB"
    require_usable(str(tmp_path), 90 * MIB)


def test_one_with_too_little_room_for_any_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said --set storage.size=2MiB, and a storage has 16 MiB at least."""
    monkeypatch.setattr(storage.os, "statvfs", room(3 * MIB))
    refused = said(tmp_path, 200 * MIB)
    assert "--set" not in refused.next and "free some space" in refused.next


def test_one_whose_server_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stale(_: Path) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    monkeypatch.setattr(storage.os, "statvfs", stale)
    refused = said(tmp_path)
    assert "cannot be looked at" in refused.what and "server" in refused.cause


def test_one_of_another_user_s_fuse_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(storage.os, "statvfs", closed)
    assert "to root too" in said(tmp_path).cause
