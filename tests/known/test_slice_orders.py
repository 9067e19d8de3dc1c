"""Why slices are as long as they are and go forwards and backwards: orders tried on known noise.

A system's rate has noise as it was measured on a shared machine's disk: equal runs differ by 0.27
(log) a second apart, 0.43 ten seconds apart, 0.55 half a minute apart. Without that noise, it
drifts, or one system slows its successor. `slice_rounds` is what a plan uses; the other orders
stand here to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fsgauge.plan.slices import slice_rounds
from fsgauge.plan.turns import make_plan
from fsgauge.study.parse import load_study

STEP_S = 0.5
CELL_S = 10.0
START_S = 0.07
TURN_S = 22.0
"""Between the runs of a cell where systems are measured one by one."""
SYSTEMS = 4
STUDIES = 600
CULPRIT = 1
PLAN = make_plan(load_study("overhead-full", seed=7), size_bytes=8 << 30)

Order = Callable[[np.random.Generator, int, int], list[int]]


def planned(chance: np.random.Generator, block: int, rounds: int) -> list[int]:
    return [at for order in slice_rounds(PLAN, block, "cell", SYSTEMS, rounds) for at in order]


def by_lot(chance: np.random.Generator, block: int, rounds: int) -> list[int]:
    return [int(at) for _ in range(rounds) for at in chance.permutation(SYSTEMS)]


def again_and_again(chance: np.random.Generator, block: int, rounds: int) -> list[int]:
    return [int(at) for at in chance.permutation(SYSTEMS)] * rounds


def williams(chance: np.random.Generator, block: int, rounds: int) -> list[int]:
    """Every system follows every other once in as many rounds as there are systems."""
    names, rows = chance.permutation(SYSTEMS), chance.permutation(SYSTEMS)
    return [
        int(names[(step + rows[number % SYSTEMS]) % SYSTEMS])
        for number in range(rounds)
        for step in (0, 1, SYSTEMS - 1, 2)
    ]


def shared_disk(chance: np.random.Generator, steps: int) -> np.ndarray:
    """Log rate at each step: white noise, and noise that is remembered for ten seconds."""
    keep = np.exp(-STEP_S / 10)
    slow = np.empty(steps)
    slow[0] = chance.normal(0, 0.34)
    for at, news in enumerate(chance.normal(0, 0.34 * np.sqrt(1 - keep**2), steps - 1)):
        slow[at + 1] = keep * slow[at] + news
    return chance.normal(0, 0.19, steps) + slow


def drift(chance: np.random.Generator, steps: int) -> np.ndarray:
    return chance.normal(0, 0.02, steps) + 0.3 * np.arange(steps) * STEP_S / CELL_S / SYSTEMS


def white(chance: np.random.Generator, steps: int) -> np.ndarray:
    return chance.normal(0, 0.02, steps)


def log_ratios(
    order: Order,
    slice_s: float,
    noise: Callable[[np.random.Generator, int], np.ndarray],
    slowed_percent: float = 0.0,
) -> np.ndarray:
    """The culprit's log ratio to another system in each of many studies of one cell."""
    chance = np.random.default_rng(20261123)
    rounds = round(CELL_S / slice_s)
    ratios = []
    for study in range(STUDIES):
        sequence = order(chance, study, rounds)
        total_s = len(sequence) * (slice_s + START_S)
        log_rate = noise(chance, int(total_s / STEP_S) + 2)
        rates: dict[int, list[float]] = {at: [] for at in range(SYSTEMS)}
        for number, at in enumerate(sequence):
            begin = int(number * (slice_s + START_S) / STEP_S)
            end = max(begin + 1, int((number * (slice_s + START_S) + slice_s) / STEP_S))
            rate = float(np.mean(np.exp(log_rate[begin:end])))
            if number and sequence[number - 1] == CULPRIT:
                rate *= 1 - slowed_percent / 100
            rates[at].append(rate)
        other = [at for at in range(SYSTEMS) if at != CULPRIT][study % (SYSTEMS - 1)]
        ratios.append(np.log(np.mean(rates[CULPRIT]) / np.mean(rates[other])))
    return np.array(ratios)


def one_by_one() -> np.ndarray:
    chance, steps = np.random.default_rng(1), int(TURN_S / STEP_S)
    length = int(CELL_S / STEP_S)
    ratios = []
    for _ in range(STUDIES):
        rate = np.exp(shared_disk(chance, steps + length))
        ratios.append(np.log(rate[steps:].mean() / rate[:length].mean()))
    return np.array(ratios)


@pytest.fixture(scope="module")
def width_one_by_one() -> float:
    return float(one_by_one().std())


@pytest.mark.parametrize(
    ("slice_s", "low", "high"), [(0.5, 0.18, 0.33), (1.0, 0.2, 0.35), (5.0, 0.5, 0.78)]
)
def test_shorter_slices_are_narrower(
    slice_s: float, low: float, high: float, width_one_by_one: float
) -> None:
    """The numbers in fsgauge/workload/slicing.py."""
    ratio = log_ratios(planned, slice_s, shared_disk).std() / width_one_by_one
    assert low < ratio < high


@pytest.mark.parametrize("other", [by_lot, again_and_again, williams])
def test_no_other_order_is_narrower_without_drift(other: Order) -> None:
    width = log_ratios(planned, 0.5, shared_disk).std()
    assert width < 1.12 * log_ratios(other, 0.5, shared_disk).std()


@pytest.mark.parametrize("other", [by_lot, again_and_again, williams])
def test_under_drift_it_is_the_narrowest(other: Order) -> None:
    width = log_ratios(planned, 2.5, drift).std()
    assert width < 1.02 * log_ratios(other, 2.5, drift).std()
    assert width < 0.6 * log_ratios(again_and_again, 2.5, drift).std()


def test_who_slows_its_successor_gains_little() -> None:
    """10 % slower after the culprit: the ratio moves by less than 1 %; by lot, by 2 to 4 %."""
    assert abs(log_ratios(planned, 1.0, white, 10.0).mean()) < 0.01
    assert 0.02 < log_ratios(by_lot, 1.0, white, 10.0).mean() < 0.04
    assert log_ratios(williams, 1.0, white, 10.0).mean() > 0.015
