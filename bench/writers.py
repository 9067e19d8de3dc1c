"""Several writers of one file: the engine against fio's threads with the same number.

8 KiB writes, each writer through the whole file, in memory: what differs is what the tools cost.
psync on a file in tmpfs. io_uring at depth 8 on /dev/null, the one target of Linux that answers a
write in the caller itself and costs next to nothing: what is left is what the tools cost; and on a
loop device over memory, whose worker both tools wait for. There fio's batches of 16 are one call of
up to eight writes, neighbours, of which the kernel makes larger requests: the engine is told to
have batches too, else its device has three times the requests. Several writers wait for all eight
of a call, so that the next eight are neighbours again; one alone waits for any, as fio does, or its
device would have nothing to do from the last completion to the next call. (tmpfs and zram are no
help there: the kernel hands each of their writes to a thread of io_uring.) And 256 writers on
nothing: each must get its share of the processors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import engine
import fio
from compiled import compiled
from scratch import FILLED_BYTES, Scratch, run
from side_by_side import Comparison, Measure, Sample

SECONDS = 0.5
FAIR_SECONDS = 6
CROWD = 256
RATE, SHARE = "operations_per_second", "smallest_share"


@dataclass(frozen=True)
class Way:
    """How both tools write, and what the engine must reach."""

    depth: int
    direct: bool
    goal: float
    in_batches: bool = False
    """Whether the engine submits all that may be in flight in one call; else one by one."""

    def waits_for(self, writers: int) -> int:
        """Completions that a call waits for."""
        return self.depth if writers > 1 else 1

    def batches(self, writers: int) -> dict[str, int]:
        """What the engine's job says of them."""
        if not self.in_batches:
            return {}
        return {"batch" if self.waits_for(writers) > 1 else "submit_batch": self.depth}


PSYNC = Way(depth=1, direct=False, goal=1.0)
IO_URING = Way(depth=8, direct=False, goal=1.1)
IO_URING_ON_LOOP = Way(depth=8, direct=True, goal=1.0, in_batches=True)
WAYS = {"psync": PSYNC, "io-uring": IO_URING, "loop": IO_URING_ON_LOOP}


def place(way: Way, scratch: Scratch) -> tuple[dict[str, object], str]:
    """Give the target, as the engine has it and as a path."""
    if way is IO_URING_ON_LOOP:
        path, kind = scratch.loop_device(), "block"
    else:
        path, kind = "/dev/null" if way is IO_URING else str(scratch.file_in_memory()), "file"
    return {"kind": kind, "path": path, "size_bytes": FILLED_BYTES}, path


def against_fio(way: Way, writers: int) -> Callable[[Scratch], Comparison]:
    """Compare operations per second, all writers together, with as many threads of fio."""

    def compare(scratch: Scratch) -> Comparison:
        target, path = place(way, scratch)
        options = [f"--filename={path}", f"--size={FILLED_BYTES}", f"--direct={int(way.direct)}"]

        def theirs() -> Sample:
            with processors(way, writers):
                done = fio.shared_writes(options, writers, way.depth, SECONDS)
            return Sample({RATE: done.operations_per_second})

        return rates("fio", target, writers, way, theirs, way.goal)

    return compare


def plain(way: Way, writers: int) -> Callable[[Scratch], Comparison]:
    """Compare with a loop in C of the same calls and nothing else: what the kernel leaves."""

    def compare(scratch: Scratch) -> Comparison:
        target, path = place(way, scratch)
        program = compiled("plain_writes.c", scratch.directory, ["pthread"])
        wanted = way.waits_for(writers)
        words = [str(program), path, *map(str, (writers, way.depth, wanted, SECONDS))]

        def theirs() -> Sample:
            with processors(way, writers):
                return Sample({RATE: float(run(words).split()[0])})

        return rates("plain loop in C", target, writers, way, theirs, 0.95)

    return compare


@contextmanager
def processors(way: Way, writers: int) -> Iterator[None]:
    """Keep one writer of a loop device on one processor, which the tool's process inherits.

    Else the scheduler decides whether it and the device's worker wake each other across two: the
    same loop in C then did 58,000 to 175,000 writes a second on an idle machine (fio 75,000 to
    131,000), and on one processor 78,000 to 116,000.
    """
    every = os.sched_getaffinity(0)
    if way is IO_URING_ON_LOOP and writers == 1:
        os.sched_setaffinity(0, {min(every)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def rates(
    peer: str,
    target: dict[str, object],
    writers: int,
    way: Way,
    theirs: Callable[[], Sample],
    goal: float,
) -> Comparison:
    """The engine's side, and the measure."""

    def ours() -> Sample:
        with processors(way, writers):
            load = engine.shared_writes(
                target,
                writers,
                way.depth,
                SECONDS,
                direct=way.direct,
                **way.batches(writers),
            )
        return Sample({RATE: load.operations_per_second})

    measure = Measure(RATE, "rate", "operations/s", f">= {goal}", lambda ratio, _: ratio >= goal)
    return Comparison(peer, [measure], ours, theirs)


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
