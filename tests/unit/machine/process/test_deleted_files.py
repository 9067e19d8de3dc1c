"""A file that is deleted while it is open is found with its process; one with a name is not."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from fsgauge.machine.process.deleted_files import deleted_files


def ours(folder: Path, path: Path) -> list[int]:
    found = deleted_files(folder)
    assert found is not None and found.files >= len(found.largest)
    return [file.process_id for file in found.largest if file.path == str(path)]


def test_only_what_has_no_name_and_is_open_is_found(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as file, os.fdopen(os.dup(file.fileno()), "wb"):
        file.write(bytes(64 << 20))
        file.flush()
        os.fsync(file.fileno())
        assert ours(tmp_path, log) == []
        log.unlink()
        assert ours(tmp_path, log) == [os.getpid()], "once, though two descriptors hold it"
    assert ours(tmp_path, log) == []
    assert deleted_files(tmp_path / "none") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may follow /proc/PID/map_files")
def test_what_is_mapped_is_found_when_no_descriptor_is_left(tmp_path: Path) -> None:
    """As libraries after an update, and databases: lsof calls them DEL."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    path, size = tmp_path / "database", 48 << 20
    with path.open("wb+") as file:
        file.write(bytes(size))
        file.flush()
        os.fsync(file.fileno())
        read, shared = 1, 1
        where = library.mmap(
            None, ctypes.c_size_t(size), read, shared, file.fileno(), ctypes.c_long(0)
        )
    assert where not in (None, ctypes.c_void_p(-1).value)
    try:
        assert ours(tmp_path, path) == []
        path.unlink()
        assert ours(tmp_path, path) == [os.getpid()]
    finally:
        assert library.munmap(ctypes.c_void_p(where), ctypes.c_size_t(size)) == 0
    assert ours(tmp_path, path) == []
