"""Known answers: intervals of studies that stop on their width, looked at after each block.

Size: 20 000 studies a case, seeded: the standard error of a rate of 95 % is 0.15 points.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from fsgauge.plan.levels import LEVEL, STOPPING_LEVEL
from fsgauge.stats.planned import FEWEST_BLOCKS
from fsgauge.stats.ratio import ratio_of_blocks, t_quantile
from tests.known.planted import Values

STUDIES = 20_000
SCALE = 0.05
WIDTHS = [0.35, 0.45, 0.55, 0.65, 0.8, 1.0]
"""Half an interval, in deviations of a block: stops after 7 to 36 blocks on average."""


def stopped(width: float, level: float, most: int = 40) -> tuple[Values, Values]:
    """For each study, the mean log ratio and half its interval where it stopped."""
    logs = np.random.default_rng(1).normal(0, SCALE, (STUDIES, most))
    counts = np.arange(1, most + 1)
    means = logs.cumsum(axis=1) / counts
    squares = (logs**2).cumsum(axis=1) - counts * means**2
    deviations = np.sqrt(squares[:, 1:] / (counts[1:] - 1))
    quantiles = np.array([t_quantile(n - 1, level) for n in range(2, most + 1)])
    halves = quantiles * deviations / np.sqrt(counts[1:])
    enough = (np.expm1(halves) <= math.expm1(width * SCALE)) & (counts[1:] >= FEWEST_BLOCKS)
    enough[:, -1] = True
    place = enough.argmax(axis=1)
    rows = np.arange(STUDIES)
    for row in range(20):
        same = ratio_of_blocks(list(logs[row, : place[row] + 2]), level=level)
        assert same is not None and same.high is not None
        assert math.log(same.high / same.ratio) == pytest.approx(halves[row, place[row]])
        excluded = abs(means[row, place[row] + 1]) > halves[row, place[row]]
        assert (same.p <= 1 - LEVEL) == excluded
    return means[rows, place + 1], halves[rows, place]


@pytest.mark.parametrize("width", WIDTHS)
def test_intervals_hold_the_truth_as_often_as_they_promise(width: float) -> None:
    means, halves = stopped(width, STOPPING_LEVEL)
    assert 0.95 <= np.mean(np.abs(means) <= halves) <= 0.97


def test_at_95_percent_they_would_not() -> None:
    covered = [np.mean(np.abs(m) <= h) for m, h in (stopped(width, LEVEL) for width in WIDTHS)]
    assert min(covered) < 0.935
