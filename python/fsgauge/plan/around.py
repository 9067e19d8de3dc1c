"""What a rig knows of its time, so that a plan can say how long: what its machines take beside what
every machine takes, or what a block takes in all."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fsgauge.workload.assumed import Speed


@dataclass(frozen=True)
class Tried:
    """Seconds of a block where a storage's speed says nothing: expected, and from shortest to
    longest. It writes nothing.

    `words` say where the seconds come from. `longest_seconds` is None where only a lower bound is
    known. `trial_seconds` are those of the trial itself, with which a run begins as well.
    """

    seconds: float
    shortest_seconds: float
    longest_seconds: float | None
    words: str
    trial_seconds: float = 0.0


@dataclass(frozen=True)
class Around:
    """Seconds more than on this machine: before the first block, around each turn, each run; and
    what its disks are limited to, whatever the study says of them.

    With `block`, none of that counts: a block was tried as a whole. Where it is not known how the
    machines will run, `how` says for which way these are, and `instead` has those of another.
    """

    before_seconds: float = 0.0
    turn_seconds: float = 0.0
    run_seconds: float = 0.0
    block: Tried | None = None
    bytes_per_second: float = math.inf
    operations_per_second: float = math.inf
    how: str = ""
    instead: Around | None = None

    def limited(self, speed: Speed) -> Speed:
        return replace(
            speed,
            bytes_per_second=int(min(speed.bytes_per_second, self.bytes_per_second)),
            operations_per_second=min(speed.operations_per_second, self.operations_per_second),
        )

    @property
    def once_up(self) -> Around:
        return replace(self, before_seconds=0.0)


HERE = Around()
"""This machine itself: `plan.estimate` has what it takes."""
