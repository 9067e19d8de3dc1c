"""Simulated studies as numbers alone: many at once, with the plan's randomised blocks.

A study is an array of log values [block, turn] in the order in which turns happen; drift is a
trend over the whole study. Systems sit at random places of each block, as the plan puts them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Simulated:
    """Log values [study, block] of the baseline's earlier and later turn and of one system."""

    earlier: Values
    later: Values
    system: Values

    def log_ratios(self) -> Values:
        """As stats.samples pairs them: the system over the mean of the baseline's two turns."""
        return self.system - (self.earlier + self.later) / 2

    def noise_log_ratios(self) -> Values:
        """A/A in order of time."""
        return self.later - self.earlier


def simulate(
    *,
    studies: int,
    blocks: int,
    seed: int,
    log_effect: float = 0.0,
    sigma: float = 0.03,
    drift: float = 0.0,
    autocorrelation: float = 0.0,
    turns: int = 4,
) -> Simulated:
    """`drift` is the log change from a study's first turn to its last."""
    chance = np.random.default_rng(seed)
    steps = blocks * turns
    noise = chance.normal(0, sigma, (studies, steps))
    if autocorrelation:
        for step in range(1, steps):
            fresh = noise[:, step] * np.sqrt(1 - autocorrelation**2)
            noise[:, step] = autocorrelation * noise[:, step - 1] + fresh
    conditions = (noise + drift * np.linspace(0, 1, steps)).reshape(studies, blocks, turns)
    places = chance.permuted(np.tile(np.arange(turns), (studies, blocks, 1)), axis=2)
    baseline = np.sort(places[..., :2], axis=2)

    def at(place: NDArray[np.int64]) -> Values:
        return np.take_along_axis(conditions, place[..., None], axis=2)[..., 0]

    return Simulated(at(baseline[..., 0]), at(baseline[..., 1]), at(places[..., 2]) + log_effect)
