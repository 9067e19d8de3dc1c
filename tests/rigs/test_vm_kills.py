"""Killed at any moment, nothing of a virtual machine stays; two rigs at once do not meet."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from fsgauge.store import read_results
from tests.rigs.virtual import COMMAND, SMALL, WHOLE, fsgauge, machines

pytestmark = [
    pytest.mark.long,
    pytest.mark.usefixtures("guest"),
]
MOMENTS = 30 if WHOLE else 4
"""Each takes up to twenty seconds of two processors where machines are emulated."""
LATEST_SECONDS = 20.0
"""By then a machine is up, and its first system is being measured."""


def words(place: Path, results: str = "results") -> list[str]:
    (place / "disks").mkdir(exist_ok=True)
    return [
        *(*COMMAND, "run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL, "--quiet"),
        *("--set", f"storage.directory={place / 'disks'}", "--results", str(place / results)),
    ]


@pytest.mark.timeout(3000)
def test_nothing_is_left_at_whatever_moment_it_is_killed(tmp_path: Path) -> None:
    moments = random.Random(21)
    for _ in range(MOMENTS):
        process = subprocess.Popen(words(tmp_path), stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.1, LATEST_SECONDS))
        process.kill()
        process.wait(60)
        ends = time.monotonic() + 60
        while machines(tmp_path) and time.monotonic() < ends:
            time.sleep(0.05)
        assert machines(tmp_path) == []
        assert fsgauge("rig", "list").returncode == 0
        assert list((tmp_path / "disks").iterdir()) == []


@pytest.mark.timeout(1500)
def test_two_rigs_at_once_do_not_meet(tmp_path: Path) -> None:
    at_once = [subprocess.Popen(words(tmp_path, name)) for name in ("first", "second")]
    try:
        assert [each.wait(1200) for each in at_once] == [0, 0]
    finally:
        for each in at_once:
            each.kill()
            each.wait(60)
    for name in ("first", "second"):
        (folder,) = (tmp_path / name).iterdir()
        assert len(read_results(folder).runs) == 6
    assert list((tmp_path / "disks").iterdir()) == []
