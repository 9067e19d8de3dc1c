"""What a file set takes before it is made: bytes with their rounding, as mean and spread of a file.

Sizes follow the study's formula; where they are drawn, the sum is not known exactly before, so a
margin of three standard deviations of the mean is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.study.workload import ConnectionsWorkload

ALLOCATION_BYTES = 4096
"""Files take whole blocks; 4 KiB is what every kind's mkfs chooses on storage of usual sizes."""
_STEPS = 400
_MARGIN_DEVIATIONS = 3.0


@dataclass(frozen=True)
class FileSpace:
    """Bytes of one file: of its contents, on storage, and the deviation of the latter."""

    contents: float
    allocated: float
    deviation: float

    def contents_of(self, files: int) -> float:
        """Contents of so many files."""
        return self.contents * files

    def allocated_of(self, files: int) -> float:
        """Space of so many files, hardly ever more."""
        return self.allocated * files + _MARGIN_DEVIATIONS * self.deviation * math.sqrt(files)


def own_file_space(workload: ConnectionsWorkload) -> FileSpace:
    """A file of the clients' own set."""
    if workload.size_distribution == "log-normal":
        return _weighed(_log_normal(workload), drawn=True)
    weights = workload.size_weights or [1] * len(workload.file_sizes)
    pairs = list(zip(workload.file_sizes, weights, strict=True))
    return _weighed(pairs, drawn=bool(workload.size_weights))


def backup_file_space(workload: ConnectionsWorkload) -> FileSpace:
    """A file of the set that is backed up: all are alike."""
    return _weighed([(workload.backup_file_size, 1)], drawn=False)


def _weighed(sizes: list[tuple[int, int]], *, drawn: bool) -> FileSpace:
    total = sum(weight for _, weight in sizes)
    contents = sum(size * weight for size, weight in sizes) / total
    allocated = sum(_rounded(size) * weight for size, weight in sizes) / total
    variance = sum((_rounded(size) - allocated) ** 2 * weight for size, weight in sizes) / total
    return FileSpace(contents, allocated, math.sqrt(variance) if drawn else 0.0)


def _log_normal(workload: ConnectionsWorkload) -> list[tuple[int, int]]:
    """The distribution at evenly spread quantiles, cut at both ends as it is drawn."""
    from statistics import NormalDist

    normal = NormalDist(math.log(workload.median_size), workload.size_sigma)
    low, high = math.log(workload.smallest_size), math.log(workload.largest_size)
    logs = (normal.inv_cdf((step + 0.5) / _STEPS) for step in range(_STEPS))
    return [(round(math.exp(min(max(each, low), high))), 1) for each in logs]


def _rounded(size_bytes: int) -> int:
    return -(-size_bytes // ALLOCATION_BYTES) * ALLOCATION_BYTES
