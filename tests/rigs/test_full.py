"""On a file system that fills up: what finds no space ends a load, or is counted apart."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import Engine, EngineFaultError
from fsgauge.engine.wire import LoadJob
from tests.rigs.conftest import MEBIBYTE, run

pytestmark = pytest.mark.root

SPACE_BYTES = 4 * MEBIBYTE
GROWING = {
    "operations": [
        {"operation": "append", "weight": 2},
        {"operation": "create", "weight": 1},
        {"operation": "unlink", "weight": 1},
        {"operation": "read_file", "weight": 1},
    ],
    "file_sizes": {"kind": "cycle", "sizes_bytes": [40_000]},
    "read_percent": 20,
}
"""Each file may become twice as large, and three quarters are taken."""


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB in memory."""
    place = tmp_path / "full"
    place.mkdir()
    run("mount", "-t", "tmpfs", "-o", f"size={SPACE_BYTES}", "tmpfs", str(place))
    yield place
    subprocess.run(["umount", str(place)], check=True)


def load(place: Path, **changes: Any) -> LoadJob:
    target = {"kind": "files", "directory": str(place), "prefix": "f"}
    plain = {
        "format": 1,
        "target": target | {"count": 75, "file_size_bytes": 40_000},
        "interface": "psync",
        "direct": False,
        "access": {"kind": "random"},
        "read_percent": 0,
        "block_sizes": [{"size_bytes": 8192, "weight": 1}],
        "queue_depth": 1,
        "jobs": 1,
        "duration_ns": 300_000_000,
        "interval_ns": 100_000_000,
        "seed": 3,
        "continue_when_full": True,
    }
    return LoadJob.model_validate(plain | changes)


def test_operations_on_names_that_find_no_space_are_counted(engine: Engine, full: Path) -> None:
    job = load(full, **GROWING)
    engine.mix([job], lay_out=True)
    ends = job.model_copy(update={"continue_when_full": False})
    with pytest.raises(EngineFaultError, match="No space left") as fault:
        engine.mix([ends])
    assert "full" in str(fault.value.cause)
    for folder in full.iterdir():
        shutil.rmtree(folder)
    engine.mix([job], lay_out=True)
    (result,) = engine.mix([job])
    by_name = {each.operation: each for each in result.file_operations}
    assert by_name["append"].refused
    assert by_name["read_file"].operations > 0 and not by_name["read_file"].refused
    assert result.write is not None
    assert result.write.refused == sum(each.refused or 0 for each in result.file_operations)


@pytest.mark.parametrize(("interface", "depth"), [("psync", 1), ("io_uring", 4)])
def test_writes_that_find_no_space_are_counted(
    engine: Engine, full: Path, interface: str, depth: int
) -> None:
    target = {"kind": "file", "path": str(full / "sparse"), "size_bytes": 2 * SPACE_BYTES}
    job = load(full, target=target, interface=interface, queue_depth=depth)
    (result,) = engine.mix([job])
    assert result.write is not None
    assert result.write.refused
    assert result.write.size_bytes == 8192 * result.write.operations > 0
    ends = job.model_copy(update={"continue_when_full": False})
    with pytest.raises(EngineFaultError, match=r"(No space left|was short)"):
        engine.mix([ends])
