"""What each number of a disk can be: declared once, for studies and for [workload.disk].

Limits are wide. They tell a slip of the unit from a disk: no disk seeks for a minute, and none has
three cylinders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """The smallest and the largest value, in the number's own unit; whole numbers alone if so."""

    least: float
    most: float
    is_whole: bool = False


_SEEK = Limit(1, 10_000_000_000)
_RATE = Limit(1, 1e15)
_SHARE = Limit(0, 100)

LIMITS: Mapping[str, Limit] = {
    "revolutions_per_minute": Limit(100, 100_000, is_whole=True),
    "outer_rate": _RATE,
    "inner_rate": _RATE,
    "position": _SHARE,
    "cylinders": Limit(10, 100_000_000, is_whole=True),
    "cylinder_size": Limit(512, 1 << 40, is_whole=True),
    "seek_single": _SEEK,
    "seek_average": _SEEK,
    "seek_full": _SEEK,
    "rotational_wait": _SHARE,
    "overhead": Limit(0, 10_000_000_000),
    "data_disks": Limit(1, 10_000, is_whole=True),
    "path_rate": _RATE,
    "sharpness": Limit(1, 100),
    "request_size": Limit(512, 1 << 30, is_whole=True),
    "window": Limit(1, 1_000_000, is_whole=True),
    "rate": _RATE,
    "requests_per_second": Limit(1, 1e12),
    "request_latency": Limit(0, 10_000_000_000),
    "lost_to_dies": Limit(0, 99),
    "pieces_of_loss": Limit(512, 1 << 40, is_whole=True),
}
"""By the name of the number."""
