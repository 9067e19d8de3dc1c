"""All benches in a limited time: how long each may go on, and which come first.

Three pairs are the fewest that say anything, so a bench that was begun may take longer than its
share; those behind it then have less. What the time does not reach keeps its last row, and comes
first when all are run again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kept import Row, is_of

LIMIT_MINUTES = 25.0
BENCH_SECONDS = 10.0
"""After so long a bench begins no further pair."""


class Allowance:
    """What is left of the time, shared among the benches that are left."""

    def __init__(self, benches: int, minutes: float = LIMIT_MINUTES) -> None:
        self._end = time.monotonic() + minutes * 60
        self._left = benches

    def for_next(self) -> float:
        """Seconds after which the next bench begins no further pair; 0 where no time is left."""
        share = max(0.0, self._end - time.monotonic()) / self._left
        self._left -= 1
        return min(BENCH_SECONDS, share)


def oldest_first(benches: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """In the order of their last rows; those without one first."""

    def last(bench: str) -> str:
        return max((str(row.get("at", "")) for row in rows if is_of(row, bench)), default="")

    return sorted(benches, key=last)
