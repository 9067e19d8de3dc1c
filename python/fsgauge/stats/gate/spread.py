"""How far equal builds come out apart, from run to run: one deviation a line, moderated over lines.

Takes logs, a row a line and a column a run; gives each line's deviation with its degrees of
freedom. Five runs know a deviation badly (four degrees), but the lines of one metric resemble one
another. So each variance is drawn towards what they have in common (Smyth, "Linear models and
empirical Bayes methods ...", Statistical Applications in Genetics and Molecular Biology 3, 2004):

    s~2 = (d0 s02 + d s2) / (d0 + d),  with d0 + d degrees of freedom

where d = runs - 1, and s02 and d0 are those of the F distribution that fits the lines' variances.
Lines that move together (the machine moves all of them) say the same thing several times: all of
them hold no more than

    D = d G2 / sum of r2

degrees (Box, Annals of Mathematical Statistics 25, 1954), G the number of lines and r the
correlations of each two. d0 + d is never more than D, nor less than d: lines that always move
together are not moderated at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_LINES = 3
"""Lines from which what they have in common can be estimated."""
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True)
class Spread:
    """The deviation of one run of one line, as a log, and the degrees it is known with."""

    deviation: float
    freedom: float


def spreads(rows: Sequence[Sequence[float]], least: Sequence[float]) -> list[Spread]:
    """The spread of each row, from two columns on.

    `least` is the deviation that each row has at least, as its buckets cause it.
    """
    import numpy as np

    values = np.asarray(rows, dtype=float)
    if not len(values):
        return []
    freedom = values.shape[1] - 1
    floor = np.maximum(np.asarray(least) ** 2, _LEAST_VARIANCE)
    variances = np.maximum(values.var(axis=1, ddof=1), floor)
    total = float(freedom)
    if len(variances) >= FEWEST_LINES:
        common, prior = _in_common(variances, freedom)
        total = max(freedom, min(freedom + prior, _most_freedom(values, freedom)))
        variances = ((total - freedom) * common + freedom * variances) / total
    return [Spread(math.sqrt(variance), total) for variance in variances]


def _in_common(variances: NDArray[np.float64], freedom: int) -> tuple[float, float]:
    """The variance s02 that lines have in common, and the degrees d0 it counts for."""
    import numpy as np
    from scipy.special import polygamma, psi

    half = freedom / 2
    logs = np.log(variances) - psi(half) + math.log(half)
    mean, excess = float(logs.mean()), float(logs.var(ddof=1) - polygamma(1, half))
    if excess <= 0:
        return math.exp(mean), math.inf
    prior = 2 * _inverse_trigamma(excess)
    return math.exp(mean + float(psi(prior / 2)) - math.log(prior / 2)), prior


def _inverse_trigamma(value: float) -> float:
    """x with trigamma(x) = value, by Newton's method from below (Smyth's appendix)."""
    from scipy.special import polygamma

    x = 0.5 + 1 / value
    for _ in range(50):
        found = float(polygamma(1, x))
        step = found * (1 - found / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-8 * x:
            break
    return x


def _most_freedom(values: NDArray[np.float64], freedom: int) -> float:
    """The degrees that all rows hold together."""
    import numpy as np

    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    squares = (unit @ unit.T) ** 2
    np.fill_diagonal(squares, 1.0)
    return float(freedom * len(values) ** 2 / squares.sum())
