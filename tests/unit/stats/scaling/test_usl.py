"""The law itself, and least squares against another solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from fsgauge.stats.scaling.usl import fit, throughput

WRITERS = np.array([1, 2, 4, 8, 16, 32], dtype=np.float64)


@pytest.mark.parametrize(
    "truth",
    [(1000, 0, 0), (1000, 0.05, 0.002), (21_845, 1.0, 0), (3, 0.3, 0.01), (5e6, 1.5, 0.2)],
)
def test_exact_rates_give_exact_coefficients(truth: tuple[float, float, float]) -> None:
    logs = np.log(throughput(WRITERS, np.array(truth)))
    found = fit(WRITERS, logs[None], np.ones(6))[0]
    assert found == pytest.approx(truth, rel=1e-6, abs=1e-9)


def test_it_is_the_minimum_that_another_solver_finds() -> None:
    """50 noisy sets, unequal weights, many with a coefficient at its bound of zero."""
    chance = np.random.default_rng(1)
    weights = np.array([1, 2, 3, 4, 5, 6.0])
    truth = np.array([1000, 0.02, 0.0005])
    logs = np.log(throughput(WRITERS, truth)) + chance.normal(0, 0.1, (50, 6))
    found = fit(WRITERS, logs, weights)
    assert np.any(found[:, 1:] == 0)

    for one, coefficients in zip(logs, found, strict=True):

        def residuals(x: np.ndarray, one: np.ndarray = one) -> np.ndarray:
            return np.sqrt(weights) * (np.log(throughput(WRITERS, x)) - one)

        other = least_squares(
            residuals, [1000, 0.1, 0.001], bounds=([1e-9, 0, 0], np.inf), x_scale=[1e3, 0.1, 1e-3]
        )
        assert np.sum(residuals(coefficients) ** 2) <= 2 * other.cost * (1 + 1e-6)


def test_coefficients_are_never_negative() -> None:
    """Rates that grow faster than the writers: the nearest law is the straight line."""
    logs = np.log(1000 * WRITERS**1.2)
    rate, contention, coherency = fit(WRITERS, logs[None], np.ones(6))[0]
    assert contention == coherency == 0
    assert rate > 1000


def test_a_weight_draws_the_curve_to_its_point() -> None:
    logs = np.log(throughput(WRITERS, np.array([1000, 0.05, 0.001])))
    logs[3] += 0.2
    weights = np.array([1, 1, 1, 1e6, 1, 1])
    best = fit(WRITERS, logs[None], weights)[0]
    assert np.log(throughput(WRITERS, best))[3] == pytest.approx(logs[3], abs=1e-3)
