"""Histograms as the engine would make them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate

from fsgauge.engine.wire import Histogram

BITS = 6


def histogram_of(latencies_ns: Mapping[int, int]) -> Histogram:
    """The histogram that the engine would make of {latency: operations}."""
    counts: dict[int, int] = {}
    for latency, operations in latencies_ns.items():
        index = bucket_index(latency)
        counts[index] = counts.get(index, 0) + operations
    return Histogram(
        sub_bucket_bits=BITS,
        counts=sorted(counts.items()),
        operations=sum(latencies_ns.values()),
        sum_ns=sum(latency * count for latency, count in latencies_ns.items()),
        min_ns=min(latencies_ns, default=0),
        max_ns=max(latencies_ns, default=0),
    )


def bucket_index(value_ns: int) -> int:
    """As in crates/fsgauge-wire/src/histogram.rs."""
    shift = (value_ns | (1 << BITS)).bit_length() - 1 - BITS
    return (shift << BITS) + (value_ns >> shift)


def lognormal(operations: int, mean_ns: float, spread: float) -> Histogram:
    """A lognormal with a tail: one in 500 takes twelve times as long."""
    slow = operations // 500
    body = mean_ns * operations / (operations + 11 * slow)
    counts: dict[int, int] = {}
    for part, centre in ((operations - slow, body), (slow, 12 * body)):
        for latency, count in _spread(part, centre, spread).items():
            counts[latency] = counts.get(latency, 0) + count
    return histogram_of(counts)


def _spread(operations: int, mean_ns: float, sigma: float) -> dict[int, int]:
    """Whole operations on a grid of a lognormal's quantiles, the mean kept."""
    median = mean_ns / math.exp(sigma * sigma / 2)
    counts: dict[int, int] = {}
    done = 0
    for share, factor in _grid(sigma):
        upto = round(operations * share)
        if upto > done:
            counts[max(1, round(median * factor))] = upto - done
        done = upto
    return counts


@lru_cache
def _grid(sigma: float) -> list[tuple[float, float]]:
    """The share of all operations up to each place of the grid, and its latency over the median."""
    grid = [-3.2 + 0.1 * step for step in range(65)]
    weights = [math.exp(-z * z / 2) for z in grid]
    total = sum(weights)
    shares = [reached / total for reached in accumulate(weights)]
    return [(share, math.exp(sigma * z)) for share, z in zip(shares, grid, strict=True)]
