"""How small an effect a number of blocks can show, and how many blocks an effect needs.

The finding is the mean of n paired log ratios with a t interval, so its power is that of the
paired t test (noncentral t; Cohen, Statistical Power Analysis, 1988, chapter 2).

Of several comparisons that are corrected together, one that alone has an effect must reach a p of
5 % divided by their number (Benjamini and Hochberg), so power is counted at that level: at 5 %,
"80 of 100" was 31 of 100 with 8 blocks and 12 comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from fsgauge.plan.levels import LEVEL

POWER = 0.80
MOST_BLOCKS = 10_000


def paired_percent(noise_percent: float) -> float:
    """The standard deviation of a system's log ratio to the baseline, times 100. `noise_percent` is
    that of two equal runs in one block (A/A). With runs of variance v it is sqrt(2 v), and that of
    a system to the mean of the baseline's two turns is sqrt(1.5 v)."""
    return noise_percent * math.sqrt(0.75)


def detectable_percent(blocks: int, spread_percent: float, confidence: float = LEVEL) -> float:
    """The smallest change in percent that `blocks` show with 80 % power at this confidence.
    `spread_percent` is the standard deviation of one block's log ratio, times 100."""
    error = spread_percent / 100 / math.sqrt(blocks)
    noncentrality = _noncentrality(blocks, round(1 - confidence, 12))
    try:
        return 100 * math.expm1(noncentrality * error)
    except OverflowError:
        return math.inf


def planned_percent(blocks: int, spread_percent: float, confidence: float = LEVEL) -> float:
    """The smallest change that a study to come shows. A ratio scatters at least as A/A does, so the
    larger of two estimates counts, which is too large on average."""
    return detectable_percent(blocks, spread_percent * _larger_of_two(blocks), confidence)


@lru_cache(maxsize=1000)
def _larger_of_two(blocks: int) -> float:
    """The mean of the larger of two deviations of so many blocks, over the true one."""
    import numpy as np

    from fsgauge.distributions import gammaincinv

    freedom = max(1, blocks - 1)
    chances = np.sqrt((np.arange(_POINTS) + 0.5) / _POINTS)
    return float(np.sqrt(2 * gammaincinv(freedom / 2, chances) / freedom).mean())


_POINTS = 400


def blocks_needed(
    effect_percent: float, spread_percent: float, confidence: float = LEVEL
) -> int | None:
    """The fewest blocks that show such an effect; None above 10,000."""

    def shows(blocks: int) -> bool:
        return planned_percent(blocks, spread_percent, confidence) <= effect_percent

    return fewest(2, MOST_BLOCKS, shows)


def fewest(low: int, high: int, enough: Callable[[int], bool]) -> int | None:
    """The least number from `low` to `high` that is enough, as all above it are; None for none."""
    if not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


@lru_cache(maxsize=1000)
def _noncentrality(blocks: int, alpha: float) -> float:
    """Mean over standard error at which the two-sided t test reaches its power.

    Seen in the wrong direction does not count as seen; at this power that is below 1e-6 anyway.
    scipy.stats and scipy.optimize, which would take a second of each command to import, find the
    same: within 1e-5 from three blocks on, within 1e-3 for two.
    """
    from fsgauge.distributions import nctdtrinc, stdtrit

    freedom = blocks - 1
    critical = -float(stdtrit(freedom, alpha / 2))
    return float(nctdtrinc(freedom, 1 - POWER, critical))
