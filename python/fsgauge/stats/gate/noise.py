"""What accepted runs say of the noise of each line, and so of how far one new run may come out.

Takes what was learnt; gives each line's mean and spread by each basis. The error of a new run's
difference to that mean is one of prediction, as the new run scatters like the accepted ones:

    error2 = s2 (1/m + 1/k)

for m new and k accepted runs. Three things are added.

- Runs of one sitting do not show how sittings differ. From five sittings on, a sitting is one
  sample, whatever number of runs it has. Before that, runs are samples, and a new run of another
  sitting is taken to differ by a sitting as much as by a run: s2 (1/n + 1/S) more, for n new and S
  accepted sittings (`fsgauge compare` assumes the same).
- A spread is never smaller than what blocks show: runs cannot agree better than they are known.
- A new run is known no better than its own blocks show: a stall in one makes no build worse.
  More than by chance (F test), it also makes the smallest loss that is seen larger.

A line is tested by both of its bases, unless the study has one system. The baseline has one test:
its value to the others can only confirm that it alone became slower, since that one also falls
where the others became faster.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fsgauge.stats.folders.folder import BASES, Basis, Key
from fsgauge.stats.gate.learned import Learned, LearnedMean
from fsgauge.stats.ratio import deviation_of_steps
from fsgauge.stats.welch import Scatter

FEWEST_LINES = 3
"""Lines from which what they have in common can be estimated."""
_LEAST_VARIANCE = 1e-12
FEWEST_RUNS = 5
"""Accepted runs without which nothing is judged."""
RARE = 0.0001
FEWEST_SITTINGS = 5
"""Sittings from which they, not runs, are the samples."""


@dataclass(frozen=True)
class Newcomers:
    """New runs: how many in each of their sittings, and whether one of those is an accepted one.

    `errors` are the standard errors that their blocks show, as logs, with `freedom` degrees in all.
    """

    sittings: tuple[int, ...] = (1,)
    known_sitting: bool = True
    errors: tuple[float, ...] = ()
    freedom: int = 0

    @property
    def runs(self) -> int:
        return sum(self.sittings)

    @property
    def variance(self) -> float:
        """The variance of one of them that blocks show."""
        return statistics.fmean(error**2 for error in self.errors) if self.errors else 0.0


@dataclass(frozen=True)
class LearnedNoise:
    """One line by one basis. Logs; `samples` are runs, or sittings if `by_sitting`.

    `within` is the deviation of a run inside a sitting, and `per_sitting` the mean of 1 / runs of a
    sitting; `inside` is the standard error of a run that its blocks show, with `inside_freedom`.
    """

    mean: float
    deviation: float
    freedom: float
    samples: int
    by_sitting: bool
    sittings: int
    within: float
    per_sitting: float
    inside: float
    inside_freedom: int
    reach: float

    def error(self, new: Newcomers) -> float:
        """Standard error of the difference of new runs to the mean of accepted ones."""
        return self._error(new, max(self.deviation**2, new.variance))

    def error_to_expect(self, new: Newcomers) -> float:
        """The standard error of runs whose blocks scatter as accepted ones do. Blocks of `new`
        count only where they scatter more than by chance."""
        own = self.deviation**2
        if new.freedom and self.inside_freedom:
            most = _most_by_chance(new.freedom, self.inside_freedom) * self.inside**2
            own = max(own, new.variance) if new.variance > most else own
        return self._error(new, own)

    def _error(self, new: Newcomers, own: float) -> float:
        variance = self.deviation**2
        many = len(new.sittings)
        count = many if self.by_sitting else new.runs
        total = own / count + variance / self.samples
        if self.by_sitting:
            fewer = statistics.fmean(1 / each for each in new.sittings) - self.per_sitting
            total += self.within**2 * max(0.0, fewer) / many
        elif not new.known_sitting:
            total += variance * (1 / many + 1 / self.sittings)
        return math.sqrt(total)

    def with_samples(self, samples: int) -> LearnedNoise:
        more = samples - self.samples
        sittings = self.sittings + (more if self.by_sitting else 0)
        return replace(self, samples=samples, freedom=self.freedom + more, sittings=sittings)


Noises = Mapping[Key, Mapping[Basis, LearnedNoise]]


def is_by_sitting(learned: Learned) -> bool:
    """Whether sittings, not runs, are the samples."""
    return len(learned.sittings()) >= FEWEST_SITTINGS


def noises_of(learned: Learned) -> dict[Key, dict[Basis, LearnedNoise]]:
    """The noise of every line that all accepted runs have; nothing from one run."""
    found: dict[Key, dict[Basis, LearnedNoise]] = {}
    if len(learned.runs) < 2:
        return found
    metrics = dict.fromkeys(line.metric for line in learned.lines)
    for metric in metrics:
        for basis in BASES:
            lines = [line for line in learned.lines if line.metric == metric and _has(line, basis)]
            for line, noise in zip(lines, _of_family(lines, basis, learned), strict=True):
                found.setdefault(line.key, {})[basis] = noise
    return found


def known_sittings(learned: Learned) -> dict[Basis, dict[Key, Scatter]]:
    """How far the sittings of each line come out apart; nothing where these are too few."""
    found: dict[Basis, dict[Key, Scatter]] = {basis: {} for basis in BASES}
    for key, noises in noises_of(learned).items() if is_by_sitting(learned) else ():
        for basis, noise in noises.items():
            found[basis][key] = Scatter(noise.deviation, noise.freedom)
    return found


def _has(line: LearnedMean, basis: Basis) -> bool:
    numbers = line.of(basis)
    return numbers is not None and None not in numbers.runs


def _of_family(lines: Sequence[LearnedMean], basis: Basis, learned: Learned) -> list[LearnedNoise]:
    """The lines of one metric, moderated together."""
    sittings, by_sitting = learned.sittings(), is_by_sitting(learned)
    groups = sittings if by_sitting else [[place] for place in range(len(learned.runs))]
    numbers = [found for line in lines if (found := line.of(basis)) is not None]
    logs = [[log for log in each.logs() if log is not None] for each in numbers]
    rows = [[statistics.fmean(row[place] for place in group) for group in groups] for row in logs]
    moderated = spreads(rows, [deviation_of_steps(each.reach) for each in numbers])
    return [
        LearnedNoise(
            mean=statistics.fmean(row),
            deviation=max(
                spread.deviation, each.mean_error() / math.sqrt(statistics.fmean(map(len, groups)))
            ),
            freedom=spread.freedom,
            samples=len(groups),
            by_sitting=by_sitting,
            sittings=len(sittings),
            within=_within(log, sittings),
            per_sitting=statistics.fmean(1 / len(sitting) for sitting in sittings),
            inside=each.mean_error(),
            inside_freedom=sum(run.blocks - 1 for run in learned.runs),
            reach=each.reach,
        )
        for row, log, each, spread in zip(rows, logs, numbers, moderated, strict=True)
    ]


@lru_cache
def _most_by_chance(new: int, accepted: int) -> float:
    """The ratio of two equal variances that chance exceeds in one line of ten thousand."""
    from fsgauge.distributions import fdtri

    return float(fdtri(new, accepted, 1 - RARE))


def _within(logs: Sequence[float], sittings: Sequence[Sequence[int]]) -> float:
    """The deviation of a run inside its sitting; 0 where no sitting has two."""
    freedom = len(logs) - len(sittings)
    squares = 0.0
    for sitting in sittings:
        values = [logs[place] for place in sitting]
        mean = statistics.fmean(values)
        squares += math.fsum((value - mean) ** 2 for value in values)
    return math.sqrt(squares / freedom) if freedom else 0.0


def spreads(rows: Sequence[Sequence[float]], least: Sequence[float]) -> list[Scatter]:
    """How far equal builds come out apart, from run to run: logs, a row a line and a column a run.

    Five runs know a deviation badly (four degrees), but the lines of one metric resemble one
    another. So each variance is drawn towards what they have in common (Smyth, Statistical
    Applications in Genetics and Molecular Biology 3, 2004): s~2 = (d0 s02 + d s2) / (d0 + d),
    with d0 + d degrees of freedom, where d = runs - 1, and s02 and d0 are those of the F
    distribution that fits the lines' variances.

    Lines that move together say the same thing several times: all of them hold no more than D =
    d G2 / sum of r2 degrees (Box, Annals of Mathematical Statistics 25, 1954), G the number of
    lines and r the correlations of each two. d0 + d is never more than D, nor less than d.
    `least` is the deviation that each row has at least, as its buckets cause it.
    """
    values = np.asarray(rows, dtype=float)
    if not len(values):
        return []
    freedom = values.shape[1] - 1
    floor = np.maximum(np.asarray(least) ** 2, _LEAST_VARIANCE)
    variances = np.maximum(values.var(axis=1, ddof=1), floor)
    total = float(freedom)
    if len(variances) >= FEWEST_LINES:
        common, prior = _in_common(variances, freedom)
        total = max(freedom, min(freedom + prior, _most_freedom(values, freedom)))
        variances = ((total - freedom) * common + freedom * variances) / total
    return [Scatter(math.sqrt(variance), total) for variance in variances]


def _in_common(variances: NDArray[np.float64], freedom: int) -> tuple[float, float]:
    """The variance s02 that lines have in common, and the degrees d0 it counts for."""
    from scipy.special import polygamma, psi

    half = freedom / 2
    logs = np.log(variances) - psi(half) + math.log(half)
    mean, excess = float(logs.mean()), float(logs.var(ddof=1) - polygamma(1, half))
    if excess <= 0:
        return math.exp(mean), math.inf
    prior = 2 * _inverse_trigamma(excess)
    return math.exp(mean + float(psi(prior / 2)) - math.log(prior / 2)), prior


def _inverse_trigamma(value: float) -> float:
    """x with trigamma(x) = value, by Newton's method from below (Smyth's appendix)."""
    from scipy.special import polygamma

    x = 0.5 + 1 / value
    for _ in range(50):
        found = float(polygamma(1, x))
        step = found * (1 - found / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-8 * x:
            break
    return x


def _most_freedom(values: NDArray[np.float64], freedom: int) -> float:
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    squares = (unit @ unit.T) ** 2
    np.fill_diagonal(squares, 1.0)
    return float(freedom * len(values) ** 2 / squares.sum())


@dataclass(frozen=True)
class Watched:
    """A line's noise by its bases, and those of them that may raise an alarm."""

    noises: Mapping[Basis, LearnedNoise]
    tested: tuple[Basis, ...]

    def with_samples(self, samples: int) -> Watched:
        more = {basis: noise.with_samples(samples) for basis, noise in self.noises.items()}
        return Watched(more, self.tested)


def watched_lines(learned: Learned, noises: Noises, *, judged: bool = True) -> dict[Key, Watched]:
    """The lines in which a loss fails a build, or all others."""
    found = {}
    for line in learned.lines:
        own = noises.get(line.key, {})
        if is_whole(line) and own and learned.is_judged(line) == judged:
            is_baseline = line.system == learned.baseline
            found[line.key] = Watched(own, ("direct",) if is_baseline else tuple(own))
    return found


def is_whole(line: LearnedMean) -> bool:
    """Whether every accepted run has the line by all of its bases."""
    return all(None not in each.runs for each in (line.direct, line.to_baseline) if each)


def number_of_tests(lines: Iterable[Watched]) -> int:
    """All tests that are corrected together."""
    return sum(len(line.tested) for line in lines)
