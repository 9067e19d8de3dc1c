"""Processes: who holds a mount, who belongs to a run, and ending what a dead run left running."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge.machine.facts.pseudo_files import text_of

_PROC = Path("/proc")
_ROUNDS = 10
_ENDING_SECONDS = 10.0
RUN_VARIABLE = "FSGAUGE_RUN"
"""Set to a run's token while it lasts, so that every child can be told from other processes."""


@dataclass(frozen=True)
class Process:
    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def start_ticks(pid: int) -> int | None:
    """When a process began, in clock ticks after boot; differs where a process ID was reused."""
    found = stat_of(pid)
    return int(found[19]) if found else None


def has_ended(pid: int, ticks: int) -> bool:
    return start_ticks(pid) != ticks or not is_running(pid)


def boot_id() -> str:
    """Changes with every boot; empty where it cannot be read."""
    return text_of(_PROC / "sys/kernel/random/boot_id") or ""


def processes() -> Iterator[Process]:
    yield from map(process_of, _pids())


def holders_of(folder: str) -> list[Process]:
    """Processes with a working directory, root or open file at or below `folder`."""
    return [
        process_of(pid)
        for pid in _pids()
        if any(_within(path, folder) for path in _paths_in_use(pid))
    ]


def end_children_of_run(token: str) -> list[Process]:
    """Kill what a dead run's token marks, and wait until it is gone; gives what was killed."""
    known = set(_own_ancestry())
    ended: list[Process] = []
    for _ in range(_ROUNDS):  # a child may have been starting another one
        found = [process_of(pid) for pid in _pids_of_run(token) if pid not in known]
        if not found:
            break
        for process in found:
            send(process.pid, signal.SIGKILL)
        known |= {process.pid for process in found}
        ended += found
    deadline = time.monotonic() + _ENDING_SECONDS
    while time.monotonic() < deadline and any(is_running(process.pid) for process in ended):
        time.sleep(0.02)
    return ended


def _pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]


def process_of(pid: int) -> Process:
    """By what the kernel calls it; "?" for one that is gone."""
    found = text_of(_PROC / str(pid) / "comm")
    return Process(pid, "?" if found is None else found)


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
    return (pid for pid in _pids() if is_marked(pid, token))


def is_marked(pid: int, token: str) -> bool:
    return f"{RUN_VARIABLE}={token}".encode() in words_of(pid, "environ")


def words_of(pid: int, file: str) -> list[bytes]:
    try:
        return (_PROC / str(pid) / file).read_bytes().split(b"\0")
    except OSError:
        return []


def _own_ancestry() -> Iterator[int]:
    pid = os.getpid()
    while pid > 0:
        yield pid
        found = stat_of(pid)
        pid = int(found[1]) if found else 0


def send(pid: int, number: signal.Signals) -> None:
    """A signal to a process, which may be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def is_running(pid: int) -> bool:
    """Whether a process still holds anything: a zombie does not."""
    found = stat_of(pid)
    return bool(found) and found[0] not in ("Z", "X")


def stat_of(pid: int) -> list[str]:
    """/proc/PID/stat behind the name (proc(5), from field 3 on); [] of one that is gone. Read in
    one call, since servers have hundreds of processes."""
    try:
        with (_PROC / str(pid) / "stat").open("rb", buffering=0) as file:
            return file.read(4096).decode(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


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
