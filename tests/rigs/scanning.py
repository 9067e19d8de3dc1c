"""File systems that are scanned: made, filled, and what is said of them."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from fsgauge.engine.wire import ScanResult
from fsgauge.scan.consequences import consequences
from fsgauge.scan.consequences.rule import Consequence
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, run

KEEP_SIZE, PUNCH_HOLE = 1, 2
LIBC = ctypes.CDLL(None, use_errno=True)


@contextmanager
def mounted(
    make_loop: MakeLoop, folder: Path, mebibytes: int, *mkfs: str, options: str = "rw"
) -> Iterator[tuple[Path, str]]:
    """A file system in use, and its device."""
    need_mkfs(mkfs[0].partition(".")[2])
    point = folder / "mounted"
    point.mkdir(exist_ok=True)
    device = make_loop(mebibytes * MEBIBYTE)
    run(*mkfs, device)
    run("mount", "-o", options, device, str(point))
    try:
        yield point, device
    finally:
        run("umount", str(point))


def allocated(file: int, at: int, length: int, mode: int = 0) -> bool:
    """Whether the kernel gave the room, or took it back."""
    found = LIBC.fallocate(file, mode, ctypes.c_long(at), ctypes.c_long(length))
    return bool(found == 0)


def written(file: int, at: int, length: int) -> bool:
    """The same of ext2 and ext3, which allocate for what is written alone."""
    if ctypes.get_errno() != errno.EOPNOTSUPP:
        return False
    try:
        return os.pwrite(file, bytes(length), at) == length
    except OSError:
        return False


def fill(path: Path, step: int) -> int:
    """A file that takes all room in such steps; its size."""
    file, size = os.open(path, os.O_CREAT | os.O_RDWR), 0
    while allocated(file, size, step) or written(file, size, step):
        size += step
    os.fsync(file)
    os.close(file)
    return size


def use_up_inodes(folder: Path) -> None:
    """Make empty files until there is no room for one more."""
    with pytest.raises(OSError, match="No space left"):
        for number in count():
            (folder / f"f{number}").touch()
    run("sync", "--file-system", str(folder))


def said(scan: ScanResult) -> dict[str, Consequence]:
    return {rule.name: each for rule, each in consequences(scan)}


def as_user(binary: Path, folder: Path, path: Path) -> ScanResult:
    """The engine's scan by a user who owns nothing."""
    copy = folder / "engine"
    shutil.copy(binary, copy)
    copy.chmod(0o755)
    job = {"format": 1, "kind": "scan", "path": str(path)}
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(copy)],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
        timeout=patience(60),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])["result"]
    return ScanResult.model_validate(result)
