"""SNIA's window of steady state, over rates of rounds of equal length.

Solid State Storage Performance Test Specification 2.0.2: over five rounds the range is at most 20 %
of the mean, and the line fitted to them moves at most 10 % of it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

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
