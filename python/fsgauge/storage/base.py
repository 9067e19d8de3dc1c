"""Attached storage of any kind, before a system is on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fsgauge.machine.device.device_claim import Claim
from fsgauge.record.machine import StorageFacts


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
