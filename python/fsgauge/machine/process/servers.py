"""Processes of a server that fsgauge started: which they are, what they use, and ending them.

A server's first process names the server's private folder on its command line and carries the
run's token in its environment: a process that only reads a file in that folder is not taken for it.
All others are in its process group: children that leave the command line behind stay there. It has
no session of its own: where the kernel shares processors by session (sched(7), autogroup), the
engine would have half of them for itself, be woken for every single answer, and halve the
throughput.
"""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from fsgauge.machine.facts.pseudo_files import fields_of, lines_of, text_of
from fsgauge.machine.process.processes import (
    Process,
    is_marked,
    is_running,
    process_of,
    send,
    stat_of,
    words_of,
)
from fsgauge.machine.process.tool import find_tool, run_tool

_PROC = Path("/proc")
_PATIENCE_SECONDS = 5.0
_PAUSE_SECONDS = 0.02
_TICKS = os.sysconf("SC_CLK_TCK")
TICK_NS = 1_000_000_000 // _TICKS
"""How finely the kernel divides processor time into the user's and its own."""
_CLOCK_OF_PROCESS = 2
"""CPUCLOCK_SCHED of the kernel: clock_getcpuclockid(3) makes the same number."""


@dataclass(frozen=True)
class Used:
    """Processor time of a group's processes, those included that they have waited for.

    The sum is exact: by their ticks, hundreds of sessions that each took less than one took none.
    The ticks say how it divides.
    """

    total_ns: int
    user_ticks: int
    system_ticks: int
    processes: int

    def since(self, before: Used) -> Spent:
        total_ns = max(self.total_ns - before.total_ns, 0)
        user = max(self.user_ticks - before.user_ticks, 0)
        system = max(self.system_ticks - before.system_ticks, 0)
        user_ns = total_ns * user // (user + system) if user + system else 0
        return Spent(user_ns=user_ns, system_ns=total_ns - user_ns)


@dataclass(frozen=True)
class Spent:
    user_ns: int
    system_ns: int


@dataclass(frozen=True)
class _Status:
    state: str
    group: int
    user_ticks: int
    system_ticks: int
    children_user_ticks: int
    children_system_ticks: int

    @property
    def children_ns(self) -> int:
        """Of those that it has waited for: one sum, so cut to a tick once."""
        return (self.children_user_ticks + self.children_system_ticks) * TICK_NS

    @property
    def own_ns(self) -> int:
        """Processor time of the process itself, cut to a tick."""
        return (self.user_ticks + self.system_ticks) * TICK_NS


def server_processes(folder: str, token: str) -> list[int]:
    """Living processes of the server of the run `token` whose private folder it is."""
    status = _all()
    mark = folder.rstrip("/").encode()
    groups = {
        each.group
        for pid, each in status.items()
        if token and _names(pid, mark) and is_marked(pid, token)
    }
    groups -= {0, os.getpgrp()}
    return [
        pid
        for pid, each in status.items()
        if each.group in groups and each.state not in "ZX" and pid != os.getpid()
    ]


def end_server(folder: str, token: str) -> tuple[list[Process], list[Process]]:
    """SIGTERM, then SIGKILL to all that is left: what was ended, and what did not end."""
    begun = list(map(process_of, server_processes(folder, token)))
    left = begun
    for ask in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _PATIENCE_SECONDS
        living = server_processes(folder, token)
        for pid in living:
            send(pid, ask)
        while living and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)
            living = [pid for pid in living if is_running(pid)]
        left = list(map(process_of, sorted({*living, *server_processes(folder, token)})))
        if not left:
            break
    return begun, left


def processor_time(group: int) -> Used:
    own = {pid: each for pid, each in _all().items() if each.group == group}
    return Used(
        processes=sum(each.state not in "ZX" for each in own.values()),
        total_ns=sum(_exactly(pid, each) + each.children_ns for pid, each in own.items()),
        user_ticks=sum(each.user_ticks + each.children_user_ticks for each in own.values()),
        system_ticks=sum(each.system_ticks + each.children_system_ticks for each in own.values()),
    )


def group_processes(group: int) -> list[int]:
    return [p for p, each in _all().items() if each.group == group and each.state not in "ZX"]


def children(pid: int) -> list[int]:
    """Children that a process has begun; one file to read, where /proc is made of hundreds."""
    found = text_of(_PROC / str(pid) / "task" / str(pid) / "children") or ""
    return [int(each) for each in found.split()]


def proportional_memory_bytes(pid: int) -> int | None:
    """PSS: pages that several processes share count in parts. None for one that has ended."""
    value = fields_of(_PROC / str(pid) / "smaps_rollup").get("Pss")
    return int(value.split()[0]) << 10 if value else None


def listen_drops(port: int) -> int | None:
    """Connections that a listening socket of this thread's network has turned away, as ss shows it;
    None without ss."""
    if find_tool("ss") is None:
        return None
    said = run_tool(["ss", "-Hltm", f"sport = :{port}"])
    found = re.search(r"skmem:\([^)]*\bd(\d+)\)", said.output)
    return int(found[1]) if found else None


def listen_overflows() -> int | None:
    """TcpExtListenOverflows of this thread's network since it began; None where unknown."""
    lines = lines_of(_PROC / "thread-self/net/netstat")
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
    part = stat_of(pid)
    if len(part) < 15:
        return None
    return _Status(
        state=part[0],
        group=int(part[2]),
        user_ticks=int(part[11]),
        system_ticks=int(part[12]),
        children_user_ticks=int(part[13]),
        children_system_ticks=int(part[14]),
    )


def _exactly(pid: int, status: _Status) -> int:
    """The kernel's clock of a process, threads that ended included; its ticks where it is gone."""
    try:
        return time.clock_gettime_ns((~pid << 3) | _CLOCK_OF_PROCESS)
    except OSError:
        return status.own_ns


def _names(pid: int, mark: bytes) -> bool:
    return any(each == mark or each.startswith(mark + b"/") for each in words_of(pid, "cmdline"))
