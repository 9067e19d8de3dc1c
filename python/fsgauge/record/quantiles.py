"""Quantiles of latencies, and how many operations one is read from."""

from __future__ import annotations

import math

QUANTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
SAMPLES_BEYOND = 10
"""A quantile with fewer samples beyond it says more about luck than about the system."""


def operations_needed(quantile: str) -> int:
    """The fewest operations of a run that a quantile is read from, by its name in `QUANTILES`."""
    return math.ceil(SAMPLES_BEYOND / (1 - QUANTILES[quantile]) - 1e-6)


def quantile_words(quantile: str) -> str:
    """ "p99.9" of "p999"."""
    return f"p{100 * QUANTILES[quantile]:g}"
