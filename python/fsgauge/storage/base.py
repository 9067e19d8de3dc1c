"""Attached storage of any kind, before a system is on it, and the room that there is for it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from fsgauge.machine.device.device_claim import Claim
from fsgauge.record.machine import StorageFacts
from fsgauge.units import exact_size


@dataclass(frozen=True)
class Base:
    """Storage, attached. `device` or `directory` is set; `refill` is a file whose blocks a discard
    frees and that has to be allocated again (a preallocated loop file). `claim` is lent to
    what makes or uses something on the device. `suffix` ends the names of what is made for
    it, where a block has several. `keeps_blocks`: it was preconditioned, and nothing may discard
    it any more. `beside` are further devices, for the other systems of a block."""

    device: str | None
    directory: str | None
    size_bytes: int
    facts: StorageFacts
    refill: Path | None = field(default=None)
    claim: Claim = field(default_factory=Claim)
    suffix: str = ""
    keeps_blocks: bool = False
    beside: tuple[Base, ...] = ()


ROOM_PERCENT = 103
"""Of a file's size, what it takes: the file system below it needs a little for itself."""


def free_bytes(place: str | Path | int) -> int:
    """What this user may still write to the file system of a folder; raises OSError."""
    room = os.statvfs(place)
    return room.f_bavail * room.f_frsize


def typed(size_bytes: int) -> str:
    """A size as an option takes it, rounded down to whole GiB, or MiB below 4 GiB: "8GiB"."""
    unit = 1 << 30 if size_bytes >= 4 << 30 else 1 << 20
    return exact_size(max(size_bytes - size_bytes % unit, unit)).replace(" ", "")
