"""Drift of a whole study: whether everything became faster or slower from its first block to last.

Takes evidence; gives one finding. In each block that has them all, the logs of all systems and
cells by the primary metric are averaged to one number; a line through these has a slope, and
Student's test says whether that is more than the scatter of blocks. Ratios are taken inside blocks:
most of a drift cancels in them, and what is left widens their intervals. It is what the machine
did, so it is said.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fsgauge.plan.levels import LEVEL
from fsgauge.stats.estimate import ByBlock
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.planned import margin_percent
from fsgauge.stats.ratio import p_of, ratio_of_log, t_quantile
from fsgauge.stats.results import Finding
from fsgauge.stats.verdict import log_margin

FEWEST_BLOCKS = 5
SURE = 0.01
"""Of studies without drift, one in a hundred is said to have one."""


@dataclass(frozen=True)
class Drift:
    """The log change from the first block to the last, its interval, and p of none."""

    change: float
    low: float
    high: float
    p: float


def drift_of_study(evidence: Evidence) -> Iterator[Finding]:
    """A drift that blocks show, where it is larger than what the study calls no difference."""
    samples, metric = evidence.samples, evidence.primary_metric
    systems, cells = samples.plan.systems, samples.plan.cells
    found = drift_of(
        [samples.block_logs(metric, cell.id, system) for cell in cells for system in systems],
        level=samples.level,
    )
    margin = log_margin(margin_percent(evidence.study))
    if found is None or found.p > SURE or abs(found.change) <= margin:
        return
    logs = (found.change, found.low, found.high)
    change, low, high = (100 * (ratio_of_log(log) - 1) for log in logs)
    yield finding(
        "study.drifted",
        "warning",
        f"The whole study drifted: from its first block to its last, {METRICS[metric].label} of all"
        f" systems together changed by {change:+.0f} % ({low:+.0f} to {high:+.0f} %).",
        "Ratios are taken inside blocks, where most of this cancels; the rest makes their intervals"
        " wider. A system's own rates hold for the average of the study alone. A disk that warms"
        " up, fills or wears, or other load that comes or goes, does this.",
    )


def drift_of(series: Sequence[ByBlock], *, level: float = LEVEL) -> Drift | None:
    """The drift of series of logs by block; None where fewer than five blocks have them all."""
    means = _block_means([each for each in series if each])
    blocks = sorted(means)
    if len(blocks) < FEWEST_BLOCKS:
        return None
    middle = statistics.fmean(blocks)
    centre = statistics.fmean(means.values())
    spread = math.fsum((block - middle) ** 2 for block in blocks)
    slope = math.fsum((block - middle) * (means[block] - centre) for block in blocks) / spread
    squares = math.fsum((means[block] - centre - slope * (block - middle)) ** 2 for block in blocks)
    freedom = len(blocks) - 2
    error = math.sqrt(squares / freedom / spread)
    span = blocks[-1] - blocks[0]
    half = t_quantile(freedom, level) * error
    return Drift(
        change=span * slope,
        low=span * (slope - half),
        high=span * (slope + half),
        p=p_of(slope, error, freedom),
    )


def _block_means(series: Sequence[ByBlock]) -> Mapping[int, float]:
    """What all series have in common, of the blocks that all have."""
    if not series:
        return {}
    shared = set.intersection(*(set(each) for each in series))
    return {block: statistics.fmean(each[block] for each in series) for block in shared}
