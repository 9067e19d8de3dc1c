"""Storage that cannot be had is refused before anything is made, with what would fit."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.machine.device import loop_devices
from fsgauge.storage import check, loop
from fsgauge.study.model import LoopStorage, PathStorage, RamStorage
from fsgauge.units import parse_size


@pytest.fixture(autouse=True)
def _loops_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_devices, "loops_available", lambda: None)


def suggested_bytes(error: InputError) -> int:
    found = re.search(r"(?::|=)(\d+)([KMGT]iB)", error.next)
    assert found is not None, error.next
    return parse_size(f"{found[1]} {found[2]}")


def test_the_suggestion_for_a_loop_file_fits(tmp_path: Path) -> None:
    free = os.statvfs(tmp_path)
    size = free.f_bavail * free.f_frsize
    with pytest.raises(InputError) as error:
        check(LoopStorage(size=size, directory=str(tmp_path)), None, 0)
    fits = suggested_bytes(error.value)
    assert 0 < fits < size
    check(LoopStorage(size=fits, directory=str(tmp_path)), None, 0)
    assert list(tmp_path.iterdir()) == []


def test_the_suggestion_for_memory_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "available_memory_bytes", lambda: 4 << 30)
    with pytest.raises(InputError) as error:
        check(RamStorage(size=4 << 30), None, 0)
    fits = suggested_bytes(error.value)
    assert fits > 2 << 30
    check(RamStorage(size=fits), None, 0)


def test_the_suggestion_for_a_folder_fits(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        check(PathStorage(path=str(tmp_path), size=1 << 60), None, 0)
    fits = suggested_bytes(error.value)
    check(PathStorage(path=str(tmp_path), size=fits), None, 0)


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for storage in (PathStorage(path=str(gone)), LoopStorage(directory=str(gone))):
        with pytest.raises(InputError, match="there is no folder"):
            check(storage, None, 0)
    assert not gone.exists()


def test_no_loop_driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loop_devices, "loops_available", lambda: "no /dev/loop-control")
    with pytest.raises(RigError) as error:
        check(LoopStorage(directory=str(tmp_path)), None, 0)
    assert "--system /mnt/a --system /mnt/b" in error.value.next


def test_a_loop_file_is_new_private_and_whole(tmp_path: Path) -> None:
    file = tmp_path / "image"
    loop.make_file(file, (1 << 20) + 5, preallocate=True)
    assert file.stat().st_size == 1 << 20
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_blocks * 512 >= 1 << 20
    with pytest.raises(FileExistsError):
        loop.make_file(file, 1 << 20, preallocate=False)
