"""Races of planted systems: noise of each one's own, drift between neighbouring runs, stalls.

Who leaves, who is parked, who leads and what is claimed is decided by `fsgauge.stats.race.rules`,
as in a study; here is only the world that it is asked about, and the truth to hold it against.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsgauge.plan.levels import shown_from
from fsgauge.record.modes import looks_of
from fsgauge.stats.race.rules import Standing, at_most_with, failed, finalists, look
from fsgauge.stats.ratio import ratio_of_blocks
from tests.known.planted import Values

SYSTEMS = 60
MARGIN = math.log(1.02)
BLOCKS, CONFIRMING = 24, 8
OWN_NOISE = 0.25
"""Noise differs by system: the spread of its logs."""
STALLS, STALL = 0.02, 0.25
"""So many runs stall, and lose so much as a log."""
DRIFT, KEPT = 0.04, 0.97
"""Deviation of the drift, and how much of it the next run has."""
TREND = -0.10 / 480
"""Of a run: a tenth over a full plan of eight blocks."""


def spread(chance: np.random.Generator) -> Values:
    """Rates that differ by 15 %."""
    return chance.normal(0, 0.15, SYSTEMS)


def close(chance: np.random.Generator) -> Values:
    """A quarter within 3 % of the best, the rest further down."""
    near = chance.uniform(-0.03, 0, SYSTEMS // 4)
    far = chance.normal(-0.15, 0.08, SYSTEMS - len(near))
    return chance.permutation(np.concatenate([near, far]))


def factors(chance: np.random.Generator) -> Values:
    """Five file systems with four and three values of two options, which hardly interact."""
    kind, one, other = (chance.normal(0, sd, n) for sd, n in ((0.12, 5), (0.05, 4), (0.03, 3)))
    both = chance.normal(0, 0.02, (5, 4, 3))
    return (kind[:, None, None] + one[None, :, None] + other[None, None, :] + both).ravel()


def equal(chance: np.random.Generator) -> Values:
    """No difference at all."""
    return np.zeros(SYSTEMS)


def twice_the_best(chance: np.random.Generator) -> Values:
    """The best one of `spread` has a duplicate."""
    truth = spread(chance)
    best, other = np.argsort(truth)[[-1, 0]]
    truth[other] = truth[best]
    return truth


Truth = Callable[[np.random.Generator], Values]
_DECAY = KEPT ** np.maximum(np.subtract.outer(np.arange(2 * SYSTEMS), np.arange(2 * SYSTEMS)), 0)
_DECAY = np.tril(_DECAY)


@dataclass
class World:
    """Systems with their true logs, the best at 0, on a machine that drifts. `share` of each one's
    runs stall, and lose `loss`."""

    truth: Values
    noise: Values
    share: Values
    loss: Values
    chance: np.random.Generator
    runs: int = 0
    drift: float = 0.0

    @classmethod
    def of(
        cls, kind: Truth, noise: float, seed: int, rare: float, usual: tuple[float, float]
    ) -> World:
        """A world by lot; with `rare`, the second best one is 5 % faster than the best, and 5 %
        slower by the mean, for so many of its runs stall."""
        chance = np.random.default_rng(seed)
        truth = kind(chance)
        truth -= truth.max()
        own = noise * np.exp(chance.normal(0, OWN_NOISE, len(truth)))
        share, loss = (np.full(len(truth), each) for each in usual)
        if rare:
            second = np.argsort(truth)[-2]
            truth[second], share[second], loss[second] = -0.05, rare, 0.10 / rare
        return cls(truth, own, share, loss, chance, drift=chance.normal(0, DRIFT))

    def block(self, turns: Values) -> tuple[Values, Values]:
        """What each of these turns gives, run in an order by lot, and which of them stalled."""
        count = len(turns)
        steps = self.chance.normal(0, DRIFT * math.sqrt(1 - KEPT**2), count)
        drift = _DECAY[:count, :count] @ steps + self.drift * KEPT ** np.arange(1, count + 1)
        drift_of_turn = self.chance.permutation(drift + TREND * (self.runs + np.arange(count)))
        self.runs, self.drift = self.runs + count, float(drift[-1])
        share, loss = self.share[turns], self.loss[turns]
        stalls = self.chance.random(count) < share
        noise = self.chance.normal(0, 1, count) * self.noise[turns]
        steady = self.truth[turns] + share * loss
        return np.asarray(steady + noise + drift_of_turn - loss * stalls), stalls


@dataclass(frozen=True)
class Ended:
    """How one race ended, once fresh blocks had their say. `runs` are those of systems in the race,
    `beside` the baseline's second ones; `covered`: whether the fresh interval of the winner's gain
    holds the truth, None where the baseline won. `stalled`: how many of the winner's runs did;
    `too_rarely`: it stalls in fewer of them than the answer says that it has to, to be found."""

    winner: int
    worse_by: float
    best_left: bool
    left: int
    claimed: bool
    at_most: float
    best_of_others: float
    runs: int
    beside: int
    blocks: int
    covered: bool | None
    stalled: int
    too_rarely: bool

    @property
    def is_false_as_said(self) -> bool:
        """Something is false that does not follow from stalls rarer than the answer says."""
        return not self.too_rarely and (self.is_false_margin or self.is_false_at_most)

    @property
    def is_false_margin(self) -> bool:
        """The race ended as settled, and another one is better by more than the margin."""
        return self.claimed and self.worse_by > MARGIN

    @property
    def is_false_at_most(self) -> bool:
        """Another one is better than the sentence of every race allows."""
        return self.best_of_others > self.at_most + 1e-12


def raced(
    kind: Truth,
    noise: float,
    seed: int,
    *,
    blocks: int = BLOCKS,
    most: int | None = None,
    confirming: int = CONFIRMING,
    rare: float = 0.0,
    usual: tuple[float, float] = (STALLS, STALL),
    missing: bool = False,
) -> Ended:
    """One race of up to so many blocks, and those that confirm it; after `most` blocks a budget
    ends it, with a look. Runs that stall are `missing`, or count; `usual` is the share of them, and
    what they lose, of all systems but the one whose stalls are `rare`."""
    world = World.of(kind, noise, seed, rare, usual)
    systems = len(world.truth)
    baseline = int(world.chance.integers(systems))
    best = int(world.truth.argmax())
    standing = Standing(systems)
    values = np.full((blocks + confirming, systems), np.nan)
    stalled = np.zeros(systems, dtype=int)
    runs = beside = block = 0
    looks = looks_of(blocks)
    while block < (most or blocks) and not standing.settled:
        running = standing.running
        asked = [*running, *([baseline] if baseline in running else [])]
        found, stalls = world.block(np.array(asked))
        found[stalls & missing] = np.nan
        values[block, asked[::-1]] = found[::-1]  # the baseline's first turn is its value
        stalled[running] += stalls[: len(running)]
        runs, beside = runs + len(running), beside + len(asked) - len(running)
        lost = [place for place in running if np.isnan(values[block, place])]
        standing = failed(lost, running, block, standing)
        block += 1
        if block in looks or block == most:
            standing = look(values[:block], standing, margin_log=MARGIN, looks=len(looks))
    winner = standing.leader
    assert winner is not None
    turns = np.array([*finalists(standing, baseline), baseline])
    fresh = np.full((confirming, len(turns)), np.nan)
    for each in fresh:
        each[:], stalls = world.block(turns)
        each[stalls & missing] = np.nan
        stalled[turns[:-1]] += stalls[:-1]
    values[block : block + confirming, turns[::-1]] = fresh[:, ::-1]
    seen = values[: block + confirming]
    at_most = at_most_with(seen, standing)
    return Ended(
        winner=winner,
        worse_by=float(-world.truth[winner]),
        best_left=best in standing.left,
        left=len(standing.left),
        claimed=standing.settled and at_most <= MARGIN,
        at_most=at_most,
        best_of_others=float(np.delete(world.truth, winner).max() - world.truth[winner]),
        runs=runs,
        beside=beside,
        blocks=block,
        covered=_covered(world, fresh, turns, winner),
        stalled=int(stalled[winner]),
        too_rarely=bool(world.share[winner] < shown_from(int((~np.isnan(seen[:, winner])).sum()))),
    )


def _covered(world: World, fresh: Values, turns: Values, winner: int) -> bool | None:
    """Whether the fresh interval of the winner's gain holds the truth; None where it won itself."""
    baseline = turns[-1]
    if winner == baseline:
        return None
    at = int(np.flatnonzero(turns == winner)[0])
    logs = fresh[:, at] - fresh[:, turns == baseline].mean(axis=1)
    ratio = ratio_of_blocks([float(each) for each in logs if not np.isnan(each)])
    if ratio is None or ratio.low is None or ratio.high is None:
        return None
    true = math.exp(world.truth[winner] - world.truth[baseline])
    return ratio.low <= true <= ratio.high


def races(kind: Truth, noise: float, count: int, **keys: Any) -> list[Ended]:
    """So many races of one truth and noise; the first ones are those of a smaller number."""
    return [raced(kind, noise, 1000 * seed + 7, **keys) for seed in range(count)]
