"""What is assumed of storage that is not known yet, so that a plan can say what it will take."""

from __future__ import annotations

ASSUMED_BANDWIDTH_BYTES_PER_SECOND = 800 << 20
ASSUMED_LATENCY_SECONDS = 50e-6


def operations_per_second(block_size_bytes: int, in_flight: int) -> float:
    """The rate of a load with so many operations in flight."""
    return min(
        ASSUMED_BANDWIDTH_BYTES_PER_SECOND / block_size_bytes,
        in_flight / ASSUMED_LATENCY_SECONDS,
    )
