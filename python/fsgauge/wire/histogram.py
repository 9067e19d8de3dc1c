"""A histogram of latencies, as it crosses the border."""

from __future__ import annotations

from fsgauge.wire.base import Wire


class Histogram(Wire):
    """Log-linear integer histogram in nanoseconds; `counts` is sparse and ascending.

    index = value below 2**sub_bucket_bits, from there 2**sub_bucket_bits buckets an octave.
    """

    sub_bucket_bits: int
    counts: list[tuple[int, int]]
    operations: int
    sum_ns: int
    min_ns: int
    max_ns: int
