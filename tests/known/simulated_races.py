"""Races of planted systems: noise of each one's own, drift between neighbouring runs, stalls.

Who leaves, who is parked, who leads and what is claimed is decided by `fsgauge.stats.race.rules`,
as in a study; here is only the world that it is asked about, and the truth to hold it against.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fsgauge.record.modes import LOOKS
from fsgauge.stats.race.rules import Standing, failed, finalists, look
from fsgauge.stats.ratio import ratio_of_blocks
from tests.known.planted import Values

SYSTEMS = 60
MARGIN = math.log(1.02)
CONFIRMING = 8
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
    """Systems with their true logs, the best at 0, on a machine that drifts."""

    truth: Values
    noise: Values
    chance: np.random.Generator
    runs: int = 0
    drift: float = 0.0

    @classmethod
    def of(cls, kind: Truth, noise: float, seed: int) -> World:
        """A world by lot."""
        chance = np.random.default_rng(seed)
        truth = kind(chance)
        own = noise * np.exp(chance.normal(0, OWN_NOISE, len(truth)))
        return cls(truth - truth.max(), own, chance, drift=chance.normal(0, DRIFT))

    def block(self, turns: Values) -> Values:
        """What each of these turns gives, run in an order by lot."""
        count = len(turns)
        steps = self.chance.normal(0, DRIFT * math.sqrt(1 - KEPT**2), count)
        drift = _DECAY[:count, :count] @ steps + self.drift * KEPT ** np.arange(1, count + 1)
        drift_of_turn = self.chance.permutation(drift + TREND * (self.runs + np.arange(count)))
        self.runs, self.drift = self.runs + count, float(drift[-1])
        stalls = STALL * (self.chance.random(count) < STALLS)
        noise = self.chance.normal(0, 1, count) * self.noise[turns]
        return np.asarray(self.truth[turns] + noise + drift_of_turn - stalls)


@dataclass(frozen=True)
class Ended:
    """How one race ended. `runs` are those of systems in the race, `beside` the baseline's second
    ones; `miss` is how far the fresh interval of the winner's gain lies from the truth."""

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
    covered: bool | None = field(default=None)

    @property
    def is_false_margin(self) -> bool:
        """The race ended as settled, and another one is better by more than the margin."""
        return self.claimed and self.worse_by > MARGIN

    @property
    def is_false_at_most(self) -> bool:
        """Another one is better than the sentence of every race allows."""
        return self.best_of_others > self.at_most + 1e-12


def raced(
    kind: Truth, noise: float, seed: int, *, confirms: bool = False, most: int = LOOKS[-1]
) -> Ended:
    """One race to its end, and the blocks that confirm it; after `most` blocks a budget ends it,
    with a look."""
    world = World.of(kind, noise, seed)
    systems = len(world.truth)
    baseline = int(world.chance.integers(systems))
    best = int(world.truth.argmax())
    standing = Standing(systems)
    values = np.full((LOOKS[-1], systems), np.nan)
    runs = beside = block = 0
    while block < most and not standing.settled:
        running = standing.running
        asked = [*running, *([baseline] if baseline in running else [])]
        found = world.block(np.array(asked))
        values[block, asked[::-1]] = found[::-1]  # the baseline's first turn is its value
        runs, beside = runs + len(running), beside + len(asked) - len(running)
        block += 1
        if block in LOOKS or block == most:
            standing = look(values[:block], standing, margin_log=MARGIN, looks=len(LOOKS))
    winner = standing.leader
    assert winner is not None
    return Ended(
        winner=winner,
        worse_by=float(-world.truth[winner]),
        best_left=best in standing.left,
        left=len(standing.left),
        claimed=standing.settled,
        at_most=standing.at_most,
        best_of_others=float(np.delete(world.truth, winner).max() - world.truth[winner]),
        runs=runs,
        beside=beside,
        blocks=block,
        covered=_covered(world, standing, baseline) if confirms else None,
    )


def _covered(world: World, standing: Standing, baseline: int) -> bool | None:
    """Whether the fresh interval of the winner's gain holds the truth; None where it won itself."""
    winner = standing.leader
    if winner is None or winner == baseline:
        return None
    turns = np.array([*finalists(standing, baseline), baseline])
    at = int(np.flatnonzero(turns == winner)[0])
    of_baseline = turns == baseline
    logs = []
    for _ in range(CONFIRMING):
        found = world.block(turns)
        logs.append(float(found[at] - found[of_baseline].mean()))
    ratio = ratio_of_blocks(logs)
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    true = math.exp(world.truth[winner] - world.truth[baseline])
    return ratio.low <= true <= ratio.high


def with_stalls(truth: Values, share: Values, loss: float, seed: int, *, missing: bool) -> Standing:
    """A race in which this share of each system's runs is not steady and loses so much as a log;
    such a run counts, or is `missing` as one that failed is."""
    chance, systems = np.random.default_rng(seed), len(truth)
    values = np.full((LOOKS[-1], systems), np.nan)
    standing, misses, block = Standing(systems), dict[int, int](), 0
    while block < LOOKS[-1] and not standing.settled and standing.in_race:
        running, stalled = standing.running, chance.random(systems) < share
        found = truth + chance.normal(0, 0.03, systems) - loss * stalled
        values[block, running] = np.where(stalled & missing, np.nan, found)[running]
        lost = [place for place in running if missing and stalled[place]]
        standing = failed(lost, running, block, standing, misses)
        block += 1
        if block in LOOKS and standing.in_race:
            standing = look(values[:block], standing, margin_log=MARGIN, looks=len(LOOKS))
    return standing


def races(kind: Truth, noise: float, count: int, *, confirms: bool = False) -> list[Ended]:
    """So many races of one truth and noise; the first ones are those of a smaller number."""
    return [raced(kind, noise, 1000 * seed + 7, confirms=confirms) for seed in range(count)]
