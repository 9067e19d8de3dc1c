"""Change points: where a series of ratios takes a step.

Takes one number a results folder, in order of time; gives the places at which a new level begins.

Method: E-divisive's splitting (Matteson and James, JASA 2014) with a t test in place of
permutations, so that the same folders always give the same answer (Fleming, Kolaczkowski and
others, "Hunter: using change point detection to hunt for performance regressions", ICPE 2023).
The part is split where the t statistic is largest, as long as that is significant, and both sides
again. Four things differ from Hunter:

- A folder or two that lie far from their neighbours are no level. They count as the median of five
  folders around them, or one bad folder would widen the noise until no step stands out.
- The noise is estimated from differences of neighbours (von Neumann, 1941), which a few steps
  hardly move. The deviation within a part that holds two steps, up and back, would hide both.
- What is found so far are candidates. All of them are then fitted together, with noise that may
  wander from folder to folder (step_errors.py), and the least sure one is dropped until each is
  sure: its p, corrected for the number of places and of series (Bonferroni), is at most 5 %.
- So a whole history without any step shows one in at most one case of twenty where neighbouring
  folders are independent, and in about 6 of 100 where each keeps some of the noise of the one
  before, up to all of it (a random walk).

A level is at least three folders long.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fsgauge.plan.levels import ALPHA, LEVEL
from fsgauge.stats.folders.step_errors import StepError, step_errors
from fsgauge.stats.ratio import p_of
from fsgauge.stats.welch import Welch, interval, welch

SHORTEST = 3
"""Folders of one level, at least."""
FEWEST = 2 * SHORTEST
"""Folders without which there is no place for a step."""
AROUND = 2
"""Folders on each side of one that are its neighbours: fewer than a level has."""
FAR = 6.0
"""Deviations from the median of its neighbours beyond which a folder is no news of a level."""


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
    logs = _settled(logs)
    noise = _noise_of_neighbours(logs)
    return _confirmed(logs, _split(logs, 0, len(logs), noise), series, 2 * reach)


def apart(logs: Sequence[float]) -> list[bool]:
    """Which lie far from their neighbours."""
    return [log != settled for log, settled in zip(logs, _settled(logs), strict=True)]


def _settled(logs: Sequence[float]) -> list[float]:
    """The logs, in which each that lies far from its neighbours is as their median.

    The furthest first: beside it, a level that begins would be none.
    """
    found = list(logs)
    if len(found) < FEWEST:
        return found
    usual = statistics.median(abs(y - x) for x, y in pairwise(logs)) / (_OF_NORMAL * math.sqrt(2))
    for _ in logs:
        medians = _medians(found)
        furthest = max(range(len(found)), key=lambda place: abs(found[place] - medians[place]))
        if abs(found[furthest] - medians[furthest]) <= max(FAR * usual, _LEAST):
            break
        found[furthest] = medians[furthest]
    return found


_OF_NORMAL = 0.6745
"""The median of absolute normal errors, in deviations."""
_LEAST = 1e-9


def _medians(logs: Sequence[float]) -> list[float]:
    return [
        statistics.median(logs[max(0, place - AROUND) : place + AROUND + 1])
        for place in range(len(logs))
    ]


def _noise_of_neighbours(logs: Sequence[float]) -> _Noise:
    """Half the mean square of successive differences; degrees by matching its variance."""
    n = len(logs)
    squares = math.fsum((y - x) ** 2 for x, y in pairwise(logs))
    return _Noise(math.sqrt(squares / (2 * (n - 1))), 2 * (n - 1) ** 2 / (3 * n - 4))


def _split(logs: Sequence[float], start: int, end: int, noise: _Noise) -> list[int]:
    """Places where logs[start:end] may step, in order."""
    places = range(start + SHORTEST, end - SHORTEST + 1)
    if not places or noise.deviation == 0:
        return []
    strengths = {place: _strength(logs, start, place, end, noise) for place in places}
    best = max(places, key=lambda place: strengths[place])
    if p_of(strengths[best], 1.0, noise.freedom) * len(places) > ALPHA:
        return []
    left = _split(logs, start, best, noise)
    return [*left, best, *_split(logs, best, end, noise)]


def _strength(logs: Sequence[float], start: int, place: int, end: int, noise: _Noise) -> float:
    """The t statistic of a step at `place`."""
    step = statistics.fmean(logs[place:end]) - statistics.fmean(logs[start:place])
    return abs(step) / (noise.deviation * math.sqrt(1 / (place - start) + 1 / (end - place)))


def _confirmed(logs: Sequence[float], places: list[int], series: int, reach: float) -> list[Step]:
    """Steps that are sure beside the others; the least sure one goes first, its levels join."""
    tests = series * (len(logs) - FEWEST + 1)
    while places:
        errors = step_errors(logs, places, reach)
        weakest = max(range(len(places)), key=lambda place: errors[place].p)
        if errors[weakest].p * tests <= ALPHA:
            bounds = [0, *places, len(logs)]
            return [
                Step(place, _ratio(logs[before:place], logs[place:after], error, reach))
                for before, place, after, error in zip(
                    bounds, places, bounds[2:], errors, strict=False
                )
            ]
        places = [place for at, place in enumerate(places) if at != weakest]
    return []


def _ratio(old: Sequence[float], new: Sequence[float], error: StepError, reach: float) -> Welch:
    """The new level over the old one, with the interval of noise that may wander."""
    found = welch(old, new, reach=reach)
    assert found is not None  # noqa: S101 - no level is empty
    middle = math.exp(error.log_ratio)
    low, high = interval(middle, error.error, error.freedom, LEVEL, reach)
    return replace(
        found,
        ratio=middle,
        low=low,
        high=high,
        p=error.p,
        error=error.error,
        freedom=float(error.freedom),
    )
