"""What a device went through before it was measured, as records have it.

Solid State Storage Performance Test Specification 2.0.2: purge, workload-independent conditioning
(twice the capacity, written sequentially), then the test's own load until it is steady.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.plain_files.kept import Kept

PASSES = 2
"""Times the capacity."""
BLOCK_SIZE_BYTES = 128 << 10
MOST_ROUNDS = 25
"""Of a cell's own load; what is not steady then is measured all the same, and said."""


class StoragePreconditioning(Kept):
    """Once for a session, before its first turn. `purge` says what was done, or why it was not."""

    purge: str
    purged: bool
    written_bytes: int
    block_size_bytes: int
    started_unix_ns: int
    elapsed_ns: int


class CellPreconditioning(Kept):
    """Rounds of a cell's own load before its run, in operations per second.

    `reached`: the last five were steady by SNIA's window. `why_none` is said where the load cannot
    be repeated, and there are no rounds.
    """

    rounds: list[float]
    reached: bool
    range_share: float | None = None
    slope_share: float | None = None
    why_none: str = ""


ROUNDS = 5
RANGE_SHARE = 0.20
SLOPE_SHARE = 0.10


@dataclass(frozen=True)
class Window:
    """Range and excursion of the fitted line, as shares of the mean."""

    range_share: float
    slope_share: float

    @property
    def is_steady(self) -> bool:
        """Whether both are within SNIA's limits."""
        return self.range_share <= RANGE_SHARE and self.slope_share <= SLOPE_SHARE


def last_window(rates: Sequence[float]) -> Window | None:
    """Of the last five rounds; None with fewer, and where nothing was done."""
    last = rates[-ROUNDS:]
    if len(last) < ROUNDS or (mean := statistics.fmean(last)) == 0:
        return None
    slope = statistics.linear_regression(range(ROUNDS), last).slope
    return Window((max(last) - min(last)) / mean, abs(slope) * (ROUNDS - 1) / mean)
