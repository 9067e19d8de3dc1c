"""What a run measured: a part for each machine, in it a slice for each stretch of measured time.

A run in one go has one part with one slice. A rig of several machines has a part for each of them;
one that measures systems by turns, a little of each at a time, has several slices in each run.
Whoever reads numbers reads what `fsgauge.record.merging` makes of them. Of a private server there
is what was seen of it around the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from fsgauge.engine.wire import LoadResult
from fsgauge.plain_files.kept import Kept
from fsgauge.record.limits import Throttled


class Slice(Kept):
    """One call of the engine: a warm-up, then a measured window.

    It began `start_ns` after its run did, on its machine's clock, and the times in `result` count
    from there: it measured for `result.elapsed_ns` from `start_ns` + `result.warm_up_ns`.
    `sync_ns` is what it then took to write back what the slice had left; it counts as the slice's
    time. None where nothing was synced at its cost. `throttled` is what the CPU quota of its
    process counted meanwhile; None where there is none.
    """

    start_ns: Annotated[int, Field(ge=0)]
    result: LoadResult
    sync_ns: Annotated[int, Field(ge=0)] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    throttled: Throttled | None = Field(default=None, exclude_if=lambda value: value is None)


class Part(Kept):
    """What one machine did of a run, in order of time. `machine` is its name."""

    machine: str
    slices: Annotated[list[Slice], Field(min_length=1)]


def in_one(
    machine: str, result: LoadResult | None, throttled: Throttled | None = None
) -> list[Part]:
    """The parts of a run that one machine measured in one go; none of a run that failed."""
    if result is None:
        return []
    slice_ = Slice(start_ns=0, result=result, throttled=throttled)
    return [Part(machine=machine, slices=[slice_])]


class MachineStart(Kept):
    """One machine's start. Times count from the common moment at which all were to begin, by the
    clock of the machine that gave it; each is wrong by `bound_ns` at most.

    `late_ns` is when its first thread began, `last_late_ns` its last one, `ended_ns` when its last
    operation had ended. `round_trip_ns` is the fastest between the two clocks.
    """

    machine: str
    late_ns: int
    last_late_ns: int
    ended_ns: int
    bound_ns: Annotated[int, Field(ge=0)]
    round_trip_ns: Annotated[int, Field(ge=0)]
    real_time: bool
    spun: bool


def skew_ns(starts: Sequence[MachineStart]) -> int:
    """Between the first machine's start and the last one's."""
    return max(each.late_ns for each in starts) - min(each.late_ns for each in starts)


def skew_bound_ns(starts: Sequence[MachineStart]) -> int:
    """The most that the true skew can be: the measured one, and what two clocks may be wrong."""
    widest = sorted((each.bound_ns for each in starts), reverse=True)[:2]
    return skew_ns(starts) + (sum(widest) if len(starts) > 1 else 0)


class DiskDone(Kept):
    """What one disk of the virtual rig did in a run, in the unit of its counter, of what its limit
    counts: reads and writes, and no flushes. `limit_per_second` is that limit; 0 where it has
    none."""

    count: int
    limit_per_second: int


class Traffic(Kept):
    """What one counter of a system's layers counted while the engine ran, part by part: the NFS
    operations by name, bytes sent and received. Of several machines, their sum."""

    name: str
    title: str
    unit: str
    parts: dict[str, int]
    of_disks: dict[str, DiskDone] = Field(default={}, exclude_if=lambda value: not value)
    """The same disk by disk, by machine and serial: each has a limit of its own."""

    @property
    def count(self) -> int:
        return sum(self.parts.values())


class DeviceRun(Kept):
    """What the device `name` completed while the engine ran, after merging and splitting: warm-up,
    reading back and what a file system writes beside the load included."""

    name: str
    read_requests: int
    read_bytes: int
    write_requests: int
    write_bytes: int
    discard_requests: int
    discard_bytes: int
    flush_requests: int | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of the caches of the whole disks below; None where the kernel does not count them. A write
    with FUA is none."""
    fua_requests: int | None = Field(default=None, exclude_if=lambda value: value is None)
    """Writes with FUA to the whole disks below; None where they are not counted."""
    fua_not_counted: str = Field(default="", exclude_if=lambda value: not value)
    """Why, where they were to be."""


class ServerFacts(Kept):
    """A server that fsgauge started over a system, as it stood; nothing in it is secret.

    `configuration` is its file without the places and ports that are new in every run. Lengths of
    queues are those of the kernel: `listen_backlog` as asked for by the server.
    """

    name: str
    version: str
    protocol: str
    user: str
    options: dict[str, str]
    configuration: list[str]
    command: list[str]
    ready_ns: int
    listen_backlog: int | None
    somaxconn: int | None
    syn_backlog: int | None


class ServerRun(Kept):
    """What a server used in one run.

    Processor time is that of all its processes, also of those that ended; null when it died on the
    way, or where it could not be read in time. `connecting_ns` is that of letting the clients in,
    `leaving_ns` that of letting them go; the other two lie between. Where either is null, its time
    is in the two.
    Memory is proportional (PSS: shared pages count in parts), that of at most 32 processes
    standing for all `memory_processes`, and the largest of `memory_samples` that took `sampling_ns`
    in all; null where the run was too short for one. `listen_drops` are
    connections that the server's own socket turned away, `listen_overflows` those of all sockets of
    its network; null where they are not known. The sum of the times is exact; `tick_ns` is how
    finely the kernel divides it into user and system time.
    `aborts` says why processes of `daemon` aborted, in the words of its log, each reason once;
    `last_words` are the last lines of the log, at most 20, where one aborted or the server died.
    """

    user_ns: int | None
    system_ns: int | None
    connecting_ns: int | None = None
    leaving_ns: int | None = None
    tick_ns: int
    processes: int
    memory_bytes: int | None
    memory_processes: int | None
    memory_samples: int
    sampling_ns: int
    listen_overflows: int | None
    listen_drops: int | None
    restarts: int
    daemon: str = ""
    aborts: list[str] = Field([])
    last_words: list[str] = Field([])
