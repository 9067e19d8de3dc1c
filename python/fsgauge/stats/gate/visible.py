"""The smallest loss that a gate fails in 90 of 100 builds, and how many runs a smaller one takes.

A line fails where one basis calls it worse after the correction for all tests, and the other one by
its own 95 % interval. The chances that either of the two misses the loss may be 10 of 100 in sum:
both see it in 90 at least, whether they move together or not. Power is that of the t test.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fsgauge.plan.levels import ALPHA
from fsgauge.plan.power import fewest
from fsgauge.stats.folders.folder import Basis
from fsgauge.stats.gate.noise import FEWEST_RUNS, LearnedNoise, Newcomers, Watched
from fsgauge.stats.ratio import t_quantile

POWER = 0.90
_POINTS = 200
MOST_RUNS = 200
MOST_NEW_RUNS = 10


def visible(
    line: Watched, new: Mapping[Basis, Newcomers], tests: int, margin: float = 0.0
) -> float:
    """The smallest loss of one line, as a log above zero, that fails in 90 of 100 builds. A loss
    below `margin` does not matter, however surely it is seen."""
    from scipy.optimize import brentq

    tests = max(1, tests)
    found = []
    for alarm in line.tested:
        bases = [
            _Basis.of(noise, new[basis], ALPHA / tests if basis == alarm else ALPHA)
            for basis, noise in line.noises.items()
        ]
        most = max(basis.most for basis in bases)
        found.append(float(brentq(_missing, 0.0, most, args=(bases,), xtol=1e-6)))
    return max(min(found), margin)


def _missing(loss: float, bases: Sequence[_Basis]) -> float:
    """The sum of the chances to miss a loss, beyond what is allowed."""
    return sum(basis.missed(loss) for basis in bases) - (1 - POWER)


@dataclass(frozen=True)
class _Basis:
    """The t test of one basis: standard error, quantile, and how far buckets hide a loss."""

    error: float
    quantile: float
    freedom: float
    reach: float

    @classmethod
    def of(cls, noise: LearnedNoise, new: Newcomers, alpha: float) -> _Basis:
        freedom = max(1.0, math.floor(2 * noise.freedom) / 2)
        error = noise.error_to_expect(new)
        return cls(error, t_quantile(freedom, 1 - alpha), freedom, 2 * noise.reach)

    @property
    def most(self) -> float:
        """A loss that is never missed."""
        return self.reach + self.error * (10 * self.quantile + 10)

    def missed(self, loss: float) -> float:
        """The chance that this loss is not seen. The mean over the distribution of the deviation,
        which scipy's noncentral t does not hold for few degrees and large quantiles."""
        from fsgauge.distributions import ndtr

        noncentrality = (loss - self.reach) / self.error
        return float(ndtr(self.quantile * _deviations(self.freedom) - noncentrality).mean())


@lru_cache
def _deviations(freedom: float) -> NDArray[np.float64]:
    """Deviations of samples of a deviation of 1, one for each of many equal chances."""
    from fsgauge.distributions import gammaincinv

    chances = (np.arange(_POINTS) + 0.5) / _POINTS
    return np.asarray(np.sqrt(2 * gammaincinv(freedom / 2, chances) / freedom))


def percent(log: float) -> float:
    """A loss as a fall in percent; of a latency it is the rise to the inverse."""
    return 100 * -math.expm1(-log)


def runs_needed(lines: Collection[Watched], loss: float, tests: int) -> int | None:
    """The accepted runs (or sittings) from which each line shows `loss`; None above MOST_RUNS. As
    many more are taken to scatter as those that there are."""

    def enough(count: int) -> bool:
        return all(_shows(line.with_samples(count), loss, tests, Newcomers()) for line in lines)

    return fewest(FEWEST_RUNS, MOST_RUNS, enough)


def new_runs_needed(lines: Collection[Watched], loss: float, tests: int) -> int | None:
    """The runs of one new build, measured in one known sitting, that show `loss`; None above 10."""

    def enough(count: int) -> bool:
        return all(_shows(line, loss, tests, Newcomers((count,))) for line in lines)

    return fewest(2, MOST_NEW_RUNS, enough)


def _shows(line: Watched, loss: float, tests: int, new: Newcomers) -> bool:
    return visible(line, dict.fromkeys(line.noises, new), tests) <= loss
