"""The noise floor: what the baseline's two turns in a block say of the rig (A/A).

Takes samples and the study's margin; gives, a metric, one test of the whole study, a band for each
cell, and what drifted within blocks.

The test is one over all primary cells: those of one turn share the turn's mkfs, temperature and
neighbours, so they are no independent samples. In each block the log ratios of all primary cells
are averaged to one number: A' over A, as the plan names them. The plan draws which of them is the
later one, so a drift is scatter, which widens the interval, and no difference. A rig that drifts is
not a rig that lies: the order of systems is random as well, and their ratios hold, where a test in
order of time called nearly all of these studies invalid. The drift is reported apart. The names are
never drawn anew: what differs between A and A' would then be scatter as well, and not be found.
How often it is found is in tests/known/test_validity.py.

- differs: the 99 % interval lies wholly outside the margin of equivalence. The study is not valid.
  At 95 % a noisy rig, beside whose scatter the margin is nothing, is called so one time in forty.
- wide: a typical cell's interval of two equal systems reaches further from 1 than the larger of
  ASKED_PERCENT and twice the margin. Such a difference is then seen in fewer than half of all
  studies, even alone: too noisy to answer. What is decided all the same, stands.
- unknown: fewer than three blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fsgauge.stats.estimate import block_means
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.result_model import CellBand, NoiseFloor, typical
from fsgauge.stats.results import Comparison
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, log_margin

State = Literal["quiet", "wide", "differs", "unknown"]

ASKED_PERCENT = 10.0
"""A difference that no study should miss."""
SURE_LEVEL = 0.99
PAIRED = math.sqrt(0.75)
"""Deviation of a system's log ratio to the baseline's mean (1.5 v) over that of A/A (2 v)."""


@dataclass(frozen=True)
class Noise:
    """The A/A of one metric over `cells`: A' over A; `in_time`, the later turn over the earlier.

    `bands` are by cell, those beside `cells` as well: how far from 1, as a log, the ratio of an
    equal system may come out.
    """

    metric: str
    ratio: Ratio
    in_time: Ratio
    cells: list[str]
    bands: dict[str, float]
    log_margin: float

    @property
    def half_widths(self) -> dict[str, float]:
        return {cell: self.bands[cell] for cell in self.cells if cell in self.bands}

    @property
    def state(self) -> State:
        if self.ratio.n < BLOCKS_FOR_A_VERDICT:
            return "unknown"
        if _is_outside(self.ratio.at(SURE_LEVEL), self.log_margin):
            return "differs"
        asked = max(math.log1p(ASKED_PERCENT / 100), 2 * self.log_margin)
        return "wide" if self.typical > asked else "quiet"

    @property
    def typical(self) -> float:
        """How far from 1 an equal system may come out in a typical cell, as a log."""
        return typical(list(self.half_widths.values()))

    @property
    def drifts(self) -> bool:
        """Whether the later turn differs from the earlier one by more than the margin."""
        enough = self.in_time.n >= BLOCKS_FOR_A_VERDICT
        return enough and _is_outside(self.in_time.at(SURE_LEVEL), self.log_margin)


def _is_outside(interval: tuple[float, float] | None, margin: float) -> bool:
    if interval is None:
        return False
    low, high = interval
    return math.log(low) > margin or math.log(high) < -margin


def pooled_noise(
    samples: Samples, metric: str, cells: Sequence[str], equivalence_percent: float
) -> Noise | None:
    """A/A of one metric over those of `cells` that have it; None where there is no A/A."""
    in_time = {cell: samples.noise_log_ratios(metric, cell) for cell in cells}
    in_time = {cell: ratios for cell, ratios in in_time.items() if ratios}
    of_twin = {cell: samples.twin_log_ratios(metric, cell) for cell in in_time}
    reach = max((samples.noise_reach(metric, cell) for cell in in_time), default=0.0)
    labelled, ordered = (
        ratio_of_blocks(list(means.values()), reach=reach, level=samples.level)
        for means in (block_means(of_twin.values()), block_means(in_time.values()))
    )
    if labelled is None or ordered is None:
        return None
    halves = {
        cell: half
        for cell in dict.fromkeys((*(each.id for each in samples.plan.cells), *of_twin))
        if (half := _half_width(samples, metric, cell)) is not None
    }
    return Noise(metric, labelled, ordered, list(in_time), halves, log_margin(equivalence_percent))


def _half_width(samples: Samples, metric: str, cell: str) -> float | None:
    reach = samples.noise_reach(metric, cell)
    logs = list(samples.twin_log_ratios(metric, cell).values())
    found = ratio_of_blocks(logs, reach=reach, level=samples.level)
    if found is None or found.low is None or found.n < BLOCKS_FOR_A_VERDICT:
        return None
    return (math.log(found.ratio / found.low) - reach) * PAIRED + reach


def hides(comparisons: Sequence[Comparison], metric: str) -> str:
    """What wide noise stands in the way of: all, or what is smaller than what was decided."""
    decided = any(
        entry.primary
        and entry.metric == metric
        and entry.verdict in ("better", "worse")
        and not entry.limited_by
        for entry in comparisons
    )
    return "for small differences" if decided else "to answer"


def noise_floors(
    samples: Samples, primary: Sequence[str], equivalence_percent: float
) -> dict[str, Noise]:
    """The noise floor of each metric that the baseline has twice."""
    present = {metric for metric, _, _ in samples.logs}
    floors = {
        metric: pooled_noise(samples, metric, primary, equivalence_percent)
        for metric in METRICS
        if metric in present
    }
    return {metric: floor for metric, floor in floors.items() if floor is not None}


def describe_noise(noise: Noise) -> NoiseFloor:
    ratio = noise.ratio
    return NoiseFloor(
        metric=noise.metric,
        ratio=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
        n=ratio.n,
        cells=noise.cells,
        state=noise.state,
        drift=noise.in_time.ratio,
        drifts=noise.drifts,
        bands=[
            CellBand(cell=cell, low=math.exp(-half), high=math.exp(half))
            for cell, half in noise.bands.items()
            if half < MOST_LOG
        ],
    )


MOST_LOG = 700.0
"""Beyond it the end of a band is no number."""
