"""The limits that this process is under, and what its CPU quota counts while a run lasts."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterable

from fsgauge.machine.facts import control_groups
from fsgauge.machine.facts.control_groups import Group, throttled_levels
from fsgauge.machine.facts.memory import machine_memory_bytes
from fsgauge.record.limits import USUAL, Limits, Throttled

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
    """Soft limits that are not infinite, by the end of their names."""
    found = {}
    for name in _RESOURCES:
        soft, _ = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
        if soft != resource.RLIM_INFINITY:
            found[name] = soft
    return found
