"""Ratios of paired runs: the geometric mean with a 95 % t interval on the log scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom; the normal's beyond.
# (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.)
T_95 = [
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
]


@dataclass(frozen=True)
class Ratio:
    """Engine over peer, with its 95 % interval."""

    ratio: float
    low: float
    high: float


def ratio_of(ours: list[float], theirs: list[float]) -> Ratio:
    """Give the mean ratio of pairs; at least two pairs, every value above 0."""
    logs = [math.log(mine / other) for mine, other in zip(ours, theirs, strict=True)]
    mean = sum(logs) / len(logs)
    variance = sum((log - mean) ** 2 for log in logs) / (len(logs) - 1)
    freedom = len(logs) - 1
    quantile = T_95[freedom - 1] if freedom <= len(T_95) else 1.96
    half = quantile * math.sqrt(variance / len(logs))
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half))
