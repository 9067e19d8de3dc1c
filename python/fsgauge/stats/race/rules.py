"""The rules of a race in blocks, of numbers alone.

A value is the log of what a system did in a block, higher is better. After fixed blocks it is
looked at: a system leaves when the top of its interval against the leader lies below the leader.
The bound is that of Bonferroni over all rivals and looks (plan/levels.py), so that the best one
leaves in at most 5 % of all races; the error is that of the two-way fit of all systems and blocks,
and never less than the pair's own, nor than what the leader varies by in all of its blocks. A rival
that could not be better by more than the margin is parked: it is not run again unless another one
leads. What was claimed is looked at again with the blocks that confirm (`at_most_with`). Sources:
Hsu, "Multiple Comparisons" (1996), comparisons with the best; Lopez-Ibanez et al., "The irace
package" (2016), blocks as instances.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fsgauge.plan.levels import of_look
from fsgauge.record.modes import FINALISTS
from fsgauge.stats.ratio import t_quantile

FAILURES = 2
"""In a row: a system that fails, or does too little to be measured, so often leaves."""

Array = NDArray[np.float64]
"""Floats of blocks by systems; a value that is missing is not a number."""


@dataclass(frozen=True)
class Interval:
    """The log of a system over the leader, and the ends of its interval, which is `per_deviation`
    wide on each side for each unit of the deviation of single values."""

    log: float
    low: float
    high: float
    per_deviation: float = 0.0


@dataclass(frozen=True)
class Left:
    """Who left: after how many blocks, against whom, at which interval; None of one that failed."""

    after_block: int
    leader: int
    interval: Interval | None


@dataclass(frozen=True)
class Standing:
    """How a race stands. Systems are places in the study's order.

    Those that are `weaker` give up what the others keep: they never lead, and nothing is claimed of
    them. `left` are those that left; `parked` are in the race and not run; `misses` is how often in
    a row each one failed, or did too little. `over_leader` has the last interval of each that is in
    it. `at_most` is the log by which any other one may be better than the leader, infinite before
    the first look; `settled`: at most the margin, so that the race is over.
    """

    systems: int
    weaker: frozenset[int] = frozenset()
    leader: int | None = None
    left: Mapping[int, Left] = field(default_factory=dict)
    parked: frozenset[int] = frozenset()
    misses: Mapping[int, int] = field(default_factory=dict)
    over_leader: Mapping[int, Interval] = field(default_factory=dict)
    at_most: float = math.inf
    settled: bool = False

    @property
    def in_race(self) -> list[int]:
        return [place for place in range(self.systems) if place not in self.left]

    @property
    def running(self) -> list[int]:
        """The systems that the next block runs."""
        return [place for place in self.in_race if place not in self.parked]

    @property
    def may_lead(self) -> list[int]:
        return [place for place in self.in_race if place not in self.weaker]


def look(values: Array, standing: Standing, *, margin_log: float, looks: int) -> Standing:
    """The standing after a look at all blocks so far; `looks` is how many the race has at most. A
    weaker system is parked once it is surely better. Where none may lead, nothing is seen."""
    active, may_lead = standing.in_race, standing.may_lead
    if not may_lead:
        return standing
    fit = fitted(values[:, active])
    of = dict(zip(active, fit.means, strict=True))
    run_now = [place for place in may_lead if place not in standing.parked]
    leader = max(run_now or may_lead, key=of.__getitem__)
    least = max(math.sqrt(2 * fit.variance), float(fit.deviations[active.index(leader)]))
    errors = t_quantile(fit.freedom, of_look(looks, standing.systems - 1))
    intervals = _over(values, active, leader, least, errors)
    stays = {place: each for place, each in intervals.items() if each.high >= 0}
    gone = {at: Left(len(values), leader, each) for at, each in intervals.items() if each.high < 0}
    at_most = max((stays[place].high for place in may_lead if place in stays), default=-math.inf)
    parked = [
        place
        for place, each in stays.items()
        if each.high <= margin_log or (place in standing.weaker and each.low > 0)
    ]
    return replace(
        standing,
        leader=leader,
        left={**standing.left, **gone},
        parked=frozenset(parked),
        over_leader=stays,
        at_most=max(0.0, at_most),
        settled=at_most <= margin_log,
    )


def failed(
    missed: Collection[int], asked: Sequence[int], block: int, standing: Standing
) -> Standing:
    """The standing after a block of which some that were `asked` failed, or did too little. Where
    the leader leaves so, the nearest one leads, and nothing is claimed before the next look."""
    now = {place: standing.misses.get(place, 0) + 1 if place in missed else 0 for place in asked}
    gone = [at for at, many in now.items() if many >= FAILURES and at not in standing.left]
    against = {at: at if standing.leader is None else standing.leader for at in gone}
    left = {**standing.left, **{at: Left(block + 1, against[at], None) for at in gone}}
    misses = {**standing.misses, **now}
    if standing.leader not in left:
        return replace(standing, left=left, misses=misses)
    begun = Standing(standing.systems, standing.weaker, left=left, misses=misses)
    rest = [place for place in begun.may_lead if place in standing.over_leader]
    nearest = max(rest, key=lambda place: standing.over_leader[place].log, default=None)
    return replace(begun, leader=nearest)


def finalists(standing: Standing, baseline: int) -> list[int]:
    """Who the confirming blocks run, the baseline first: the leader and its nearest rivals, one of
    the weaker; who left last where there is no other. None where nothing leads."""
    if standing.leader is None:
        return []
    logs = {place: each.log for place, each in standing.over_leader.items()}
    rivals = [place for place in standing.in_race if place not in (standing.leader, baseline)]
    rivals.sort(key=lambda place: -logs.get(place, -math.inf))
    weaker = [place for place in rivals if place in standing.weaker][:1]
    equals = [place for place in rivals if place not in standing.weaker]
    rivals = [*equals[: FINALISTS - 2 - len(weaker)], *weaker]
    chosen = list(dict.fromkeys([baseline, standing.leader, *rivals]))
    if len(chosen) == 1:
        left = standing.left.items()
        gone = {(each.after_block, each.interval.log): at for at, each in left if each.interval}
        chosen += [gone[max(gone)]] if gone else []
    return chosen


def at_most_with(values: Array, standing: Standing) -> float:
    """The log by which any other one may be better than the leader, those that left among them,
    once blocks after the race are known too.

    Who was held against a system that stalls in one run of many may have met none of its stalls.
    What that one varies by in all of its blocks then widens every interval that it made. One that
    failed made none, and is taken by its mean.
    """
    leader = standing.leader
    if leader is None:
        return math.inf
    fit = fitted(values)

    def most(place: int) -> float:
        against, interval = leader, standing.over_leader.get(place)
        if place in standing.left:
            against, interval = standing.left[place].leader, standing.left[place].interval
        if place == leader:
            return 0.0
        if interval is None:
            return float(fit.means[place] - fit.means[leader])
        varies = interval.per_deviation * float(fit.deviations[against])
        return interval.log + max(interval.high - interval.log, varies) + most(against)

    failed = [place for place, each in standing.left.items() if each.interval is None]
    away = {leader, *standing.weaker, *failed}
    others = [most(place) for place in range(standing.systems) if place not in away]
    return max(0.0, *others) if others else standing.at_most


@dataclass(frozen=True)
class Fit:
    """Means of systems, the variance of a value with its freedom, deviations of each one's own."""

    means: Array
    variance: float
    freedom: float
    deviations: Array


