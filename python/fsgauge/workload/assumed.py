"""What is assumed of storage that is not known yet, so that a plan can say what it will take."""

from __future__ import annotations

from dataclasses import dataclass

ASSUMED_BANDWIDTH_BYTES_PER_SECOND = 800 << 20
ASSUMED_LATENCY_SECONDS = 50e-6


@dataclass(frozen=True)
class Speed:
    """How fast storage takes what is written, and how long one operation takes at least."""

    bytes_per_second: int
    latency_seconds: float


EXPECTED = Speed(ASSUMED_BANDWIDTH_BYTES_PER_SECOND, ASSUMED_LATENCY_SECONDS)
FASTEST = Speed(2 << 30, 0.0)
"""All bytes at that rate, whatever their block size: the lower end of a range."""
SLOWEST = Speed(100 << 20, ASSUMED_LATENCY_SECONDS)


def operations_per_second(block_size_bytes: int, in_flight: int, speed: Speed = EXPECTED) -> float:
    """The rate of a load with so many operations in flight."""
    by_bytes = speed.bytes_per_second / block_size_bytes
    if speed.latency_seconds == 0:
        return by_bytes
    return min(by_bytes, in_flight / speed.latency_seconds)
