"""Studies of one system that stop on the width of their interval, looked at after each block."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fsgauge.plan.levels import STOPPING_LEVEL
from fsgauge.stats.noise import PAIRED
from fsgauge.stats.planned import FEWEST_BLOCKS
from fsgauge.stats.ratio import t_quantile
from tests.known.noise_models import MODELS, NoiseModel, Values, nothing

STUDIES = 4000
MOST_BLOCKS = 40
WIDTHS_PERCENT = (3.0, 8.0)
STALL = math.log(0.5)


@dataclass(frozen=True)
class Row:
    """A noise of the rig, and the share of its runs in which the system alone stalls."""

    noise: NoiseModel
    stalls: float = 0.0

    @property
    def name(self) -> str:
        own = f"the system's own stalls in {100 * self.stalls:.0f} %"
        return own if self.stalls else self.noise.name


@dataclass(frozen=True)
class Stopped:
    """How often the interval holds the truth where a study stops, and after how many blocks."""

    coverage: float
    blocks: float


_NAMES = (
    "sd 5 %",
    "two equal modes",
    "slow mode in 10 %",
    "stalls in 8 %",
    "slow second, periodic",
    "heavy tails",
    "autocorrelation 0.5",
    "autocorrelation 0.9",
)
ROWS = [
    *(Row(next(model for model in MODELS if model.name == name)) for name in _NAMES),
    *(Row(NoiseModel("own", nothing, white=0.02), share) for share in (0.03, 0.08, 0.2)),
]


def stopped(row: Row, width_percent: float) -> Stopped:
    """One row at one width; a system whose stalls are its own has their mean as its truth."""
    chance = np.random.default_rng(5)
    logs = _placed(row.noise.logs(7, STUDIES, MOST_BLOCKS, 3), chance)
    stalls = chance.random(logs.shape[:2]) < row.stalls
    ratios = logs[..., 1] - (logs[..., 0] + logs[..., 2]) / 2 + STALL * (stalls - row.stalls)
    means, deviations = _so_far(ratios)
    of_rig = _so_far(logs[..., 2] - logs[..., 0])[1] * PAIRED
    counts = np.arange(2, MOST_BLOCKS + 1)
    quantiles = np.array([t_quantile(int(n) - 1, STOPPING_LEVEL) for n in counts])
    halves = quantiles * np.maximum(deviations, of_rig) / np.sqrt(counts)
    enough = (100 * np.expm1(halves) <= width_percent) & (counts >= FEWEST_BLOCKS)
    enough[:, -1] = True
    at = enough.argmax(axis=1)
    studies = np.arange(STUDIES)
    held = np.abs(means[studies, at]) <= halves[studies, at]
    return Stopped(float(held.mean()), float(counts[at].mean()))


def _placed(turns: Values, chance: np.random.Generator) -> Values:
    """[study, block, baseline, system and twin]: by lot, every second block backwards."""
    orders = np.argsort(chance.random(turns.shape), axis=2)
    orders[:, 1::2] = 2 - orders[:, ::2]
    return np.take_along_axis(turns, orders, axis=2)


def _so_far(logs: Values) -> tuple[Values, Values]:
    """Mean and deviation after each block from the second on."""
    counts = np.arange(1, logs.shape[1] + 1)
    means = logs.cumsum(axis=1) / counts
    squares = (logs**2).cumsum(axis=1) - counts * means**2
    variances = np.maximum(squares[:, 1:], 0) / (counts[1:] - 1)
    return means[:, 1:], np.sqrt(variances)
