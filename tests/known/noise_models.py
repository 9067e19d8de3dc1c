"""Noise as machines make it: what is added to the log of each turn's value, many studies at once.

Each model gives an array [study, block, turn] of logs, in the order in which turns happen; a study
begins at its first turn and the models know nothing of systems. Every model has some white noise on
top, as no two runs are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Shape = tuple[int, int]
"""Studies, and turns of one in order of time."""
WHITE = 0.03
"""Deviation of the white noise of models that are about something else."""


@dataclass(frozen=True)
class NoiseModel:
    """`apart` says why a row of it may lie outside of the limits; empty where none may."""

    name: str
    of_turns: Callable[[np.random.Generator, Shape], Values]
    white: float = WHITE
    apart: str = ""

    def logs(self, seed: int, studies: int, blocks: int, turns: int) -> Values:
        """Logs [study, block, turn] of studies with so many turns a block."""
        chance = np.random.default_rng(seed)
        shape = (studies, blocks * turns)
        found = self.of_turns(chance, shape) + chance.normal(0, self.white, shape)
        return found.reshape(studies, blocks, turns)


def nothing(chance: np.random.Generator, shape: Shape) -> Values:
    """White noise alone."""
    return np.zeros(shape)


def drift(change: float) -> Callable[[np.random.Generator, Shape], Values]:
    """A rate that changes evenly, by this much from the first turn to the last."""

    def of_turns(chance: np.random.Generator, shape: Shape) -> Values:
        line = np.linspace(0, math.log1p(change), shape[1])
        return np.broadcast_to(line, shape).copy()

    return of_turns


def drift_a_turn(change: float) -> Callable[[np.random.Generator, Shape], Values]:
    """The same, by this much from one turn to the next."""

    def of_turns(chance: np.random.Generator, shape: Shape) -> Values:
        line = math.log1p(change) * np.arange(shape[1])
        return np.broadcast_to(line, shape).copy()

    return of_turns


def random_walk(chance: np.random.Generator, shape: Shape) -> Values:
    """Each turn differs from the one before by 3 %."""
    return chance.normal(0, 0.03, shape).cumsum(axis=1)


def cold_start(chance: np.random.Generator, shape: Shape) -> Values:
    """The first turn reaches 70 %; the gap shrinks by a third with each turn."""
    gap = math.log(0.7) * (2 / 3) ** np.arange(shape[1])
    return np.broadcast_to(gap, shape).copy()


def single_bursts(chance: np.random.Generator, shape: Shape) -> Values:
    """One turn of 50 is at half its rate."""
    return math.log(0.5) * (chance.random(shape) < 0.02)


def clustered_bursts(chance: np.random.Generator, shape: Shape) -> Values:
    """The same share of turns, four in a row on average."""
    return math.log(0.5) * _two_states(chance, shape, share=0.02, stays=0.75)


def bimodal(chance: np.random.Generator, shape: Shape) -> Values:
    """One turn of three is 15 % slower, by lot."""
    return math.log(0.85) * (chance.random(shape) < 1 / 3)


def sticky(chance: np.random.Generator, shape: Shape) -> Values:
    """The same share of turns, ten in a row on average."""
    return math.log(0.85) * _two_states(chance, shape, share=1 / 3, stays=0.9)


def _two_states(
    chance: np.random.Generator, shape: Shape, *, share: float, stays: float
) -> NDArray[np.bool_]:
    """Turns in the rarer of two states, in which `share` of all are, and which lasts."""
    begins = (1 - stays) * share / (1 - share)
    lots = chance.random(shape)
    state = np.zeros(shape, dtype=bool)
    state[:, 0] = lots[:, 0] < share
    for turn in range(1, shape[1]):
        state[:, turn] = lots[:, turn] < np.where(state[:, turn - 1], stays, begins)
    return state


def two_modes(chance: np.random.Generator, shape: Shape) -> Values:
    """Each turn is in one of two modes by lot, one 30 % slower than the other."""
    return math.log(0.7) * (chance.random(shape) < 0.5)


def slow_mode(chance: np.random.Generator, shape: Shape) -> Values:
    """One turn of ten is 30 % slower, by lot."""
    return math.log(0.7) * (chance.random(shape) < 0.1)


def rare_stalls(chance: np.random.Generator, shape: Shape) -> Values:
    """One turn of twelve reaches a third of its rate."""
    return math.log(1 / 3) * (chance.random(shape) < 1 / 12)


def periodic(chance: np.random.Generator, shape: Shape) -> Values:
    """Every fourth turn meets a slow second, the first of them by lot, and is 30 % slower."""
    begins = chance.integers(0, 4, (shape[0], 1))
    return math.log(0.7) * ((np.arange(shape[1]) + begins) % 4 == 0)


def heavy_tails(chance: np.random.Generator, shape: Shape) -> Values:
    """Student's errors of two degrees, whose variance has no end."""
    return 0.03 * chance.standard_t(2, shape)


def autocorrelated(share: float) -> Callable[[np.random.Generator, Shape], Values]:
    """Each turn keeps a share of the one before; their deviation is 5 %."""

    def of_turns(chance: np.random.Generator, shape: Shape) -> Values:
        noise = chance.normal(0, 0.05, shape)
        for turn in range(1, shape[1]):
            fresh = math.sqrt(1 - share**2) * noise[:, turn]
            noise[:, turn] = share * noise[:, turn - 1] + fresh
        return noise

    return of_turns


_FEW = 0.005
"""White noise beside modes that are far apart."""
MODELS = [
    *(NoiseModel(f"sd {100 * sd:g} %", nothing, white=sd) for sd in (0.02, 0.05, 0.10, 0.20)),
    NoiseModel("drift 30 % over the study", drift(0.30)),
    NoiseModel("drift 30 %, sd 0.5 %", drift(0.30), white=0.005),
    NoiseModel("drift 3 % a turn", drift_a_turn(0.03)),
    NoiseModel("random walk", random_walk),
    NoiseModel("cold start", cold_start),
    NoiseModel("single bursts", single_bursts),
    NoiseModel("clustered bursts", clustered_bursts),
    NoiseModel("bimodal by turn", bimodal),
    NoiseModel("bimodal, sticky", sticky),
    NoiseModel("two equal modes", two_modes, white=_FEW),
    NoiseModel("slow mode in 10 %", slow_mode, white=_FEW),
    NoiseModel("stalls in 8 %", rare_stalls),
    NoiseModel("slow second, periodic", periodic, white=_FEW),
    NoiseModel("heavy tails", heavy_tails, white=_FEW),
    NoiseModel("autocorrelation 0.5", autocorrelated(0.5), white=_FEW),
    NoiseModel("autocorrelation 0.9", autocorrelated(0.9), white=_FEW),
    NoiseModel("sd 100 %", nothing, white=math.log(2)),
    NoiseModel("sd 300 %", nothing, white=math.log(4)),
]
