"""From a ratio to a word: whether it may be claimed, and as what.

Takes ratios with intervals and p values, the margin within which a difference does not matter,
and the metric's direction. The cases and their order:

    equivalent   the whole interval is within the margin (a difference may be seen, but is small)
    better/worse the interval excludes 1 and the p value, corrected for the number of comparisons,
                 is at most 5 %
    undecided    everything else, also everything from fewer than three blocks
    too noisy    would be one of the first two, but the baseline against itself in the same cells
                 differs as much and would hide 10 %, or the interval is too wide to be drawn

Headlines, tables, pictures, rankings and JSON take this word, and none of them judges again.

Many comparisons: Benjamini and Hochberg (1995) hold the share of false ones among all that are
called better or worse at 5 %. One family is one metric over all systems and cells; the primary
cells, named before anything was measured, are a family of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from fsgauge.plan.levels import ALPHA
from fsgauge.stats.ratio import Ratio

Verdict = Literal["better", "worse", "equivalent", "undecided", "too noisy"]
OPEN: tuple[Verdict, ...] = ("undecided", "too noisy")
"""The verdicts that claim nothing."""

BLOCKS_FOR_A_VERDICT = 3
WIDEST_INTERVAL = 10.0
"""Beyond this factor an interval says nothing that a reader could use: none is drawn, and nothing
is claimed."""


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Each p value corrected for the number of its family, in the same order. scipy.stats has it
    too, and takes each command half a second of processor time to import."""
    family, least = len(p_values), 1.0
    adjusted = [1.0] * family
    descending = sorted(range(family), key=lambda place: p_values[place], reverse=True)
    for rank, place in zip(range(family, 0, -1), descending, strict=True):
        least = min(least, float(p_values[place]) * family / rank)
        adjusted[place] = least
    return adjusted


def thresholds(p_values: Sequence[float]) -> list[float]:
    """The p value that each of a family has to reach, the others being as they are.

    Benjamini and Hochberg call i different exactly if p_i <= k ALPHA / m, where k is one more than
    the number of others that are called different when i is. So an interval of level
    1 - k ALPHA / m excludes 1 exactly if the verdict says so; of those that do, 95 of 100 hold
    their true ratio on average (Benjamini and Yekutieli, JASA 2005).
    """
    import numpy as np

    family = len(p_values)
    p = np.sort(np.asarray(p_values))
    steps = ALPHA * np.arange(2, family + 1) / family
    place = np.argsort(np.argsort(np.asarray(p_values), kind="stable"), kind="stable")
    found = []
    for own in place:
        reached = np.flatnonzero(np.delete(p, own) <= steps)
        found.append(float(ALPHA * ((reached[-1] + 2) if len(reached) else 1) / family))
    return found


def judge(ratio: Ratio, *, log_margin: float, p_adjusted: float, higher_is_better: bool) -> Verdict:
    """The verdict on one comparison; `log_margin` is the largest log ratio that does not matter."""
    if ratio.low is None or ratio.high is None or ratio.n < BLOCKS_FOR_A_VERDICT:
        return "undecided"
    if math.log(ratio.low) >= -log_margin and math.log(ratio.high) <= log_margin:
        return "equivalent"
    excludes_one = ratio.low > 1 or ratio.high < 1
    if excludes_one and p_adjusted <= ALPHA:
        return "better" if (ratio.ratio > 1) == higher_is_better else "worse"
    return "undecided"


def claimed(
    found: Verdict, *, alone: Verdict, low: float | None, high: float | None, shows: bool = False
) -> Verdict:
    """What may be said of a ratio: the one place that decides it. `found` is the verdict with at
    least the scatter of A/A, `alone` that of its own blocks, `low` and `high` the interval that is
    shown; `shows` whether a difference that matters would have shown."""
    if found in OPEN:
        return "undecided" if alone in OPEN or shows else "too noisy"
    return "too noisy" if is_too_wide(low, high) else found


def is_too_wide(low: float | None, high: float | None) -> bool:
    """Whether an interval says nothing that a reader could use."""
    return low is None or high is None or high > WIDEST_INTERVAL * low


def log_margin(equivalence_percent: float) -> float:
    """The margin in logs. It counts as a fall: 3 % is a ratio of 0.97 or its inverse. Noise does
    not widen it: a difference does not come to matter less because the rig is noisy. With a margin
    as wide as the noise floor, a noisy rig would call everything equivalent."""
    return -math.log1p(-equivalence_percent / 100)
