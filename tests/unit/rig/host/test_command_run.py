"""The folder of a run of a program, where the file system fails."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fsgauge.rig.host.command_run import _found, _own_folder


def test_a_folder_that_cannot_be_reached_is_what_the_run_gave(tmp_path: Path) -> None:
    """It ended the study with an OSError, as nothing above it is opened by a run that is made."""
    with _own_folder(str(tmp_path / "none" / "run")) as refused:
        assert isinstance(refused, FileNotFoundError)


def test_what_is_left_is_what_the_next_run_meets(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with _own_folder(str(tmp_path / "run")) as refused:
        assert isinstance(refused, FileExistsError)


def test_files_that_cannot_be_looked_at_end_no_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "b").write_bytes(b"abcd")
    looked_at = os.stat

    def failing(path: Any, *args: Any, **keys: Any) -> os.stat_result:
        if path == "a":
            raise OSError(5, "Input/output error")
        return looked_at(path, *args, **keys)

    monkeypatch.setattr(os, "stat", failing)
    found = _found(str(tmp_path))
    assert found is not None and (found.files, found.size_bytes) == (2, 4)
