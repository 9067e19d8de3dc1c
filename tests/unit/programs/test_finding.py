"""The engine that is there and cannot be started is not one that is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.programs.finding import ENGINE_VARIABLE, find_engine


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "an engine"
    file.write_text("#!/bin/sh")
    file.chmod(0o644)
    monkeypatch.setenv(ENGINE_VARIABLE, str(file))
    return file


def refused() -> RigError:
    with pytest.raises(RigError) as error:
        find_engine()
    return error.value


def test_one_that_may_not_be_executed(engine: Path) -> None:
    assert refused().next == f"chmod +x '{engine}'"
    engine.chmod(0o755)
    assert find_engine() == engine


def test_one_on_a_file_system_without_programs(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said not to be installed."""
    room = os.statvfs(engine)
    as_noexec = os.statvfs_result((*room[:8], room.f_flag | os.ST_NOEXEC, room.f_namemax))
    monkeypatch.setattr(os, "statvfs", lambda _: as_noexec)
    assert refused().cause == "its file system is mounted noexec"


def test_one_that_is_missing(engine: Path) -> None:
    engine.unlink()
    assert "is not installed" in refused().what
