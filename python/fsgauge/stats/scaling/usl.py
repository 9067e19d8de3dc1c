"""The Universal Scalability Law, and its weighted least squares on log X, many sets at once.

    X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1))

Written as N / X = a + b (N - 1) + c N (N - 1) it is linear: a = 1 / rate, b = contention / rate,
c = coherency / rate. The residual of log X is then found by Gauss and Newton, each step a linear
problem of three non-negative unknowns, which the best of its four possible active sets solves
exactly (a is always positive). Thousands of bootstrap refits are so a few operations on arrays.
Source of the law: N. Gunther, Guerrilla Capacity Planning, 2007, chapter 4.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

PARAMETERS = 3
_ACTIVE_SETS = ([0], [0, 1], [0, 2], [0, 1, 2])
_STEPS = 30
_LARGEST_STEP = 0.9
_SMALLEST_CHANGE = 1e-7


def throughput(counts: Floats, coefficients: Floats) -> Floats:
    """X at each of `counts`; coefficients [..., 3] are rate, contention, coherency."""
    rate, contention, coherency = (coefficients[..., at, None] for at in range(PARAMETERS))
    slowed: Floats = 1 + contention * (counts - 1) + coherency * counts * (counts - 1)
    return rate * counts / slowed


def fit(counts: Floats, log_rates: Floats, weights: Floats) -> Floats:
    """Rate, contention, coherency [sets, 3] of the sets of log X [sets, counts].

    Weights [counts] are those of squared residuals of log X.
    """
    design = np.stack([np.ones_like(counts), counts - 1, counts * (counts - 1)], axis=1)
    logs = np.log(counts) - log_rates
    linear = _solve(design, np.exp(logs), weights * np.exp(-2 * logs))
    for _ in range(_STEPS):
        fitted = linear @ design.T
        step = np.clip(logs - np.log(fitted), -_LARGEST_STEP, _LARGEST_STEP)
        following = _solve(design, fitted * (1 + step), weights / fitted**2)
        change = np.max(np.abs(following - linear) / following[:, :1], initial=0.0)
        linear = following
        if change < _SMALLEST_CHANGE:
            break
    return np.stack(
        [1 / linear[:, 0], linear[:, 1] / linear[:, 0], linear[:, 2] / linear[:, 0]], axis=1
    )


def _solve(design: Floats, targets: Floats, weights: Floats) -> Floats:
    """Non-negative least squares [sets, 3]: of all active sets without a negative, the best."""
    scale = np.max(np.abs(design), axis=0)
    scaled = design / scale
    normal = np.einsum("sn,ni,nj->sij", weights, scaled, scaled, optimize=True)
    right = np.einsum("sn,sn,ni->si", weights, targets, scaled, optimize=True)
    best = np.zeros((len(targets), PARAMETERS))
    lowest = np.full(len(targets), np.inf)
    for active in _ACTIVE_SETS:
        part = np.linalg.solve(normal[:, active][:, :, active], right[:, active, None])[..., 0]
        # What a solution takes off the sum of squares; the sum itself is the same for all.
        objective = -np.einsum("si,si->s", part, right[:, active])
        better = np.all(part >= 0, axis=1) & (part[:, 0] > 0) & (objective < lowest)
        lowest = np.where(better, objective, lowest)
        candidate = np.zeros_like(best)
        candidate[:, active] = part
        best = np.where(better[:, None], candidate, best)
    solved: Floats = best / scale
    return solved
