"""What a file set takes before it is made: bytes with their rounding.

Sizes follow the study's formula. In turn, they are known file by file, as the engine gives them
(file_set/sizes.rs). Where they are drawn, the sum is not known exactly before, so it is the mean's,
and a margin of three standard deviations of the mean is added to the space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.kinds.connections.keys import ConnectionsWorkload

ALLOCATION_BYTES = 4096
"""Files take whole blocks; 4 KiB is what every kind's mkfs chooses on storage of usual sizes."""
_STEPS = 400
_MARGIN_DEVIATIONS = 3.0


@dataclass(frozen=True)
class FileSpace:
    """Mean bytes of one file: of its contents, on storage, and the deviation of the latter.

    `in_turn` are the sizes that each client has in turn; empty where they are drawn.
    """

    contents: float
    allocated: float
    deviation: float
    in_turn: tuple[int, ...] = ()

    def contents_of(self, clients: int, files_each: int) -> float:
        """Contents of all files of so many clients."""
        if self.in_turn:
            counts = _counts(len(self.in_turn), clients, files_each)
            return sum(size * count for size, count in zip(self.in_turn, counts, strict=True))
        return self.contents * clients * files_each

    def allocated_of(self, clients: int, files_each: int) -> float:
        """Space of all files of so many clients, hardly ever more."""
        if self.in_turn:
            counts = _counts(len(self.in_turn), clients, files_each)
            pairs = zip(self.in_turn, counts, strict=True)
            return sum(_rounded(size) * count for size, count in pairs)
        files = clients * files_each
        return self.allocated * files + _MARGIN_DEVIATIONS * self.deviation * math.sqrt(files)

    @property
    def allocated_of_one(self) -> float:
        """Space of a file that nothing else is known of, hardly ever more."""
        return self.allocated + _MARGIN_DEVIATIONS * self.deviation


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
    if not drawn:
        return FileSpace(contents, allocated, 0.0, tuple(size for size, _ in sizes))
    return FileSpace(contents, allocated, math.sqrt(variance))


def _counts(sizes: int, clients: int, files_each: int) -> list[int]:
    """How many files have each size: file f of client c has the size of number c + f, in turn.

    A whole round of clients, or of a client's files, has all sizes equally often. What is left is
    a rectangle of fewer clients and files than sizes, whose diagonals are counted.
    """
    rounds, clients = divmod(clients, sizes)
    file_rounds, files = divmod(files_each, sizes)
    even = rounds * files_each + clients * file_rounds

    def diagonal(total: int) -> int:
        return max(0, min(total + 1, clients, files, clients + files - 1 - total))

    return [even + diagonal(at) + diagonal(at + sizes) for at in range(sizes)]


def _log_normal(workload: ConnectionsWorkload) -> list[tuple[int, int]]:
    """The distribution at evenly spread quantiles, cut at both ends as it is drawn."""
    from statistics import NormalDist

    normal = NormalDist(math.log(workload.median_size), workload.size_sigma)
    low, high = math.log(workload.smallest_size), math.log(workload.largest_size)
    logs = (normal.inv_cdf((step + 0.5) / _STEPS) for step in range(_STEPS))
    return [(round(math.exp(min(max(each, low), high))), 1) for each in logs]


def _rounded(size_bytes: int) -> int:
    return -(-size_bytes // ALLOCATION_BYTES) * ALLOCATION_BYTES
