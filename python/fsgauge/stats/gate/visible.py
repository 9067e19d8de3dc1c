"""The smallest loss that a gate fails in 90 of 100 builds, and how many runs a smaller one takes.

A line fails where one basis calls it worse after the correction for all tests, and the other one by
its own 95 % interval. Each of the two has to see the loss in 95 of 100 builds, so that both do in
90 at least, whether they move together or not. The power is that of the t test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

from fsgauge.stats.gate.family import Watched
from fsgauge.stats.gate.learned import Basis
from fsgauge.stats.gate.noise import FEWEST_RUNS, Newcomers, Noise
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.verdict import ALPHA

POWER = 0.90
_POINTS = 400
MOST_RUNS = 200
MOST_NEW_RUNS = 10


def visible(
    line: Watched, new: Mapping[Basis, Newcomers], tests: int, margin: float = 0.0
) -> float:
    """The smallest loss of one line, as a log above zero, that fails in 90 of 100 builds.

    A loss below `margin` does not matter, however surely it is seen.
    """
    corrected, own = ALPHA / max(1, tests), ALPHA
    power = POWER if len(line.noises) == 1 else 1 - (1 - POWER) / 2
    seen = min(
        max(
            _seen(noise, new[basis], corrected if basis == alarm else own, power)
            for basis, noise in line.noises.items()
        )
        for alarm in line.tested
    )
    return max(seen, margin)


def percent(log: float) -> float:
    """A loss as a fall in percent; of a latency it is the rise to the inverse."""
    return 100 * -math.expm1(-log)


def runs_needed(lines: Collection[Watched], loss: float, tests: int, new: Newcomers) -> int | None:
    """The accepted runs (or sittings) from which each line shows `loss`; None above MOST_RUNS.

    As many more are taken to scatter as those that there are.
    """
    have = max((line.noises["direct"].samples for line in lines), default=0)

    def enough(count: int) -> bool:
        return all(_shows(line.with_samples(count), loss, tests, new) for line in lines)

    return _fewest(max(have, FEWEST_RUNS), MOST_RUNS, enough)


def new_runs_needed(
    lines: Collection[Watched], loss: float, tests: int, known_sitting: bool
) -> int | None:
    """The runs of one new build, measured in one sitting, that show `loss`; None above 10."""

    def enough(count: int) -> bool:
        new = Newcomers((count,), known_sitting)
        return all(_shows(line, loss, tests, new) for line in lines)

    return _fewest(2, MOST_NEW_RUNS, enough)


def _shows(line: Watched, loss: float, tests: int, new: Newcomers) -> bool:
    return visible(line, dict.fromkeys(line.noises, new), tests) <= loss


def _fewest(low: int, high: int, enough: Callable[[int], bool]) -> int | None:
    if not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _seen(noise: Noise, new: Newcomers, alpha: float, power: float) -> float:
    """What one basis sees with this power."""
    freedom = max(1.0, math.floor(2 * noise.freedom) / 2)
    quantile = t_quantile(freedom, 1 - alpha)
    return _noncentrality(quantile, freedom, power) * noise.error(new) + 2 * noise.reach


@lru_cache(maxsize=4096)
def _noncentrality(quantile: float, freedom: float, power: float) -> float:
    """Mean over standard error at which a t statistic exceeds the quantile with this power.

    The mean over the distribution of the deviation, which scipy's noncentral t does not hold for
    few degrees and large quantiles.
    """
    import numpy as np
    from scipy.optimize import brentq
    from scipy.special import gammaincinv, ndtr

    chances = (np.arange(_POINTS) + 0.5) / _POINTS
    deviations = np.sqrt(2 * gammaincinv(freedom / 2, chances) / freedom)

    def missing(noncentrality: float) -> float:
        return float(ndtr(noncentrality - quantile * deviations).mean()) - power

    return float(brentq(missing, 0.0, 10 * quantile + 10))
