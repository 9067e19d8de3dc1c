"""What each number of a disk can be: declared once, for studies and for [workload.disk].

Limits are wide. They tell a slip of the unit from a disk: no disk seeks for a minute, and none has
three cylinders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from fsgauge.devices.words import value_words


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
"""Limits by the name of a device's number."""


_EDGES = ("inner_rate", "outer_rate")
_SEEKS = ("seek_single", "seek_average", "seek_full")


@dataclass(frozen=True)
class Contradiction:
    """What is wrong, in a sentence, and the names of the numbers."""

    what: str
    names: tuple[str, ...]


def contradiction(values: Mapping[str, float]) -> Contradiction | None:
    """The first of a disk's numbers, rates in bytes/s and times in ns; None where it can be."""
    if values["inner_rate"] > values["outer_rate"]:
        inner, outer = (value_words(values[name], "bytes/s") for name in _EDGES)
        what = (
            f"inner_rate is {inner} and outer_rate {outer}: the inner edge of a disk is not faster"
            " than its outer edge"
        )
        return Contradiction(what, _EDGES)
    if any(values[shorter] > values[longer] for shorter, longer in pairwise(_SEEKS)):
        told = ", ".join(f"{name} {value_words(values[name], 'ns')}" for name in _SEEKS)
        return Contradiction(f"a longer seek does not take less time: {told}", _SEEKS)
    return None
