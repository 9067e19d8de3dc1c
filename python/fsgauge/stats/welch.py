"""Ratio of two sets of blocks that are not paired: Welch's t interval on logs.

Takes log values of two results folders, one a block; gives B over A. The blocks of two folders
were measured on different days, so block 3 of one has nothing to do with block 3 of the other,
and their variances need not be equal. Sources: Welch, "The generalization of Student's problem"
(Biometrika 34, 1947), with Satterthwaite's degrees of freedom; beside it the Hodges-Lehmann shift
with the exact interval of Mann and Whitney (Hollander, Wolfe and Chicken, 3rd ed., 4.1 to 4.3).

Ratio of two sides that were measured in sittings: what a sitting adds to its blocks.

Takes the log values of two sides, sitting by sitting, one a block; gives B over A. A sitting is
what was measured in one go (stats/folders/folder.py). What changes between two sittings (a reboot,
the placement of files, heat, neighbours) is the same in all blocks of one, so blocks do not show
it, and their interval alone calls equal systems different far too often.

- Measured: with four sittings or more in all, a sitting is one value, the mean of its blocks, and
  the interval is Student's, of one variance of sittings on both sides: so one new sitting can be
  held against several old ones.
- Known: with fewer, from what was learnt of other sittings (a gate's accepted runs), and never less
  than blocks show. A model has no sittings: there blocks say all.
- Neither: nothing shows how sittings differ, so there is no interval and no verdict. Taken to
  differ as blocks do, sittings that differ 2 and 4 times as much gave false verdicts in 20 and 53
  of 100 comparisons.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from fsgauge.plan.levels import LEVEL
from fsgauge.plan.power import detectable_percent
from fsgauge.stats.ratio import Ratio, beyond, p_of, ratio_of_log, t_quantile


@dataclass(frozen=True)
class Robust:
    """Hodges-Lehmann shift as a ratio; with too few blocks the interval does not reach 95 %."""

    ratio: float
    low: float | None
    high: float | None
    p: float


@dataclass(frozen=True)
class Welch(Ratio):
    """B over A; `error` is the standard error of the log ratio, `freedom` its degrees. `n` is the
    smaller number of blocks, `deviation` the larger deviation of one block."""

    error: float | None
    freedom: float | None
    robust: Robust

    def at(self, level: float) -> tuple[float, float] | None:
        """The interval at another level; None where a folder has one block."""
        if self.error is None or self.freedom is None:
            return None
        return interval(self.ratio, self.error, self.freedom, level, self.reach)

    def detectable_percent(self, level: float = LEVEL) -> float | None:
        """What so many blocks of this noise show in 80 of 100 comparisons. The power of the t test
        depends on error and degrees of freedom alone; Satterthwaite's are rounded down to whole
        ones."""
        if self.error is None or self.freedom is None:
            return None
        blocks = max(2, math.floor(self.freedom) + 1)
        noise = detectable_percent(blocks, 100 * self.error * math.sqrt(blocks), level)
        return noise + 100 * math.expm1(self.reach)


def welch(
    a: Sequence[float], b: Sequence[float], *, steps: float = 0.0, reach: float = 0.0
) -> Welch | None:
    """The ratio of B to A from the logs of their blocks; None where one has none.

    `steps` is the least deviation to assume of a block, that which buckets cause. `reach` is how
    far B over A may be off because values are known to their buckets: see ratio_of_blocks. Without
    both it is scipy's ttest_ind of unequal variances, which has neither.
    """
    if not a or not b:
        return None
    log_ratio = statistics.fmean(b) - statistics.fmean(a)
    robust = shift(a, b, reach=reach)
    n = min(len(a), len(b))
    if n == 1:
        return Welch(math.exp(log_ratio), None, None, 1.0, 1, None, reach, None, None, robust)
    deviations = max(statistics.stdev(a), steps), max(statistics.stdev(b), steps)
    error, freedom = _error(deviations, (len(a), len(b)))
    low, high = interval(math.exp(log_ratio), error, freedom, LEVEL, reach)
    return Welch(
        ratio=math.exp(log_ratio),
        low=low,
        high=high,
        p=p_of(beyond(log_ratio, reach), error, freedom),
        n=n,
        deviation=max(deviations),
        reach=reach,
        robust=robust,
        error=error,
        freedom=freedom,
    )


def interval(
    ratio: float, error: float, freedom: float, level: float, reach: float = 0.0
) -> tuple[float, float]:
    """The t interval of a ratio whose log has this standard error and may be off by `reach`."""
    half = t_quantile(freedom, level) * error + reach
    return ratio * ratio_of_log(-half), ratio * ratio_of_log(half)


def _error(deviations: tuple[float, float], counts: tuple[int, int]) -> tuple[float, float]:
    """Standard error of the difference of two means and its degrees of freedom."""
    parts = [d * d / n for d, n in zip(deviations, counts, strict=True)]
    return satterthwaite(parts, [n - 1 for n in counts])


def satterthwaite(parts: Sequence[float], freedoms: Sequence[int]) -> tuple[float, float]:
    """Square root of a sum of variances that are known with so many degrees, and the sum's own."""
    total = sum(parts)
    if total == 0:
        return 0.0, float(sum(freedoms))
    shares = [part / total for part in parts]
    weight = sum(share**2 / freedom for share, freedom in zip(shares, freedoms, strict=True))
    return math.sqrt(total), 1 / weight


