"""Processes: who holds a mount, who belongs to a run, and ending what a dead run left running."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_ROUNDS = 10
RUN_VARIABLE = "FSGAUGE_RUN"
"""Set to a run's token while it lasts, so that every child can be told from other processes."""


@dataclass(frozen=True)
class Process:
    """A process as people know it."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def start_ticks(pid: int) -> int | None:
    """When a process began, in clock ticks after boot; differs where a process ID was reused."""
    found = _stat(pid)
    return int(found[19]) if found else None


def has_ended(pid: int, ticks: int) -> bool:
    """Whether the process that began at `ticks` is gone, or holds nothing any more."""
    return start_ticks(pid) != ticks or not is_running(pid)


def boot_id() -> str:
    """Changes with every boot; empty where it cannot be read."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def processes() -> Iterator[Process]:
    """Every process that can be seen."""
    for pid in _pids():
        yield Process(pid, name_of(pid))


def holders_of(folder: str) -> list[Process]:
    """Processes with a working directory, root or open file at or below `folder`."""
    return [
        Process(pid, name_of(pid))
        for pid in _pids()
        if any(_within(path, folder) for path in _paths_in_use(pid))
    ]


def end_children_of_run(token: str, *, seconds: float = 10.0) -> list[Process]:
    """Kill what a dead run's token marks, and wait until it is gone; gives what was killed."""
    known = set(_own_ancestry())
    ended: list[Process] = []
    for _ in range(_ROUNDS):  # a child may have been starting another one
        found = [Process(pid, name_of(pid)) for pid in _pids_of_run(token) if pid not in known]
        if not found:
            break
        for process in found:
            send(process.pid, signal.SIGKILL)
        known |= {process.pid for process in found}
        ended += found
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(is_running(process.pid) for process in ended):
        time.sleep(0.02)
    return ended


def _pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]


def name_of(pid: int) -> str:
    """What the kernel calls it; "?" for one that is gone."""
    try:
        return (_PROC / str(pid) / "comm").read_text(errors="replace").strip()
    except OSError:
        return "?"


def _paths_in_use(pid: int) -> Iterator[str]:
    base = _PROC / str(pid)
    for link in (base / "cwd", base / "root", *descriptor_links(pid)):
        try:
            yield str(link.readlink())
        except OSError:
            continue


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _pids_of_run(token: str) -> Iterator[int]:
    mark = f"{RUN_VARIABLE}={token}".encode()
    for pid in _pids():
        try:
            environment = (_PROC / str(pid) / "environ").read_bytes()
        except OSError:
            continue
        if mark in environment.split(b"\0"):
            yield pid


def _own_ancestry() -> Iterator[int]:
    pid = os.getpid()
    while pid > 0:
        yield pid
        found = _stat(pid)
        pid = int(found[1]) if found else 0


def send(pid: int, number: signal.Signals) -> None:
    """A signal to a process, which may be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def is_running(pid: int) -> bool:
    """Whether a process still holds anything: a zombie does not."""
    found = _stat(pid)
    return bool(found) and found[0] not in ("Z", "X")


def _stat(pid: int) -> list[str]:
    """/proc/PID/stat behind the name (proc(5), from field 3 on); [] of one that is gone."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def descriptor_links(pid: int) -> Iterator[Path]:
    """The link of each descriptor, below the folder of a thread that has it: once for each thread.
    Nothing of another user's process, or of one that has ended.

    Threads may have tables of their own (unshare(2) with CLONE_FILES), as the engine's have, and
    /proc/PID/fd shows that of the first thread alone.
    """
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return
    for thread in threads:
        with contextlib.suppress(OSError):
            yield from list((thread / "fd").iterdir())