def fitted(values: Array) -> Fit:
    """The two-way fit, system plus block, of log values (blocks, systems), NaN where there is none.
    A system's mean is what is left of it once the level of each block is taken off."""
    known = ~np.isnan(values)
    means = np.zeros(values.shape[1])
    filled = np.where(known, values, 0.0)
    in_row = np.maximum(known.sum(axis=1, keepdims=True), 1)
    in_column = known.sum(axis=0)
    for _ in range(8):
        blocks = np.where(known, filled - means, 0.0).sum(axis=1, keepdims=True) / in_row
        means = np.where(known, filled - blocks, 0.0).sum(axis=0) / np.maximum(in_column, 1)
    squares = np.where(known, filled - blocks - means, 0.0) ** 2
    freedom = max(1.0, float(known.sum() - values.shape[1] - len(values) + 1))
    deviations = np.sqrt(squares.sum(axis=0) / np.maximum(in_column - 1, 1))
    return Fit(means, float(squares.sum()) / freedom, freedom, deviations)


def _over(
    values: Array, active: Sequence[int], leader: int, least: float, errors: float
) -> dict[int, Interval]:
    """Each active system over the leader, on the blocks that both have; the interval is so many
    standard errors wide on each side, of at least this deviation of a pair's difference."""
    rivals = [place for place in active if place != leader]
    apart = values[:, rivals] - values[:, [leader]]
    known = ~np.isnan(apart)
    shared = known.sum(axis=0)
    some = np.maximum(shared, 1)
    means = np.where(known, apart, 0.0).sum(axis=0) / some
    squares = (np.where(known, apart - means, 0.0) ** 2).sum(axis=0) / np.maximum(some - 1, 1)
    wide = errors / np.sqrt(some)
    half = np.where(shared < 2, math.inf, wide * np.maximum(least, np.sqrt(squares)))
    found = zip(rivals, means, means - half, means + half, wide, strict=True)
    return {place: Interval(*map(float, each)) for place, *each in found}
