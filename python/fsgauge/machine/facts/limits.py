"""The limits that this process is under, the memory that it may use, and what takes memory away
although none is asked for.

Pages of the page cache count in a control group's memory. A limit of addresses (ulimit -v) is none
of memory: neither the page cache nor a file system in memory counts in it.
DAMON watches which pages are used, and its scheme "pageout" reclaims those that were not for a
while: pages of the page cache are dropped, files in memory are swapped out. A hypervisor that gets
reports of free pages takes them until they are touched again. Both make memory slow that a test
finds there, or does not find.
Source: Documentation/admin-guide/mm/damon/usage.rst and reclaim.rst, Linux 6.12.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterable
from pathlib import Path

from fsgauge.machine.facts import control_groups
from fsgauge.machine.facts.control_groups import (
    Group,
    memory_left_bytes,
    memory_limit_bytes,
    own_groups,
    throttled_levels,
)
from fsgauge.machine.facts.pseudo_files import fields_of, text_of
from fsgauge.record.limits import USUAL, Limits, Throttled


def _meminfo_bytes(key: str) -> int | None:
    value = fields_of("/proc/meminfo").get(key)
    return None if value is None else int(value.split()[0]) * 1024


def machine_memory_bytes() -> int | None:
    return _meminfo_bytes("MemTotal")


def total_memory_bytes() -> int | None:
    """All memory, or what the control groups allow if that is less."""
    total, group = machine_memory_bytes(), _own_group()
    limit = memory_limit_bytes(group) if group else None
    return total if total is None or limit is None else min(total, limit)


def available_memory_bytes() -> int | None:
    """What can be used without swapping, or None when it is not known."""
    available, group = _meminfo_bytes("MemAvailable"), _own_group()
    bounds = [memory_left_bytes(group), memory_limit_bytes(group)] if group else []
    known = [bound for bound in bounds if bound is not None]
    return None if available is None else min([available, *known])


def _own_group() -> Group | None:
    try:
        return own_groups().get("memory")
    except OSError:
        return None


_KDAMONDS = Path("/sys/kernel/mm/damon/admin/kdamonds")
_RECLAIM = Path("/sys/module/damon_reclaim/parameters/enabled")


def reclaimer(kdamonds: Path = _KDAMONDS, reclaim: Path = _RECLAIM) -> str | None:
    """The file that turns it off, by writing off or N to it; None where nothing reclaims."""
    for state in sorted(kdamonds.glob("[0-9]*/state")):
        actions = state.parent.glob("contexts/*/schemes/*/action")
        if text_of(state) == "on" and any(text_of(action) == "pageout" for action in actions):
            return str(state)
    return str(reclaim) if text_of(reclaim) == "Y" else None


_POLICIES = {
    os.SCHED_OTHER: USUAL,
    os.SCHED_BATCH: "batch",
    os.SCHED_IDLE: "idle",
    os.SCHED_FIFO: "fifo",
    os.SCHED_RR: "rr",
}
_RESOURCES = ("as", "data", "fsize", "cpu", "nofile", "nproc", "memlock")


def capture_limits(missing: dict[str, str]) -> Limits:
    """All of them now; why some are not known is added to `missing`, by "limits.cpu"."""
    groups = _groups(missing)
    for name, group in groups.items():
        closed = control_groups.closed_files(group)
        if closed:
            missing[f"limits.{name}"] = f"this user may not read {closed[0]}"
    cpu, memory, io = (groups.get(name) for name in ("cpu", "memory", "io"))
    own_set = groups.get("cpuset")
    policy = os.sched_getscheduler(0)
    return Limits(
        groups=[f"{name}:{group.name}" for name, group in groups.items()],
        processor_quota=control_groups.processor_quota(cpu) if cpu else None,
        online_processors=os.cpu_count() or len(os.sched_getaffinity(0)),
        cpuset=control_groups.cpuset(own_set) if own_set else None,
        memory_bytes=control_groups.memory_limit_bytes(memory) if memory else None,
        machine_memory_bytes=machine_memory_bytes(),
        io=control_groups.io_limits(io) if io else [],
        nice=os.getpriority(os.PRIO_PROCESS, 0),
        scheduling=_POLICIES.get(policy, f"policy {policy}"),
        resources=_resources(),
        throttled=_most(throttled_levels(cpu).values()) if cpu else None,
    )


def watch_throttling() -> Callable[[], Throttled | None]:
    """Read the counters of the CPU quota now; what is given reads them again and says what lay
    between, of the level that was stopped most. None where no group has a quota."""
    cpu = _groups({}).get("cpu")
    before = throttled_levels(cpu) if cpu else {}

    def between() -> Throttled | None:
        after = throttled_levels(cpu) if cpu and before else {}
        return _most(after[level].since(before[level]) for level in before if level in after)

    return between


def _most(levels: Iterable[Throttled]) -> Throttled | None:
    return max(levels, key=lambda each: (each.throttled_periods, each.periods), default=None)


def _groups(missing: dict[str, str]) -> dict[str, Group]:
    try:
        return control_groups.own_groups()
    except OSError as error:
        missing["limits.groups"] = str(error)
        return {}


def _resources() -> dict[str, int]:
    found = {}
    for name in _RESOURCES:
        soft, _ = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
        if soft != resource.RLIM_INFINITY:
            found[name] = soft
    return found
