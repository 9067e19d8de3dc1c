"""What is assumed of storage that is not known yet, so that a plan can say what it will take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

ASSUMED_BANDWIDTH_BYTES_PER_SECOND = 800 << 20
ASSUMED_LATENCY_SECONDS = 50e-6
METADATA_BYTES = 1 << 10
"""What a file takes beside its contents: inode, name, journal, a share of the trees."""


@dataclass(frozen=True)
class Speed:
    """How fast storage takes what is written, and how long one operation takes at least.

    A server on this host takes its processors: seconds of all of them together for an operation
    of a client, and for letting one in. Samba took 35 to 130 us an operation on two processors,
    and 6 ms a session. `operations_per_second` is what storage is limited to.
    """

    bytes_per_second: int
    latency_seconds: float
    served_seconds: float = 80e-6
    session_seconds: float = 6e-3
    operations_per_second: float = math.inf


EXPECTED = Speed(ASSUMED_BANDWIDTH_BYTES_PER_SECOND, ASSUMED_LATENCY_SECONDS)
FASTEST = Speed(2 << 30, 0.0, served_seconds=25e-6, session_seconds=2e-3)
"""All bytes at that rate, whatever their block size: the lower end of a range."""
SLOWEST = Speed(100 << 20, ASSUMED_LATENCY_SECONDS, served_seconds=200e-6, session_seconds=12e-3)


def operations_per_second(block_size_bytes: int, in_flight: int, speed: Speed = EXPECTED) -> float:
    most = min(speed.bytes_per_second / block_size_bytes, speed.operations_per_second)
    if speed.latency_seconds == 0:
        return most
    return min(most, in_flight / speed.latency_seconds)


@dataclass(frozen=True)
class Room:
    """Free bytes and the system that leaves the least; free inodes and the system with the fewest.

    Without a name, the storage itself is what is known. `inodes` is None where they are not known
    or no system has a fixed number of them. `chunks` are the systems' allocation chunks, one for
    each turn of a block; None where the file system decides. `hints` are extent size hints, to
    whose multiples a file system rounds up what a file takes. `in_folders`: the systems are folders
    of file systems that others use too, and the bytes are what the study may take of each. `speed`
    is what is assumed of the storage. `is_served`: systems are reached through a server.
    `in_model`: nothing is done, so no time limit ends a run. `copying`: the first system that
    copies on write, if any. `of_mkfs`: the change that makes the system with the fewest inodes with
    so many.
    """

    free_bytes: int
    least: str
    inodes: int | None = None
    fewest: str = ""
    chunks: tuple[int | None, ...] = ()
    hints: tuple[int, ...] = ()
    in_folders: bool = False
    speed: Speed = EXPECTED
    is_served: bool = False
    in_model: bool = False
    copying: str = ""
    of_mkfs: Callable[[int], str] = field(default=lambda _: "", compare=False)

    def more_inodes(self, number: int) -> str:
        """What gives the system with the fewest so many, as a next step."""
        return self.of_mkfs(number) or "a file system with more inodes (-N of mkfs.ext4)"
