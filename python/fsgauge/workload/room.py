"""What a study's systems have room for: all of them get as much as the least of them can hold."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.workload.assumed import EXPECTED, Speed


@dataclass(frozen=True)
class Room:
    """Free bytes and the system that leaves the least; free inodes and the system with the fewest.

    Without a name, the storage itself is what is known. `inodes` is None where they are not known
    or no system has a fixed number of them. `chunks` are the systems' allocation chunks, one for
    each turn of a block; None where the file system decides. `hints` are extent size hints, to
    whose multiples a file system rounds up what a file takes. `in_folders`: the systems are folders
    of file systems that others use too, and the bytes are what the study may take of each. `speed`
    is what is assumed of the storage. `in_model`: nothing is done, so no time limit ends a run.
    """

    free_bytes: int
    least: str
    inodes: int | None = None
    fewest: str = ""
    chunks: tuple[int | None, ...] = ()
    hints: tuple[int, ...] = ()
    in_folders: bool = False
    speed: Speed = EXPECTED
    in_model: bool = False
