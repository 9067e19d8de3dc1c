"""Under what limits a machine's runs are: what control groups, affinity, priority and ulimits leave
them of it, and how often a CPU quota stopped them.

`in_force` is the one list of those that bind, for the first screen, for findings and for
comparisons. Control groups have no name in it: systemd gives each session another.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypeGuard

from pydantic import Field

from fsgauge.plain_files.kept import Kept
from fsgauge.units import format_bandwidth, format_duration, format_size


class Throttled(Kept):
    """What a CPU quota counted: its periods in which there was work, those in which it was used up,
    and for how long processors then stood still, added over processors.
    """

    periods: Annotated[int, Field(ge=0)]
    throttled_periods: Annotated[int, Field(ge=0)]
    throttled_ns: Annotated[int, Field(ge=0)]

    @property
    def share(self) -> float:
        """Of the periods, from 0 to 1."""
        return min(1.0, self.throttled_periods / self.periods) if self.periods else 0.0

    def since(self, before: Throttled) -> Throttled:
        """What was counted since; nothing where the counters began anew."""
        return Throttled(
            periods=max(0, self.periods - before.periods),
            throttled_periods=max(0, self.throttled_periods - before.throttled_periods),
            throttled_ns=max(0, self.throttled_ns - before.throttled_ns),
        )


class IoLimit(Kept):
    """What a control group may do with one device each second; null where nothing limits it."""

    device: str
    read_bytes: int | None = None
    write_bytes: int | None = None
    read_operations: int | None = None
    write_operations: int | None = None


class Limits(Kept):
    """Of the process that measures. Of nested control groups the tightest counts.

    `groups` are its control groups, "memory:/user.slice". `processor_quota` is in processors, 0.5
    for half the time of one; `memory_bytes` what control groups leave of `machine_memory_bytes`,
    page cache included. `resources` are soft limits of getrlimit(2) that are not infinite, in its
    units, by the end of their names: "nofile". `throttled` counts since the group was made.
    """

    groups: list[str]
    processor_quota: float | None
    online_processors: int
    cpuset: str | None
    memory_bytes: int | None
    machine_memory_bytes: int | None
    io: list[IoLimit]
    nice: int
    scheduling: str
    resources: dict[str, int]
    throttled: Throttled | None = None


USUAL = "other"
"""The scheduling policy of a process that asked for none."""
_OF_RESOURCES = {
    "as": ("address space of a process", format_size),
    "data": ("data of a process", format_size),
    "fsize": ("size of a file", format_size),
    "cpu": ("CPU time of a process", lambda seconds: format_duration(seconds * 10**9)),
}
"""Those that no system sets by itself; others (nofile, memlock) are finite everywhere."""
_OF_IO = (
    ("reads", "read_bytes", format_bandwidth),
    ("writes", "write_bytes", format_bandwidth),
    ("reads", "read_operations", lambda count: f"{count} IOPS"),
    ("writes", "write_operations", lambda count: f"{count} IOPS"),
)


def in_force(limits: Limits | None, processors: int, devices: Iterable[str] = ()) -> list[str]:
    """Each limit that binds in words, such as "CPU quota of 0.5 processors"; [] of what was not
    recorded. `processors` may be used, and `devices` are the nodes below the storage.
    """
    if limits is None:
        return []
    found = []
    if limits.processor_quota is not None and limits.processor_quota < processors:
        found.append(f"CPU quota of {limits.processor_quota:.3g} processors")
    if processors < limits.online_processors:
        found.append(f"{processors} of {limits.online_processors} processors")
    if memory_is_limited(limits):
        found.append(f"memory of {format_size(limits.memory_bytes or 0)}")
    below = set(devices)
    found += [
        f"{what} of {each.device} at {words(value)}"
        for each in limits.io
        if each.device in below
        for what, name, words in _OF_IO
        if (value := getattr(each, name)) is not None
    ]
    if limits.nice:
        found.append(f"nice {limits.nice}")
    if limits.scheduling != USUAL:
        found.append(f"scheduling {limits.scheduling}")
    return found + [
        f"{what} of {words(limits.resources[name])}"
        for name, (what, words) in _OF_RESOURCES.items()
        if name in limits.resources
    ]


def memory_is_limited(limits: Limits | None) -> TypeGuard[Limits]:
    """Whether control groups leave less than the machine has."""
    if limits is None or limits.memory_bytes is None:
        return False
    return limits.machine_memory_bytes is None or limits.memory_bytes < limits.machine_memory_bytes
