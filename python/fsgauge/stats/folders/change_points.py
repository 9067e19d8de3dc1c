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
  wander from folder to folder (`_step_errors`), and the least sure one is dropped until each is
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

import numpy as np

from fsgauge.plan.levels import ALPHA, LEVEL
from fsgauge.stats.ratio import MEDIAN_OF_NORMAL, beyond, p_of
from fsgauge.stats.welch import Scatter, Welch, interval, welch

SHARES = (0.0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.97)
"""Shares of a folder's noise that the next one keeps."""
NEARLY = 2.0
"""Log likelihood below the best share's up to which a share is tried: the least that holds false
steps at about 6 % up to a random walk, by simulation (tests/known/test_wandering.py)."""
_LEAST_SQUARES = 1e-24
_LEAST = 1e-9
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


def change_points(logs: Sequence[float], *, series: int = 1, reach: float = 0.0) -> list[Step]:
    """Every step of one series of logs; `series` is how many such series are looked at. Each log
    may be off by `reach`: a step is larger than what both of its levels may be off."""
    if len(logs) < FEWEST:
        return []
    logs = _settled(logs)
    noise = _noise_of_neighbours(logs)
    return _confirmed(logs, _split(logs, 0, len(logs), noise), series, 2 * reach)


def apart(logs: Sequence[float]) -> list[bool]:
    """Which lie far from their neighbours."""
    return [log != settled for log, settled in zip(logs, _settled(logs), strict=True)]


def _settled(logs: Sequence[float]) -> list[float]:
    """The logs, in which each that lies far from its neighbours is as their median. The furthest
    first: beside it, a level that begins would be none."""
    found = list(logs)
    if len(found) < FEWEST:
        return found
    steps = statistics.median(abs(y - x) for x, y in pairwise(logs))
    usual = steps / (MEDIAN_OF_NORMAL * math.sqrt(2))
    for _ in logs:
        medians = _medians(found)
        furthest = max(range(len(found)), key=lambda place: abs(found[place] - medians[place]))
        if abs(found[furthest] - medians[furthest]) <= max(FAR * usual, _LEAST):
            break
        found[furthest] = medians[furthest]
    return found


def _medians(logs: Sequence[float]) -> list[float]:
    return [
        statistics.median(logs[max(0, place - AROUND) : place + AROUND + 1])
        for place in range(len(logs))
    ]


def _noise_of_neighbours(logs: Sequence[float]) -> Scatter:
    """Half the mean square of successive differences; degrees by matching its variance."""
    n = len(logs)
    squares = math.fsum((y - x) ** 2 for x, y in pairwise(logs))
    return Scatter(math.sqrt(squares / (2 * (n - 1))), 2 * (n - 1) ** 2 / (3 * n - 4))


def _split(logs: Sequence[float], start: int, end: int, noise: Scatter) -> list[int]:
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


def _strength(logs: Sequence[float], start: int, place: int, end: int, noise: Scatter) -> float:
    """The t statistic of a step at `place`."""
    step = statistics.fmean(logs[place:end]) - statistics.fmean(logs[start:place])
    return abs(step) / (noise.deviation * math.sqrt(1 / (place - start) + 1 / (end - place)))


def _confirmed(logs: Sequence[float], places: list[int], series: int, reach: float) -> list[Step]:
    """Steps that are sure beside the others; the least sure one goes first, its levels join."""
    tests = series * (len(logs) - FEWEST + 1)
    while places:
        errors = _step_errors(logs, places, reach)
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


@dataclass(frozen=True)
class StepError:
    """The size of a step as a log, its standard error with degrees of freedom, and p of none."""

    log_ratio: float
    error: float
    freedom: int
    p: float


@dataclass(frozen=True)
class _Fit:
    likelihood: float
    steps: list[StepError]


def _step_errors(logs: Sequence[float], places: Sequence[int], reach: float) -> list[StepError]:
    """For each step its size and standard error, the least sure of what is plausible.

    The series is levels plus noise that wanders: each folder keeps a share of the one before.
    For a share, levels are fitted by generalised least squares, which is exact. Of shares
    between none and 0.97, all that explain the series nearly as well as the best one (restricted
    likelihood; Patterson and Thompson, Biometrika 58, 1971) are tried. Without that, noise that
    keeps 0.6 of itself showed a step in 26 of 100 histories of 12 folders, and in 60 of 100 of
    30. `reach`: how far each may be off.
    """
    fits = [_fit(logs, places, share, reach) for share in SHARES]
    best = max(fit.likelihood for fit in fits)
    plausible = [fit.steps for fit in fits if fit.likelihood >= best - NEARLY]
    return [max(each, key=lambda step: step.p) for each in zip(*plausible, strict=True)]


def _fit(logs: Sequence[float], places: Sequence[int], share: float, reach: float) -> _Fit:
    values = np.asarray(logs)
    count = len(values)
    levels = np.arange(count)[:, None] >= np.array([0, *places])
    first = math.sqrt(1 - share**2)
    fresh = np.concatenate([[first * levels[0]], levels[1:] - share * levels[:-1]])
    whitened = np.concatenate([[first * values[0]], values[1:] - share * values[:-1]])
    gram = fresh.T @ fresh
    inverse = np.linalg.inv(gram)
    sizes = inverse @ (fresh.T @ whitened)
    squares = max(float(np.sum((whitened - fresh @ sizes) ** 2)), _LEAST_SQUARES)
    freedom = count - len(places) - 1
    errors = np.sqrt(squares / freedom * np.diag(inverse))
    likelihood = (
        -freedom / 2 * math.log(squares) + math.log(first) - float(np.linalg.slogdet(gram)[1]) / 2
    )
    steps = [
        StepError(float(size), float(error), freedom, p_of(beyond(size, reach), error, freedom))
        for size, error in zip(sizes[1:], errors[1:], strict=True)
    ]
    return _Fit(likelihood, steps)
