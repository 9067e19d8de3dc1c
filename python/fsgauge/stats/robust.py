"""The robust second line: blocks and systems fitted together, so that outlying runs count little.

The log of a run is its block's, its system's and an error; errors are Student's with FREEDOM
degrees, so a run far off has a small weight instead of a large pull. It shows what a ratio would be
without a few stalled runs. It decides nothing: a system that stalls by itself is slow, and this
line hides just that. All systems of a cell share one scatter here, so the line of a system that is
noisier than the others is too narrow.

Weights by expectation and maximisation: Lange, Little and Taylor, "Robust statistical modeling
using the t distribution" (JASA 84, 1989), with the scale's step of Kent, Tyler and Vardi (1994).
Errors of M estimates from few runs: Huber, "Robust statistics" (1981), section 7.6. Simulated in
tests/known/test_robust.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fsgauge.plan.levels import LEVEL
from fsgauge.stats.ratio import MEDIAN_OF_NORMAL, beyond, deviation_of_steps, p_of
from fsgauge.stats.results import Comparison
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.welch import interval

FREEDOM = 4.0
LIGHT = 0.25
"""A run that counts less than this in place of 1 lies four deviations off or more."""
NARROWER = 2 / 3
"""Of the main interval's width, what a robust one has to be below to be worth a line."""
_STEPS = 200
_CLOSE = 1e-10
_LEAST_SLOPE = 0.1
_LEAST_SHARE = 1e-3
"""Below, so many runs lie far off that the errors say nothing."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RobustRatio:
    """A system over the baseline. `light` are the blocks in which a run of either counts little."""

    ratio: float
    low: float | None
    high: float | None
    p: float
    light: list[int]


@dataclass(frozen=True)
class Fit:
    """Logs of systems over the first one, without it, with their errors; a weight for each run."""

    effects: Floats
    errors: Floats | None
    freedom: int
    weights: Floats


def differs(entry: Comparison) -> bool:
    """Whether a few runs far off make the main interval another one than the robust one is."""
    low, high = entry.alone_low, entry.alone_high
    robust_low, robust_high = entry.robust_low, entry.robust_high
    if low is None or high is None or robust_low is None or robust_high is None:
        return False
    decided, robustly_decided = not low <= 1 <= high, not robust_low <= 1 <= robust_high
    is_apart = not robust_low <= entry.ratio <= robust_high
    is_narrower = _log_width(robust_low, robust_high) < NARROWER * _log_width(low, high)
    return bool(entry.robust_light) and (decided != robustly_decided or is_apart or is_narrower)


def _log_width(low: float, high: float) -> float:
    return math.log(high / low) if low > 0 else math.inf


def robust_ratios(samples: Samples, metric: str, cell: str) -> dict[str, RobustRatio]:
    """Every system that has a block in common with the baseline."""
    plan = samples.plan
    runs = {system: samples.of(metric, cell, system) for system in plan.systems}
    base = {block for block, _ in runs[plan.baseline]}
    names = [
        system
        for system in plan.systems
        if system != plan.baseline and base & {block for block, _ in runs[system]}
    ]
    placed = [
        (block, number, log)
        for number, system in enumerate([plan.baseline, *names])
        for (block, _), log in sorted(runs[system].items())
    ]
    if not names:
        return {}
    blocks, systems = [block for block, _, _ in placed], [number for _, number, _ in placed]
    fit = fitted(blocks, systems, [log for _, _, log in placed])
    reach_of_baseline = samples.reach(metric, cell, plan.baseline)
    return {
        system: _ratio(
            fit,
            number,
            _light(fit, blocks, systems, number),
            samples.reach(metric, cell, system) + reach_of_baseline,
            samples.level,
            shared=len(base & {block for block, _ in runs[system]}),
        )
        for number, system in enumerate(names, 1)
    }


def _ratio(
    fit: Fit, number: int, light: list[int], reach: float, level: float, *, shared: int
) -> RobustRatio:
    log = float(fit.effects[number - 1])
    if fit.errors is None or shared < BLOCKS_FOR_A_VERDICT:
        return RobustRatio(math.exp(log), None, None, 1.0, light)
    least = deviation_of_steps(reach) / math.sqrt(shared)
    error = max(float(fit.errors[number - 1]), least)
    low, high = interval(math.exp(log), error, fit.freedom, level, reach)
    p = p_of(beyond(log, reach), error, fit.freedom) * (1 - LEVEL) / (1 - level)
    return RobustRatio(math.exp(log), low, high, min(1.0, p), light)


def _light(fit: Fit, blocks: Sequence[int], systems: Sequence[int], number: int) -> list[int]:
    places = zip(blocks, systems, fit.weights, strict=True)
    return sorted(
        {block for block, system, weight in places if weight < LIGHT and system in (0, number)}
    )


def fitted(blocks: Sequence[int], systems: Sequence[int], logs: Sequence[float]) -> Fit:
    """The fit of runs by block and system; each system has a block in common with system 0."""
    layout = _Layout.of(blocks, systems)
    values = np.asarray(logs, dtype=np.float64)
    runs, effects = len(values), layout.blocks + layout.systems - 1
    found = layout.solved(np.ones(runs), values)
    residuals = values - layout.fitted(found)
    variance = _first_variance(residuals)
    weights, widened = np.ones(runs), runs / max(runs - effects, 1)
    for _ in range(_STEPS):
        weights = (FREEDOM + 1) / (FREEDOM + residuals**2 / variance)
        before, found = found, layout.solved(weights, values)
        residuals = values - layout.fitted(found)
        variance = max(widened * float(weights @ residuals**2 / weights.sum()), _CLOSE**2)
        if float(np.max(np.abs(found - before))) <= _CLOSE:
            break
    freedom = runs - effects
    return Fit(
        effects=found[layout.blocks + 1 :],
        errors=_errors(layout, residuals, variance, freedom) if freedom > 0 else None,
        freedom=freedom,
        weights=weights,
    )


@dataclass(frozen=True)
class _Layout:
    """Which block and which system each run is of; system 0 has no effect beside its blocks'.

    The normal equations of least squares are two diagonals, of blocks and of systems, and between
    them the table of weights. With the systems taken out, one equation a block is left: the cost
    of a step grows with the number of systems, and not with its cube.
    """

    block_of: NDArray[np.intp]
    system_of: NDArray[np.intp]
    blocks: int
    systems: int

    @classmethod
    def of(cls, blocks: Sequence[int], systems: Sequence[int]) -> _Layout:
        names, block_of = np.unique(blocks, return_inverse=True)
        return cls(block_of, np.asarray(systems, dtype=np.intp), len(names), max(systems) + 1)

    def solved(self, weights: Floats, values: Floats) -> Floats:
        """The mean of each block, then what each system adds to it: 0 of system 0."""
        table, sums = self._summed(weights), self._summed(weights * values)
        adding, added = table[:, 1:], sums[:, 1:].sum(0)
        of_systems = adding.sum(0)
        share, left = _without_systems(table, of_systems)
        found = np.zeros(self.blocks + self.systems)
        means = np.linalg.solve(left, sums.sum(1) - share @ added)
        found[: self.blocks] = means
        found[self.blocks + 1 :] = (added - means @ adding) / of_systems
        return found

    def fitted(self, found: Floats) -> Floats:
        """The value of each run by these means and effects: its block's plus its system's."""
        return np.asarray(found[self.block_of] + found[self.blocks + self.system_of])

    def variances(self) -> Floats:
        """Of what each system but 0 adds, in units of a run's variance, all weights being 1."""
        table = self._summed(np.ones(len(self.block_of)))
        of_systems = table[:, 1:].sum(0)
        share, left = _without_systems(table, of_systems)
        by_blocks = np.sum(share * np.linalg.solve(left, share), axis=0)
        return np.asarray(1 / of_systems + by_blocks)

    def _summed(self, values: Floats) -> Floats:
        """Sums of the runs' values, shape (blocks, systems)."""
        cells = self.block_of * self.systems + self.system_of
        size = self.blocks * self.systems
        summed = np.asarray(np.bincount(cells, values, size), dtype=np.float64)
        return summed.reshape(self.blocks, self.systems)