def shift(a: Sequence[float], b: Sequence[float], *, reach: float = 0.0) -> Robust:
    """Median of all differences, with Mann and Whitney's exact interval and p (no ties assumed)."""
    differences = sorted(y - x for x in a for y in b)
    below = _mann_whitney(len(a), len(b))
    middle = statistics.median(differences)
    nearest = math.copysign(min(abs(middle), reach), middle)
    positive = sum(d > nearest for d in differences) + sum(d == nearest for d in differences) / 2
    tails = [
        below[min(math.ceil(count), len(differences))]
        for count in (positive, len(differences) - positive)
    ]
    p = min(1.0, 2 * min(tails)) if abs(middle) > reach or not reach else 1.0
    centre = math.exp(middle)
    rank = sum(probability <= (1 - LEVEL) / 2 for probability in below)
    if rank == 0:
        return Robust(centre, None, None, p)
    low, high = differences[rank - 1] - reach, differences[-rank] + reach
    return Robust(centre, ratio_of_log(low), ratio_of_log(high), p)


@lru_cache
def _mann_whitney(first: int, second: int) -> tuple[float, ...]:
    """P(U <= u) for u = 0 ... first * second.

    U counts the pairs in which B is larger; its number of arrangements is the coefficient of the
    Gaussian binomial, built factor by factor. scipy has it for the p of `mannwhitneyu` alone and
    does not give it away; the interval needs it.
    """
    import numpy as np

    size = first * second + 1
    counts = np.zeros(size)
    counts[0] = 1.0
    for step in range(1, first + 1):
        upper, lower = second + step, step
        if upper < size:
            counts[upper:] -= counts[:-upper].copy()
        for start in range(lower, size):
            counts[start] += counts[start - lower]
        counts *= step / (second + step)
    return tuple(float(value) for value in np.clip(np.cumsum(counts), 0, 1))


FEWEST_SITTINGS = 4
"""Sittings of both sides together from which their own scatter is taken."""
Side = Sequence[Sequence[float]]
"""Logs of blocks, sitting by sitting; none is empty."""


@dataclass(frozen=True)
class OverSittings(Welch):
    """B over A. `measured`: the interval is that of these sittings; otherwise of what is known of
    others, or there is none.

    `within_low` and `within_high` are of what blocks show: how these sittings differ, whatever
    others would do. `n` is the smaller number of blocks.
    """

    measured: bool
    within_low: float | None
    within_high: float | None


class Scatter(NamedTuple):
    """A standard deviation of logs, and the degrees of freedom that it is known with."""

    deviation: float
    freedom: float


OF_A_MODEL = Scatter(0.0, math.inf)
"""A model is the same in every sitting."""


def over_sittings(
    a: Side, b: Side, *, known: Scatter | None = None, steps: float = 0.0, reach: float = 0.0
) -> OverSittings | None:
    """The ratio of B to A; None where a side has no block. `steps` and `reach` as in `welch`.
    `known` is what other sittings show of how they differ; it counts where these are too few."""
    blocks = [[log for sitting in side for log in sitting] for side in (a, b)]
    within = welch(blocks[0], blocks[1], steps=steps, reach=reach)
    if within is None:
        return None
    log_ratio = _mean(b) - _mean(a)
    measured = len(a) + len(b) >= FEWEST_SITTINGS
    found = _measured(a, b, steps) if measured else _from(known, a, b, within)
    error, freedom = found if found is not None else (None, None)
    low = high = None
    p = 1.0
    if error is not None and freedom is not None:
        low, high = interval(math.exp(log_ratio), error, freedom, LEVEL, reach)
        p = p_of(beyond(log_ratio, reach), error, freedom)
    return OverSittings(
        ratio=math.exp(log_ratio),
        low=low,
        high=high,
        p=p,
        n=min(map(len, blocks)),
        deviation=within.deviation,
        reach=reach,
        robust=within.robust,
        error=error,
        freedom=freedom,
        measured=measured,
        within_low=within.low,
        within_high=within.high,
    )


def _mean(side: Side) -> float:
    return statistics.fmean(statistics.fmean(sitting) for sitting in side)


def _measured(a: Side, b: Side, steps: float) -> tuple[float, float]:
    """Standard error and degrees of freedom from the means of sittings."""
    squares = math.fsum(_squares([statistics.fmean(each) for each in side]) for side in (a, b))
    freedom = len(a) + len(b) - 2
    variance = max(squares / freedom, steps**2)
    return math.sqrt(variance * (1 / len(a) + 1 / len(b))), float(freedom)


def _from(known: Scatter | None, a: Side, b: Side, within: Welch) -> tuple[float, float] | None:
    """Standard error and degrees from what is known of sittings; None where nothing is, or from
    one block."""
    if known is None or within.error is None or within.freedom is None:
        return None
    error = known.deviation * math.sqrt(1 / len(a) + 1 / len(b))
    return max((error, known.freedom), (within.error, within.freedom))


def _squares(logs: Sequence[float]) -> float:
    mean = statistics.fmean(logs)
    return math.fsum((log - mean) ** 2 for log in logs)
