"""How much `churn` makes, reads and writes: bytes, files, and the time that this takes at a speed.
Before anything is made it is an estimate: sizes are drawn, and what metadata takes is not known."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.record.records import Cell
from fsgauge.workload.assumed import Speed

_CALL_SECONDS = 15e-6
"""A call on a file with what surrounds it in the kernel: a create and its unlink are several."""
_CALLS_A_FILE = 4
_LARGEST_SHARE = 100
"""No file is larger than a hundredth of the live bytes unless the study says: a level is kept only
to the size of the next file."""


@dataclass(frozen=True)
class ChurnVolume:
    """A workload on a system that has `available_bytes` when it is empty."""

    workload: ChurnWorkload
    available_bytes: int

    def live_bytes(self, fill: int) -> int:
        return self.available_bytes * fill // 100

    def new_files(self, fill: int) -> int:
        """Files that are written beside the tree: the share of what it leaves."""
        left = self.available_bytes * (100 - fill) // 100
        return left * self.workload.write_fill // 100 // self.workload.new_file_size

    def largest_bytes(self, fill: int) -> int:
        return self.workload.largest_size or max(self.live_bytes(fill) // _LARGEST_SHARE, 1)

    def made(self, fill: int, *, aged: bool) -> tuple[float, float]:
        times = self.workload.storage_age if aged else 1.0
        contents = times * self.live_bytes(fill)
        return contents, contents / self._mean_file_bytes(fill)

    def files(self, fill: int) -> int:
        return int(self.live_bytes(fill) / self._mean_file_bytes(fill)) + self.new_files(fill)

    def tree_seconds(self, fill: int, speed: Speed, *, aged: bool) -> float:
        contents, files = self.made(fill, aged=aged)
        calls = files * _CALLS_A_FILE * (2 if aged else 1) * _CALL_SECONDS
        moved = 0.0 if self.workload.mode == "fast" else contents / speed.bytes_per_second
        return calls + moved

    def test_seconds(self, cell: Cell, speed: Speed, *, is_served: bool) -> float:
        """The time of one test, at most its limit."""
        factors = ChurnFactors.of(cell)
        fill = factors.fill_percent
        if factors.side == "read":
            contents: float = self.live_bytes(fill)
            files = contents / self._mean_file_bytes(fill)
        else:
            files = self.new_files(fill)
            contents = files * self.workload.new_file_size
        each = _CALLS_A_FILE * _CALL_SECONDS + speed.latency_seconds
        seconds = contents / speed.bytes_per_second + files * each
        if is_served:
            records = contents / self.workload.record_size
            seconds += (_CALLS_A_FILE * files + records) * speed.served_seconds
            seconds += factors.clients * speed.session_seconds
        return min(seconds, self.workload.time_limit / 1e9)

    def _mean_file_bytes(self, fill: int) -> float:
        """The mean of the log-normal body, cut at the largest size; the tail is left out."""
        workload = self.workload
        largest = self.largest_bytes(fill)
        sigma = workload.size_sigma
        above = (math.log(largest) - math.log(workload.median_size)) / sigma
        share = _normal(above)
        if share < 1e-3:
            return float(largest)
        whole = workload.median_size * math.exp(sigma**2 / 2)
        return max(whole * _normal(above - sigma) / share, 1.0)


def _normal(quantile: float) -> float:
    return 0.5 * math.erfc(-quantile / math.sqrt(2))
