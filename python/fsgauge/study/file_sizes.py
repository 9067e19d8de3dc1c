"""Sizes of the files that a load makes, as keys of these names say: listed, or log-normal."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from fsgauge.engine import wire
from fsgauge.study.base import StudyModel, conflict
from fsgauge.study.sweep import Inapplicable, mean_bytes

OF_LOG_NORMAL = ("median_size", "size_sigma", "smallest_size", "largest_size")
OF_SIZES = ("file_sizes", "size_weights", "size_distribution", *OF_LOG_NORMAL)


class FileSizes(NamedTuple):
    size_distribution: Literal["listed", "log-normal"]
    file_sizes: list[int]
    size_weights: list[int]
    median_size: int
    size_sigma: float
    smallest_size: int
    largest_size: int

    @classmethod
    def of(cls, keys: StudyModel) -> FileSizes:
        return cls(*(getattr(keys, name) for name in cls._fields))

    @property
    def is_log_normal(self) -> bool:
        return self.size_distribution == "log-normal"

    @property
    def largest_bytes(self) -> int:
        return self.largest_size if self.is_log_normal else max(self.file_sizes)

    @property
    def mean_bytes(self) -> float:
        if self.is_log_normal:
            mean = self.median_size * math.exp(min(self.size_sigma**2 / 2, 50))
            return min(max(mean, self.smallest_size), self.largest_size)
        return mean_bytes(weighted(self.file_sizes, self.size_weights))

    @property
    def law(self) -> wire.FileSizes:
        """For the engine; without weights the sizes come in turn."""
        if self.is_log_normal:
            return wire.LognormalSizes(
                median_bytes=self.median_size,
                sigma=self.size_sigma,
                smallest_bytes=self.smallest_size,
                largest_bytes=self.largest_size,
            )
        if not self.size_weights:
            return wire.CycleSizes(sizes_bytes=self.file_sizes)
        pairs = weighted(self.file_sizes, self.size_weights)
        return wire.WeightedSizes(
            sizes=[wire.WeightedSize(size_bytes=s, weight=w) for s, w in pairs]
        )

    def without_effect(self) -> Inapplicable:
        if self.is_log_normal:
            reason = ("sizes are log-normal", "size_distribution")
            return dict.fromkeys(("file_sizes", "size_weights"), reason)
        return dict.fromkeys(OF_LOG_NORMAL, ("sizes are listed", "size_distribution"))

    def require_order(self) -> None:
        """Refuse a log-normal distribution whose median it cuts off."""
        in_order = self.smallest_size <= self.median_size <= self.largest_size
        if self.is_log_normal and not in_order:
            raise conflict(
                "the median size is not between the smallest and the largest",
                ["median_size", "smallest_size", "largest_size"],
            )
        if self.is_log_normal and self.median_size == 0:
            raise conflict(
                "half of the files are smaller than the median size, and it is 0 B",
                ["median_size"],
                next='median_size = "1 B" or more',
            )


def weighted(sizes: list[int], weights: list[int]) -> list[tuple[int, int]]:
    """Each size with its weight; without weights, all are drawn equally often."""
    return list(zip(sizes, weights or [1] * len(sizes), strict=True))
