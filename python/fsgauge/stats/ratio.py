"""Ratio of two systems from the ratios of their blocks, with an interval.

Takes log ratios, one a block; gives the geometric mean with a t interval on the log scale. Source:
Kalibera and Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013), for ratios of
repetitions at the level that varies most. The plain bootstrap covers 86 to 89 % where it promises
95 % with 5 to 10 blocks, so it is not used. What a few stalled runs do to a ratio is in robust.py.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fsgauge.plan.levels import LEVEL
from fsgauge.plan.power import detectable_percent

MEDIAN_OF_NORMAL = 0.6745
"""The median of absolute normal errors, in deviations."""
QUANTISED_RUNS = 1.5
"""Variance of a block's log ratio in variances of one run: 1 for the system, 1/2 for the mean of
the baseline's two turns."""


@dataclass(frozen=True)
class Ratio:
    """Geometric mean of `n` block ratios; `deviation` is the standard deviation of one, in logs.

    `reach` is how far, in logs, all of them may be off alike; the interval and p count with it.
    `drawn` is the level at which an interval that promises 95 % is drawn. `least` is the deviation
    that the rig is known to have: none is taken for less.
    """

    ratio: float
    low: float | None
    high: float | None
    p: float
    n: int
    deviation: float | None
    reach: float
    drawn: float = field(default=LEVEL, kw_only=True)
    least: float = field(default=0.0, kw_only=True)

    def at(self, level: float) -> tuple[float, float] | None:
        """The interval that promises another level; None from one block."""
        if self.deviation is None:
            return None
        quantile = t_quantile(self.n - 1, self._drawn(level))
        half = quantile * self.deviation / math.sqrt(self.n) + self.reach
        return _bounds(math.log(self.ratio), half)

    def _drawn(self, level: float) -> float:
        """The level at which an interval that promises this one is drawn."""
        return level if self.drawn == LEVEL else 1 - (1 - level) * (1 - self.drawn) / (1 - LEVEL)

    def detectable_percent(self, level: float = LEVEL) -> float | None:
        """What so many blocks of this noise show in 80 of 100 studies; None from one block. `level`
        is that of the interval that has to exclude 1. An effect that the buckets of a percentile
        can hide is not seen, however many blocks."""
        if self.deviation is None:
            return None
        noise = detectable_percent(self.n, 100 * self.deviation, self._drawn(level))
        return noise + 100 * math.expm1(self.reach)


def ratio_of_blocks(
    log_ratios: Sequence[float], *, reach: float = 0.0, level: float = LEVEL, least: float = 0.0
) -> Ratio | None:
    """The ratio that these blocks show; None without blocks.

    At a `level` other than 95 % the interval is of that one, and p is larger in the same measure,
    so that p is at most 5 % where the interval excludes 1.
    `reach` is how far each log ratio may be from the true one because values are known to a bucket.
    The interval is that of the lowest and of the highest values that are possible, and p is that of
    the value nearest to 1. The deviation is never taken for less than such buckets cause, or than
    `least`. Without reach and `least` it is scipy's ttest_1samp, which has neither.
    """
    n = len(log_ratios)
    if n == 0:
        return None
    mean = statistics.fmean(log_ratios)
    if n == 1:
        return Ratio(math.exp(mean), None, None, 1.0, 1, None, reach, drawn=level)
    deviation = max(deviation_of(log_ratios, mean), deviation_of_steps(reach), least)
    half = t_quantile(n - 1, level) * deviation / math.sqrt(n) + reach
    p = p_of(beyond(mean, reach), deviation / math.sqrt(n), n - 1)
    p = min(1.0, p * (1 - LEVEL) / (1 - level)) if level != LEVEL else p
    return Ratio(
        ratio=math.exp(mean),
        low=ratio_of_log(mean - half),
        high=ratio_of_log(mean + half),
        p=p,
        n=n,
        deviation=deviation,
        reach=reach,
        drawn=level,
        least=least,
    )


def deviation_of(values: Sequence[float], mean: float) -> float:
    """The standard deviation of two values or more with this mean. statistics.stdev counts in
    fractions, which takes twenty times as long; a study of 100 systems asks for thousands."""
    return math.sqrt(math.fsum((each - mean) ** 2 for each in values) / (len(values) - 1))


def deviation_of_steps(reach: float) -> float:
    """The deviation that buckets alone cause in a block's log ratio of two runs."""
    return reach * math.sqrt(QUANTISED_RUNS / 12)


def beyond(log_ratio: float, reach: float) -> float:
    """What is left of a log ratio's distance from 0 where all of it may be off by `reach`."""
    return max(0.0, abs(log_ratio) - reach)


def _bounds(log_ratio: float, half: float) -> tuple[float, float]:
    """Both ends of an interval on logs; one too wide for a number ends at the largest there is."""
    most = math.log(sys.float_info.max)
    return math.exp(max(log_ratio - half, -most)), math.exp(min(log_ratio + half, most))


@lru_cache
def t_quantile(freedom: float, level: float = LEVEL) -> float:
    """Half width of a two-sided t interval in standard errors."""
    from fsgauge.distributions import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def p_of(log_ratio: float, error: float, freedom: float) -> float:
    """Two-sided p of a log ratio of 0."""
    from fsgauge.distributions import stdtr

    if error == 0:
        return 1.0 if log_ratio == 0 else 0.0
    return float(2 * stdtr(freedom, -abs(log_ratio) / error))


MOST_LOG = 300.0
"""A factor of 1e130: an interval that reaches so far says that nothing is known."""


def ratio_of_log(log: float) -> float:
    """exp(log), and at most a factor of 1e130 away from 1."""
    return math.exp(max(-MOST_LOG, min(MOST_LOG, log)))
