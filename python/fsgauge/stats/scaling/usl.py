"""The Universal Scalability Law, and its weighted least squares on log X, many sets at once.

    X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1))

Written as N / X = a + b (N - 1) + c N (N - 1) it is linear: a = 1 / rate, b = contention / rate,
c = coherency / rate. The residual of log X is then found by Gauss and Newton, each step a linear
problem of three non-negative unknowns, which the best of its four possible active sets solves
exactly (a is always positive). Thousands of bootstrap refits are so a few operations on arrays.
Source of the law: N. Gunther, Guerrilla Capacity Planning, 2007, chapter 4.

Whether rates follow the scalability law, or something else bends them: a knee, most of all.

A device that can do no more cuts a rising rate off at once. That is no contention between workers,
and the law, which bends smoothly, would call it that. Two questions, with noise as the blocks show:

1. Lack of fit: are the residuals of the blocks' mean larger than the blocks' scatter explains? An F
   test at 1 %. Effects that a block has on all its runs alike move the rate alone and are left out.
2. Is a straight rise to a ceiling, with one parameter less, clearly better? By the corrected
   criterion of Akaike, 10 apart (Burnham and Anderson, Model selection, 2002, section 2.6).

Either is a misfit, where the largest residual is more than 3 %: less does not matter to a reader.
What the rule does to planted curves is in tests/known/test_usl.py.

Where the mean rates are not known to 5 % (their standard errors), half of the knees and more pass
for the law, so that neither answer is given, but for a residual of four of its own standard errors.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    """Rate, contention, coherency [sets, 3] of the sets of log X [sets, counts]. Weights [counts]
    are those of squared residuals of log X."""
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


LEVEL = 0.01
CLEARLY_BETTER = 10.0
RELEVANT_RESIDUAL = 0.03
LARGEST_ERROR = 0.05
CLEAR_OF_NOISE = 4.0
KNEE_PARAMETERS = 2
SHARED_FREEDOM = 20
SMALLEST_VARIANCE = 1e-12


@dataclass(frozen=True)
class Misfit:
    """Residuals of the blocks' mean log rates [counts]; `reason` is empty where the law fits."""

    residuals: Floats
    reason: str


def variances(logs: Floats) -> Floats:
    """Variance of one block's log rate at each number, from logs [blocks, counts].

    What a block does to all its runs is taken off. So few blocks know a single variance badly, and
    weights from it make intervals too narrow: each is averaged with the one that all share, which
    counts as `SHARED_FREEDOM` degrees (Smyth, Statistical Applications in Genetics 3, 2004).
    """
    blocks, counts = logs.shape
    rest = logs - logs.mean(axis=1, keepdims=True) - logs.mean(axis=0) + logs.mean()
    shared = np.sum(rest**2) / ((blocks - 1) * (counts - 1))
    own = np.sum(rest**2, axis=0) / (blocks - 1) * counts / (counts - 1)
    freedom = blocks - 1
    mixed: Floats = (SHARED_FREEDOM * shared + freedom * own) / (SHARED_FREEDOM + freedom)
    return np.maximum(mixed, SMALLEST_VARIANCE)


def misfit(numbers: Floats, logs: Floats, coefficients: Floats, of: str = "workers") -> Misfit:
    """How the law with these coefficients misses log rates [blocks, counts], two blocks or more.
    `numbers` [counts] are how many worked at once, `of` what they are."""
    blocks, counts = logs.shape
    mean, weights = logs.mean(axis=0), blocks / variances(logs)
    residuals = mean - np.log(throughput(numbers, coefficients))
    free = 1 + int(np.count_nonzero(coefficients[1:] > 0))
    squares = float(np.sum(weights * residuals**2))
    p = _lack_of_fit(squares, free, logs.shape)
    knee = _knee(numbers, mean, weights)
    advantage = _criterion(squares, free, counts) - knee.criterion
    largest = int(np.argmax(np.abs(residuals)))
    fits = p >= LEVEL and advantage <= CLEARLY_BETTER
    if fits or abs(residuals[largest]) <= RELEVANT_RESIDUAL:
        return Misfit(residuals, "")
    if advantage > 0 and _lack_of_fit(knee.squares, KNEE_PARAMETERS, logs.shape) >= LEVEL:
        return Misfit(
            residuals,
            f"a straight rise to a ceiling, reached before {knee.number} {of}, describes the"
            f" rates better: something is saturated, which is not contention between {of}",
        )
    return Misfit(
        residuals,
        f"at {numbers[largest]:.0f} {of} the rate is {_percent(residuals[largest])} the best"
        " curve, more than the scatter of the blocks explains",
    )


def hidden_by_noise(logs: Floats, found: Misfit) -> str:
    """Why nothing can be said of log rates [blocks, counts]; "" where law and knee differ by more.
    The error is that of all counts together. A misfit stands where its largest residual is beyond
    doubt even by the scatter at that count alone, which the shared variance may understate."""
    blocks = len(logs)
    error = float(np.sqrt(np.mean(variances(logs)) / blocks))
    if error <= LARGEST_ERROR:
        return ""
    at = int(np.argmax(np.abs(found.residuals)))
    own = float(np.std(logs[:, at], ddof=1) / np.sqrt(blocks))
    if found.reason and abs(found.residuals[at]) > CLEAR_OF_NOISE * max(error, own):
        return ""
    return (
        f"the blocks differ too much: {blocks} of them know a mean rate to about"
        f" {100 * np.expm1(error):.0f} % only, so noise hides whether the rates follow the law or"
        " a ceiling; run more blocks, or use a calmer machine"
    )


def _lack_of_fit(squares: float, parameters: int, shape: tuple[int, ...]) -> float:
    """The chance of so large a weighted sum of squares where the model holds (F test)."""
    from fsgauge.distributions import fdtrc

    blocks, counts = shape
    freedom = counts - parameters
    return float(fdtrc(freedom, (blocks - 1) * (counts - 1), squares / freedom))


@dataclass(frozen=True)
class _Knee:
    """A straight rise to a ceiling; `number` is the first measured number at the ceiling."""

    number: int
    squares: float
    criterion: float


def _knee(numbers: Floats, mean: Floats, weights: Floats) -> _Knee:
    found = []
    for at in range(1, len(numbers)):
        rise = np.average(mean[:at] - np.log(numbers[:at]), weights=weights[:at])
        ceiling = np.average(mean[at:], weights=weights[at:])
        fitted = np.minimum(rise + np.log(numbers), ceiling)
        squares = float(np.sum(weights * (mean - fitted) ** 2))
        criterion = _criterion(squares, KNEE_PARAMETERS, len(numbers))
        found.append(_Knee(int(numbers[at]), squares, criterion))
    return min(found, key=lambda knee: knee.criterion)


def _criterion(squares: float, parameters: int, counts: int) -> float:
    """Akaike's, corrected for few data; the variances are known, so squares are the likelihood."""
    correction = 2 * parameters * (parameters + 1) / (counts - parameters - 1)
    return squares + 2 * parameters + correction


def _percent(residual: float) -> str:
    percent = 100 * np.expm1(residual)
    return f"{abs(percent):.0f} % {'above' if percent > 0 else 'below'}"
