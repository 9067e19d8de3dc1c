"""The moderated deviation: its limits, its formula, and lines that move together."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from fsgauge.stats.gate.noise import spreads


def rows(sigmas: list[float], runs: int, seed: int = 1) -> list[list[float]]:
    chance = np.random.default_rng(seed)
    return [list(chance.normal(0, sigma, runs)) for sigma in sigmas]


def test_few_lines_have_their_own_deviation() -> None:
    found = spreads(rows([0.01, 0.02], 6), [0, 0])
    for spread, row in zip(found, rows([0.01, 0.02], 6), strict=True):
        assert spread.deviation == pytest.approx(statistics.stdev(row))
        assert spread.freedom == 5


def test_lines_that_share_their_noise_are_known_better_than_each_alone() -> None:
    """The truth is 0.02; four degrees are off by a third."""
    values = rows([0.02] * 40, 5)
    found = spreads(values, [0] * 40)
    alone = [statistics.stdev(row) for row in values]
    assert {round(each.freedom, 6) for each in found} != {4}
    off = [abs(math.log(each.deviation / 0.02)) for each in found]
    assert statistics.fmean(off) < statistics.fmean(abs(math.log(s / 0.02)) for s in alone) / 3


def test_lines_that_differ_in_noise_keep_their_own() -> None:
    """Eight lines, each three times as noisy as the one before."""
    sigmas = [0.001 * 3**place for place in range(8)]
    found = [each.deviation for each in spreads(rows(sigmas, 12), [0] * 8)]
    assert found == sorted(found)
    assert found[-1] / found[0] > 3**6


def test_lines_that_move_together_are_one_line() -> None:
    row = rows([0.02], 6)[0]
    found = spreads([row, [2 * each for each in row], [each / 3 for each in row]], [0, 0, 0])
    assert {each.freedom for each in found} == {5.0}
    assert found[0].deviation == pytest.approx(statistics.stdev(row))


def test_the_formula_of_smyth_gives_what_it_gives_by_hand() -> None:
    """Degrees and variance of the prior by moments of log F, solved here by bisection."""
    from scipy.special import polygamma, psi

    values = rows([0.01, 0.02, 0.03, 0.015, 0.025, 0.05], 30, seed=3)
    variances = [statistics.variance(row) for row in values]
    half = 29 / 2
    logs = [math.log(v) - float(psi(half)) + math.log(half) for v in variances]
    excess = statistics.variance(logs) - float(polygamma(1, half))
    low, high = 1e-3, 1e3
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if float(polygamma(1, middle)) > excess else (low, middle)
    prior = 2 * low
    common = math.exp(statistics.fmean(logs) + float(psi(low)) - math.log(low))
    for spread, variance in zip(spreads(values, [0] * 6), variances, strict=True):
        assert spread.freedom == pytest.approx(29 + prior, rel=1e-6)
        expected = (prior * common + 29 * variance) / (prior + 29)
        assert spread.deviation**2 == pytest.approx(expected, rel=1e-6)


def test_buckets_leave_a_least_deviation() -> None:
    assert spreads([[1.0, 1.0, 1.0]], [0.004])[0].deviation == pytest.approx(0.004)
