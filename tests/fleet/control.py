"""A fleet under control of a test: its hosts' processes by name, and a study in the making."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fleet.conftest import environment_of


class Running:
    """`fsgauge run` as it goes on."""

    def __init__(self, tmp_path: Path, process: subprocess.Popen[str]) -> None:
        self.tmp_path = tmp_path
        self.process = process

    def hosts(self) -> list[int]:
        """Processes of hosts, in the order in which they were started."""
        found = [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdecimal() and _is_host_of(entry, self.process.pid)
        ]
        return sorted(found, key=_started)

    def engines(self) -> list[int]:
        """Engines that these hosts run now."""
        hosts = set(self.hosts())
        return [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdecimal() and _parent(entry) in hosts
        ]

    def wait_until(self, holds: Callable[[], bool], seconds: float = 120.0) -> None:
        """Wait for something; AssertionError with what fsgauge said where it does not come."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if holds():
                return
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)
        raise AssertionError("it did not come")

    def runs(self) -> list[Path]:
        """Records of runs so far."""
        return list(self.tmp_path.glob("results/*/records/*/[0-9]*.json"))


@contextmanager
def running(tmp_path: Path, arguments: list[str], **more: str) -> Iterator[Running]:
    """A study that is being measured; ended with the context, if it still goes on."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fsgauge", *arguments],
        cwd=tmp_path,
        env=environment_of(tmp_path, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Running(tmp_path, process)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()


def _is_host_of(entry: Path, coordinator: int) -> bool:
    try:
        words = (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"fleet-host" in words and _parent(entry) == coordinator


def _parent(entry: Path) -> int:
    return int(_stat(entry)[1])


def _started(pid: int) -> int:
    return int(_stat(Path("/proc") / str(pid))[19])


def _stat(entry: Path) -> list[str]:
    try:
        return (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["Z", "0", *["0"] * 20]


def is_gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return _stat(Path("/proc") / str(pid))[0] in ("Z", "X")
