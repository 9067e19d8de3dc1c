"""Latency histograms: merged by addition, read by quantile.

Takes and gives `wire.Histogram`: log-linear buckets of integer nanoseconds, the same scheme as
the engine's recorder (crates/fsgauge-wire/src/histogram.rs). The middle of a bucket is within
0.8 % of every value in it. Where in its bucket a quantile lies is not known: each has bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from fsgauge.engine.wire import Histogram
from fsgauge.record.merging import added_histograms
from fsgauge.record.quantiles import SAMPLES_BEYOND
from fsgauge.record.series import Counts


def merge(histograms: Iterable[Histogram]) -> Histogram | None:
    """One histogram of all operations; None of none. ValueError where resolutions differ."""
    filled = list(histograms)
    return added_histograms(filled) if filled else None


class Quantile(NamedTuple):
    """The middle of a quantile's bucket, and the edges between which the quantile lies."""

    value_ns: float
    low_ns: float
    high_ns: float

    @property
    def reach(self) -> float:
        """How far the quantile may be from the middle, as a log ratio; infinite down to zero."""
        if self.low_ns <= 0:
            return math.inf
        return max(math.log(self.value_ns / self.low_ns), math.log(self.high_ns / self.value_ns))


def bucket_edges_ns(index: int, sub_bucket_bits: int) -> tuple[int, int]:
    """The lowest value of a bucket, and the lowest one above it."""
    octave = index >> sub_bucket_bits
    if octave < 2:
        return index, index + 1
    within = index & ((1 << sub_bucket_bits) - 1)
    width = 1 << (octave - 1)
    lowest = (within + (1 << sub_bucket_bits)) * width
    return lowest, lowest + width


def bucket_middle_ns(index: int, sub_bucket_bits: int) -> float:
    """The middle of a bucket's values: off by at most 1 / 2**(sub_bucket_bits + 1)."""
    lowest, above = bucket_edges_ns(index, sub_bucket_bits)
    return (lowest + above - 1) / 2


def quantile_ns(histogram: Histogram, quantile: float) -> float | None:
    """The latency that a share `quantile` of the operations does not exceed, in nanoseconds."""
    found = quantile_of(histogram, quantile)
    return None if found is None else found.value_ns


def quantile_of(histogram: Histogram, quantile: float) -> Quantile | None:
    """That latency with the edges of its bucket. Nearest rank, clamped to the true minimum and
    maximum. None when fewer than ten samples lie beyond it, and at 0 ns: no call takes that, and
    what is known from some percentiles alone begins there."""
    rank = max(1, math.ceil(quantile * histogram.operations - 1e-9))
    if histogram.operations - rank < SAMPLES_BEYOND:
        return None
    counts = Counts.of(histogram.counts)
    at = int(np.searchsorted(np.cumsum(counts.operations), rank))
    if at == len(counts) or counts.buckets[at] == 0:
        return None
    index, least, most = int(counts.buckets[at]), float(histogram.min_ns), float(histogram.max_ns)
    low, high = bucket_edges_ns(index, histogram.sub_bucket_bits)
    middle = bucket_middle_ns(index, histogram.sub_bucket_bits)
    return Quantile(min(max(middle, least), most), max(low, least), min(high, most + 1))


def mean_ns(histogram: Histogram) -> float | None:
    """The exact mean latency in nanoseconds; None without operations."""
    return histogram.sum_ns / histogram.operations if histogram.operations else None


def percentile_curve(histogram: Histogram) -> list[tuple[float, float]]:
    """(quantile, latency in nanoseconds) as far as ten samples lie beyond, evenly on log(1 - q)."""
    steps = [1 - 10 ** (-step / 6) for step in range(1, 6 * 8)]
    points = ((quantile, quantile_ns(histogram, quantile)) for quantile in steps)
    return [(quantile, latency) for quantile, latency in points if latency is not None]
