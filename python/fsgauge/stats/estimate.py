"""A number over blocks with its interval, and the ratio of two inside each block.

Takes logs by block. A number is the geometric mean over blocks with a t interval on logs, at the
level of the study: `Samples` has that, and what is read of a study asks it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Mapping

from fsgauge.plain_files.kept import Kept
from fsgauge.plan.levels import corrected
from fsgauge.stats.ratio import deviation_of, ratio_of_blocks, t_quantile

ByBlock = Mapping[int, float]


class Estimate(Kept):
    """Part of report.json: a number with its interval; no interval from one block."""

    value: float
    low: float | None
    high: float | None
    n: int

    @property
    def edges(self) -> tuple[float, float]:
        """The interval; the value itself where there is none."""
        return self.low or self.value, self.high or self.value

    def in_units_of(self, unit: float) -> Estimate:
        """The same in another unit, which is so many of this one."""
        low, high = (None if end is None else end / unit for end in (self.low, self.high))
        return Estimate(value=self.value / unit, low=low, high=high, n=self.n)


def estimate(
    logs: ByBlock, *, shift: float = 0.0, reach: float = 0.0, level: float, least: float = 0.0
) -> Estimate | None:
    """The geometric mean of blocks, times exp(shift); None without blocks. `level` and `least` as
    in ratio.
    """
    shifted = [log + shift for log in logs.values()]
    found = ratio_of_blocks(shifted, reach=reach, level=level, least=least)
    if found is None:
        return None
    return Estimate(value=found.ratio, low=found.low, high=found.high, n=found.n)


def mean_of(
    values: ByBlock, scale: Callable[[float], float] = float, *, level: float
) -> Estimate | None:
    """The arithmetic mean of blocks with its t interval, each passed through `scale`."""
    found = list(values.values())
    if not found:
        return None
    mean, half = statistics.fmean(found), None
    if len(found) > 1:
        quantile = t_quantile(len(found) - 1, level)
        half = quantile * deviation_of(found, mean) / math.sqrt(len(found))
    return Estimate(
        value=scale(mean),
        low=None if half is None else scale(mean - half),
        high=None if half is None else scale(mean + half),
        n=len(found),
    )


def block_means(series: Collection[ByBlock]) -> dict[int, float]:
    """The mean of several series in each block that all of them have."""
    if not series:
        return {}
    shared = set.intersection(*map(set, series))
    return {block: statistics.fmean(each[block] for each in series) for block in sorted(shared)}


def over(these: ByBlock, those: ByBlock) -> dict[int, float]:
    """Log ratios of the blocks that have both."""
    return {block: log - those[block] for block, log in these.items() if block in those}


def over_unpaired(top: Estimate, bottom: Estimate) -> Estimate:
    """A ratio of two numbers whose blocks are not paired. Its interval spans all that both
    intervals allow, so it is wide rather than narrow."""
    low = high = None
    if top.low is not None and top.high is not None and bottom.low and bottom.high:
        low, high = top.low / bottom.high, top.high / bottom.low
    return Estimate(value=top.value / bottom.value, low=low, high=high, n=min(top.n, bottom.n))


def widened(number: Estimate, comparisons: int) -> Estimate:
    """A ratio with the interval that holds for all of so many at once (Bonferroni)."""
    if number.low is None or number.high is None or number.n < 2:
        return number
    freedom = number.n - 1
    wider = t_quantile(freedom, corrected(comparisons)) / t_quantile(freedom)
    low, high = (number.value * (end / number.value) ** wider for end in (number.low, number.high))
    return number.model_copy(update={"low": low, "high": high})
