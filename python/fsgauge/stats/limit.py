"""What can limit a rate beside the system that is measured, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Limit = Literal["emulator", "IOPS", "bandwidth", "neither", "unknown"]
"""The emulated processor, or what a disk may do in requests, or in bytes."""
AT_LIMIT = 0.9
"""From this share of a limit on, it is what operations wait for."""
WORDS: dict[Limit, str] = {
    "emulator": "the emulated processor",
    "IOPS": "a disk's IOPS limit",
    "bandwidth": "a disk's bandwidth limit",
    "neither": "neither",
    "unknown": "not known",
}
BY_RIG: tuple[Limit, ...] = ("emulator", "IOPS", "bandwidth")
Place = tuple[str, str]
"""A cell's id and a system."""


@dataclass(frozen=True)
class RigLimit:
    """What limited a system in a cell. Shares are means over runs: of its time the processor
    worked, on the node that was busiest; of what a disk may do in requests, and in bytes, the one
    did that came nearest to each. None where it is not known. `disk` is the one that came nearest
    to either: its machine and serial."""

    limit: Limit
    processor_share: float | None
    iops_share: float | None
    bandwidth_share: float | None
    disk: str
