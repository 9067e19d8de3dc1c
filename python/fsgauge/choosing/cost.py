"""What a race takes: how many runs are expected and at worst, hours, bytes, and a device's life."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.plan.race import FINALISTS
from fsgauge.study.model import DeviceStorage, Study
from fsgauge.units import format_size

EXPECTED_BLOCKS = 4.8
"""Runs of a system, on average, in 280 simulated races of 60 systems whose rates are spread by
15 %, at 5 % noise; where many are nearly the best it is twice that."""
_RATED_WRITES = 600
"""Times that a flash drive may be written whole: 600 TB for each TB is what consumer drives of
three bits a cell are rated for."""
_NOTED_SHARE = 0.1
"""Of that life, what is worth a line."""


@dataclass(frozen=True)
class Cost:
    """Runs, seconds and bytes."""

    runs: int
    seconds: float
    written_bytes: int

    def within(self, seconds: float) -> Cost:
        """No more than fits into a budget."""
        share = min(1.0, seconds / self.seconds) if self.seconds else 1.0
        return Cost(round(self.runs * share), self.seconds * share, int(self.written_bytes * share))


def expected_of(worst: Cost, systems: int, blocks: int, confirm: int) -> Cost:
    """What a race takes on average whose worst case has all systems, and the baseline again, in
    so many blocks before those that confirm."""
    turns, confirming = systems + 1, confirm * (min(systems, FINALISTS) + 1)
    share = (min(blocks, EXPECTED_BLOCKS) * turns + confirming) / (blocks * turns + confirming)
    return Cost(
        runs=round(worst.runs * share),
        seconds=worst.seconds * share,
        written_bytes=int(worst.written_bytes * share),
    )


def wear(study: Study, size_bytes: int, written_bytes: int) -> str:
    """What a race takes of a device's life, in words; "" where that is little or not known.

    Raises InputError where it is more than the device endures.
    """
    if not isinstance(study.storage, DeviceStorage) or size_bytes == 0:
        return ""
    writes = written_bytes / size_bytes
    rated = f"flash drives are rated for about {_RATED_WRITES} writes of all they hold"
    said = f"at worst {format_size(written_bytes)}, the whole device {writes:.3g} times; {rated}"
    if writes > _RATED_WRITES:
        raise InputError(
            f"the race may write {format_size(written_bytes)}, the whole device {writes:,.0f}"
            " times, which is more than it endures",
            cause=rated,
            next="a --budget, fewer --kinds, or a smaller load: --set workload.fill=10%",
        )
    return said if writes > _RATED_WRITES * _NOTED_SHARE else ""