def _without_systems(table: Floats, of_systems: Floats) -> tuple[Floats, Floats]:
    """Each block's share of a system's weight, and what is left of the blocks' equations."""
    share = table[:, 1:] / of_systems
    left = -share @ table[:, 1:].T
    left.flat[:: len(left) + 1] += table.sum(1)
    return share, left


def _first_variance(residuals: Floats) -> float:
    """From the median, so that what lies far off does not begin as usual. In few blocks most runs
    are fitted exactly, and their median is nothing: a share of the mean is the least, or those that
    differ would begin without any weight."""
    median = float(np.median(np.abs(residuals)))
    least = _LEAST_SHARE * float(np.mean(residuals**2))
    return max((median / MEDIAN_OF_NORMAL) ** 2, least, _CLOSE**2)


def _errors(layout: _Layout, residuals: Floats, variance: float, freedom: int) -> Floats | None:
    """Standard errors of the systems' effects; None where too many runs lie far off."""
    runs = len(residuals)
    squared = residuals**2 / variance
    pull = residuals * (FREEDOM + 1) / (FREEDOM + squared)
    slope = (FREEDOM + 1) * (FREEDOM - squared) / (FREEDOM + squared) ** 2
    mean = float(slope.mean())
    if mean < _LEAST_SLOPE:
        return None
    few = 1 + (runs - freedom) / runs * float(slope.var()) / mean**2
    scale = few**2 * float(pull @ pull) / freedom / mean**2
    return np.asarray(np.sqrt(scale * layout.variances()))
