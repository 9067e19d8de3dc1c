"""Processes of a server that fsgauge started: which they are, what they use, and ending them.

A server has a private folder, whose path stands on the command line of its first process, and a
process group of its own: children that leave the command line behind stay in the group. It has no
session of its own: where the kernel shares processors by session (sched(7), autogroup), the engine
would have half of them for itself, be woken for every single answer, and halve the throughput.
"""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from fsgauge.host.processes import Process
from fsgauge.host.tool import find_tool, run_tool

_PROC = Path("/proc")
_PATIENCE_SECONDS = 5.0
_PAUSE_SECONDS = 0.02
_TICKS = os.sysconf("SC_CLK_TCK")
TICK_NS = 1_000_000_000 // _TICKS
"""How fine the kernel tells processor time."""


@dataclass(frozen=True)
class Used:
    """Processor time of a group's processes, those included that they have waited for."""

    processes: int
    user_ns: int
    system_ns: int

    @property
    def total_ns(self) -> int:
        """Both."""
        return self.user_ns + self.system_ns


@dataclass(frozen=True)
class _Status:
    name: str
    state: str
    group: int
    user_ticks: int
    system_ticks: int


def server_processes(folder: str) -> list[int]:
    """Living processes of the server whose private folder it is."""
    status = _all()
    mark = folder.rstrip("/").encode()
    groups = {each.group for pid, each in status.items() if _names(pid, mark)}
    groups -= {0, os.getpgrp()}
    return [
        pid
        for pid, each in status.items()
        if each.group in groups and each.state not in "ZX" and pid != os.getpid()
    ]


def end_server(folder: str) -> tuple[list[Process], list[Process]]:
    """SIGTERM, then SIGKILL to all that is left: what was ended, and what did not end."""
    begun = _described(server_processes(folder))
    for ask in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _PATIENCE_SECONDS
        living = server_processes(folder)
        for pid in living:
            _signal(pid, ask)
        while living and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)
            living = [pid for pid in living if _lives(pid)]
        if not server_processes(folder):
            return begun, []
    return begun, _described(server_processes(folder))


def processor_time(group: int) -> Used:
    """What a group's processes have used, with the children that have ended."""
    own = [each for each in _all().values() if each.group == group]
    return Used(
        processes=sum(each.state not in "ZX" for each in own),
        user_ns=sum(each.user_ticks for each in own) * TICK_NS,
        system_ns=sum(each.system_ticks for each in own) * TICK_NS,
    )


def group_processes(group: int) -> list[int]:
    """Living processes of a process group."""
    return [p for p, each in _all().items() if each.group == group and each.state not in "ZX"]


def children_of(pid: int) -> int:
    """How many children a process has; one file to read, where /proc is made of hundreds."""
    try:
        return len((_PROC / str(pid) / "task" / str(pid) / "children").read_bytes().split())
    except OSError:
        return 0


def proportional_memory_bytes(pid: int) -> int | None:
    """PSS: pages that several processes share count in parts. None for one that has ended."""
    try:
        text = (_PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return None
    line = next((each for each in text.splitlines() if each.startswith("Pss:")), "")
    return int(line.split()[1]) << 10 if line else None


def listen_drops(port: int) -> int | None:
    """Connections that a listening socket has turned away, as ss shows it; None without ss."""
    if find_tool("ss") is None:
        return None
    said = run_tool(["ss", "-Hltm", f"sport = :{port}"])
    found = re.search(r"skmem:\([^)]*\bd(\d+)\)", said.output)
    return int(found[1]) if found else None


def listen_overflows() -> int | None:
    """TcpExtListenOverflows of this machine since it started; None where unknown."""
    try:
        lines = (_PROC / "net/netstat").read_text().splitlines()
    except OSError:
        return None
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        if names.startswith("TcpExt:"):
            found = dict(zip(names.split(), values.split(), strict=False))
            return int(found.get("ListenOverflows", 0))
    return None


def _all() -> dict[int, _Status]:
    found = {}
    for entry in os.scandir(_PROC):
        if entry.name.isdecimal() and (status := _status(int(entry.name))) is not None:
            found[int(entry.name)] = status
    return found


def _status(pid: int) -> _Status | None:
    """proc(5): fields 3, 5, and 14 to 17 (user, system, and those of children waited for)."""
    try:
        with (_PROC / str(pid) / "stat").open("rb", buffering=0) as file:
            text = file.read(4096).decode(errors="replace")
    except OSError:
        return None
    head, _, tail = text.rpartition(")")
    part = tail.split()
    if len(part) < 15:
        return None
    return _Status(
        name=head.partition("(")[2],
        state=part[0],
        group=int(part[2]),
        user_ticks=int(part[11]) + int(part[13]),
        system_ticks=int(part[12]) + int(part[14]),
    )


def _names(pid: int, mark: bytes) -> bool:
    """Whether a process was started with the folder, or a file in it, among its arguments."""
    try:
        arguments = (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(each == mark or each.startswith(mark + b"/") for each in arguments)


def _described(pids: list[int]) -> list[Process]:
    found = []
    for pid in pids:
        status = _status(pid)
        found.append(Process(pid, status.name if status else "?"))
    return found


def _lives(pid: int) -> bool:
    status = _status(pid)
    return status is not None and status.state not in "ZX"


def _signal(pid: int, ask: signal.Signals) -> None:
    try:
        os.kill(pid, ask)
    except ProcessLookupError:
        return
