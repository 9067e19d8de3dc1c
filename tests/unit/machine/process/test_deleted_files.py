"""A file that is deleted while it is open is found with its process; one with a name is not."""

from __future__ import annotations

import os
from pathlib import Path

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
