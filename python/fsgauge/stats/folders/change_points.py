"""Change points: where a series of ratios takes a step.

Takes one number a results folder, in order of time; gives the places at which a new level begins.

Method: E-divisive's splitting (Matteson and James, JASA 2014) with a t test in place of
permutations, so that the same folders always give the same answer (Fleming, Kolaczkowski and
others, "Hunter: using change point detection to hunt for performance regressions", ICPE 2023).
The part is split where the t statistic is largest, as long as that is significant, and both sides
again. Three things differ from Hunter:

- The noise is estimated from differences of neighbours (von Neumann, 1941), which a few steps
  hardly move. The deviation within a part that holds two steps, up and back, would hide both.
- p values are corrected for the number of places and of series (Bonferroni), so that a whole
  history without any step shows one in at most one case of twenty.
- At the end, Welch's interval of each step, between the levels beside it, has to exclude 1.

A level is at least three folders long. Neighbouring folders are taken as independent: noise that
wanders from day to day gives false steps.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fsgauge.stats.verdict import ALPHA
from fsgauge.stats.welch import Welch, welch

SHORTEST = 3
"""Folders of one level, at least."""
FEWEST = 2 * SHORTEST
"""Folders without which there is no place for a step."""


@dataclass(frozen=True)
class Step:
    """A new level begins at `index`; `ratio` is the new level over the one before."""

    index: int
    ratio: Welch


@dataclass(frozen=True)
class _Noise:
    """Standard deviation of one value, and the degrees of freedom it is known with."""

    deviation: float
    freedom: float


def change_points(logs: Sequence[float], *, series: int = 1, reach: float = 0.0) -> list[Step]:
    """Every step of one series of logs; `series` is how many such series are looked at.

    Each log may be off by `reach`: a step is larger than what both of its levels may be off.
    """
    if len(logs) < FEWEST:
        return []
    noise = _noise_of_neighbours(logs)
    return _confirmed(logs, _split(logs, 0, len(logs), noise, series), 2 * reach)


def _noise_of_neighbours(logs: Sequence[float]) -> _Noise:
    """Half the mean square of successive differences; degrees by matching its variance."""
    n = len(logs)
    squares = math.fsum((y - x) ** 2 for x, y in pairwise(logs))
    return _Noise(math.sqrt(squares / (2 * (n - 1))), 2 * (n - 1) ** 2 / (3 * n - 4))


def _split(logs: Sequence[float], start: int, end: int, noise: _Noise, series: int) -> list[int]:
    """Places of steps in logs[start:end], in order."""
    places = range(start + SHORTEST, end - SHORTEST + 1)
    if not places or noise.deviation == 0:
        return []
    strengths = {place: _strength(logs, start, place, end, noise) for place in places}
    best = max(places, key=lambda place: strengths[place])
    if _p(strengths[best], noise) * len(places) * series > ALPHA:
        return []
    left = _split(logs, start, best, noise, series)
    return [*left, best, *_split(logs, best, end, noise, series)]


def _strength(logs: Sequence[float], start: int, place: int, end: int, noise: _Noise) -> float:
    """The t statistic of a step at `place`."""
    step = statistics.fmean(logs[place:end]) - statistics.fmean(logs[start:place])
    return abs(step) / (noise.deviation * math.sqrt(1 / (place - start) + 1 / (end - place)))


def _p(strength: float, noise: _Noise) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(noise.freedom, -strength))


def _confirmed(logs: Sequence[float], places: list[int], reach: float) -> list[Step]:
    """Steps whose interval excludes 1; the least sure one goes first, and its levels join."""
    while True:
        bounds = [0, *places, len(logs)]
        steps = []
        for before, place, after in zip(bounds, places, bounds[2:], strict=False):
            ratio = welch(logs[before:place], logs[place:after], reach=reach)
            assert ratio is not None  # noqa: S101 - no level is empty
            steps.append(Step(place, ratio))
        weakest = max(steps, key=lambda step: step.ratio.p, default=None)
        if weakest is None or weakest.ratio.p <= ALPHA:
            return steps
        places = [place for place in places if place != weakest.index]
