"""Several writers of one file: the engine against fio's threads with the same number.

8 KiB writes, each writer through the whole file, in memory: what differs is what the tools cost.
psync on a file in tmpfs. io_uring at depth 8 on /dev/null, the one target of Linux that answers a
write in the caller itself and costs next to nothing: what is left is what the tools cost; and on a
loop device over memory, whose worker both tools wait for. (tmpfs and zram are no help there: the
kernel hands each of their writes to a thread of io_uring.) And 256 writers on nothing: each must
get its share of the processors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import engine
import fio
from scratch import FILLED_BYTES, Scratch
from side_by_side import Comparison, Measure, Sample

SECONDS = 2
FAIR_SECONDS = 6
CROWD = 256
RATE, SHARE = "operations_per_second", "smallest_share"


@dataclass(frozen=True)
class Way:
    """How both tools write, and what the engine must reach."""

    depth: int
    direct: bool
    goal: float


PSYNC = Way(depth=1, direct=False, goal=1.0)
IO_URING = Way(depth=8, direct=False, goal=1.1)
IO_URING_ON_LOOP = Way(depth=8, direct=True, goal=1.0)


def psync(writers: int) -> Callable[[Scratch], Comparison]:
    """Compare pwrite by so many writers."""

    def compare(scratch: Scratch) -> Comparison:
        path = str(scratch.file_in_memory())
        target = {"kind": "file", "path": path, "size_bytes": FILLED_BYTES}
        return rates(target, path, writers, PSYNC)

    return compare


def io_uring(writers: int) -> Callable[[Scratch], Comparison]:
    """Compare io_uring by so many writers."""

    def compare(scratch: Scratch) -> Comparison:
        del scratch
        target = {"kind": "file", "path": "/dev/null", "size_bytes": FILLED_BYTES}
        return rates(target, "/dev/null", writers, IO_URING)

    return compare


def io_uring_on_loop(writers: int) -> Callable[[Scratch], Comparison]:
    """Compare io_uring by so many writers on a block device."""

    def compare(scratch: Scratch) -> Comparison:
        device = scratch.loop_device()
        target = {"kind": "block", "path": device, "size_bytes": FILLED_BYTES}
        return rates(target, device, writers, IO_URING_ON_LOOP)

    return compare


def rates(target: dict[str, object], path: str, writers: int, way: Way) -> Comparison:
    """Compare operations per second, all writers together."""
    options = [f"--filename={path}", f"--size={FILLED_BYTES}", f"--direct={int(way.direct)}"]

    def ours() -> Sample:
        load = engine.shared_writes(target, writers, way.depth, SECONDS, direct=way.direct)
        return Sample({RATE: load.operations_per_second})

    def theirs() -> Sample:
        run = fio.shared_writes(options, writers, way.depth, SECONDS)
        return Sample({RATE: run.operations_per_second})

    goal = way.goal
    measure = Measure(RATE, "rate", "operations/s", f">= {goal}", lambda ratio, _: ratio >= goal)
    return Comparison("fio", [measure], ours, theirs)


def crowd(scratch: Scratch) -> Comparison:
    """Compare how evenly 256 writers share two processors."""
    del scratch
    target = {"kind": "null", "size_bytes": 1 << 30}

    def ours() -> Sample:
        load = engine.shared_writes(target, CROWD, 1, FAIR_SECONDS, direct=False)
        return Sample({SHARE: load.smallest_share})

    def theirs() -> Sample:
        return Sample(
            {SHARE: fio.shares_of_writers(["--size=1g"], CROWD, FAIR_SECONDS).smallest_share}
        )

    def is_fair(_: float, samples: list[Sample]) -> bool:
        return min(sample.values[SHARE] for sample in samples) >= 0.5

    measure = Measure(SHARE, "share", "of the mean", "each >= 0.5", is_fair)
    return Comparison("fio", [measure], ours, theirs)
