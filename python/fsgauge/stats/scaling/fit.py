"""The scalability law fitted to a system's rates, with intervals, or the reason why not.

Takes log rates by block; gives a `UslFit`. Intervals come from refits to blocks drawn with
replacement, whole, never single runs. The plain percentile interval of so few blocks is too narrow
(86 to 89 % where 95 % is promised with 5 to 10 blocks), so its percentiles are set further out, by
what the t interval of a mean has over the normal one: Hesterberg, "What teachers should know about
the bootstrap", The American Statistician 69 (2015), section 4.2, the expanded percentile interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fsgauge.plan.levels import LEVEL
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.scaling import usl
from fsgauge.stats.scaling.model import UslFit
from fsgauge.stats.scaling.usl import Floats, hidden_by_noise, misfit, variances
from fsgauge.units import count as number_of

FEWEST_COUNTS = 6
FEWEST_BLOCKS = 5
REFITS = 2000
SEED = 1_993
REACH = 1.5
"""How far beyond the largest measured number the law is believed."""
CURVE_POINTS = 31


def fit_law(
    by_count: Mapping[int, Mapping[int, float]], *, level: float = LEVEL, of: str = "workers"
) -> UslFit:
    """The law through log rates [count][block]; only blocks that have every number count. `of` is
    what was counted, for the words of a reason: "writers", "hosts"."""
    counts = sorted(count for count, blocks in by_count.items() if blocks)
    if len(counts) < FEWEST_COUNTS:
        return UslFit(
            state="too few counts",
            reason=f"{number_of(len(counts), 'number')} of {of}; the law has three parameters, so"
            f" it takes {FEWEST_COUNTS} numbers or more to test it",
        )
    blocks = sorted(set.intersection(*(set(by_count[count]) for count in counts)))
    if len(blocks) < FEWEST_BLOCKS:
        return UslFit(
            state="too few blocks",
            reason=f"{number_of(len(blocks), 'block')} with every number of {of}; fewer than"
            f" {FEWEST_BLOCKS} give no interval that keeps its promise",
        )
    logs = np.array([[by_count[count][block] for count in counts] for block in blocks])
    return _fit(np.array(counts, dtype=np.float64), logs, _tail(len(blocks), level), of)


def _tail(blocks: int, level: float) -> float:
    """The share of refits beyond each end of an expanded percentile interval."""
    from fsgauge.distributions import ndtr

    reach = math.sqrt(blocks / (blocks - 1)) * t_quantile(blocks - 1, level)
    return float(ndtr(-reach))


def _fit(counts: Floats, logs: Floats, tail: float, of: str) -> UslFit:
    weights = len(logs) / variances(logs)
    best = usl.fit(counts, logs.mean(axis=0)[None], weights)[0]
    found = misfit(counts, logs, best, of)
    deviation = math.sqrt(float(np.mean(found.residuals**2)))
    largest = float(np.max(np.abs(found.residuals)))
    noise = hidden_by_noise(logs, found)
    if noise or found.reason:
        return UslFit(
            state="cannot tell" if noise else "does not fit",
            reason=noise or found.reason,
            residual_deviation=deviation,
            largest_residual=largest,
        )
    refits = _refits(counts, logs, weights)
    rate, contention, coherency = (
        _estimate(float(best[at]), refits[:, at], len(logs), tail) for at in range(usl.PARAMETERS)
    )
    return UslFit(
        state="fits",
        reason=f"no residual is larger than {100 * largest:.1f} %",
        rate=rate,
        contention=contention,
        coherency=coherency,
        residual_deviation=deviation,
        largest_residual=largest,
        peak_at=_peak(counts, best, refits, len(logs), tail),
        curve=_curve(counts, best, refits, tail),
    )


def _refits(counts: Floats, logs: Floats, weights: Floats) -> Floats:
    """Coefficients [refits, 3] from blocks drawn with replacement."""
    blocks = len(logs)
    chance = np.random.default_rng(SEED)
    drawn = chance.multinomial(blocks, np.full(blocks, 1 / blocks), size=REFITS) / blocks
    return usl.fit(counts, drawn @ logs, weights)


def _estimate(value: float, refits: Floats, blocks: int, tail: float) -> Estimate:
    low, high = _interval(refits, tail)
    return Estimate(value=value, low=float(low), high=float(high), n=blocks)


def _interval(refits: Floats, tail: float) -> Sequence[Floats]:
    """Percentiles over the first axis; nearest of the refits, so infinity may be one."""
    ordered = np.sort(refits, axis=0)
    outside = math.floor(tail * (len(ordered) - 1))
    return ordered[outside], ordered[len(ordered) - 1 - outside]


def _peak(
    counts: Floats, best: Floats, refits: Floats, blocks: int, tail: float
) -> Estimate | None:
    """Where the fitted rate is highest; None unless it is sure to be highest somewhere near."""
    peaks = peak_of(np.vstack([best, refits]))
    value, (low, high) = float(peaks[0]), _interval(peaks[1:], tail)
    if not counts[0] <= value <= REACH * counts[-1] or not math.isfinite(float(high)):
        return None
    return Estimate(value=value, low=float(low), high=float(high), n=blocks)


def peak_of(coefficients: Floats) -> Floats:
    """The number with the highest rate; 1 if it only falls, infinite if it never does. The
    derivative of the law is zero where coherency N^2 = 1 - contention."""
    contention, coherency = coefficients[:, 1], coefficients[:, 2]
    room = np.maximum(1 - contention, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        peaks = np.sqrt(room / coherency)
    return np.where(room > 0, np.where(coherency > 0, np.maximum(peaks, 1.0), np.inf), 1.0)


def _curve(
    counts: Floats, best: Floats, refits: Floats, tail: float
) -> list[tuple[float, float, float, float]]:
    """Value and band for drawing, from the fewest measured to where the law is believed."""
    places = np.unique(
        np.concatenate([counts, np.linspace(counts[0], REACH * counts[-1], CURVE_POINTS)])
    )
    low, high = _interval(usl.throughput(places, refits), tail)
    rows = zip(places, usl.throughput(places, best), low, high, strict=True)
    return [(float(place), float(value), float(a), float(b)) for place, value, a, b in rows]
