"""One results folder as a gate sees it: a line a cell, system and metric.

Takes samples; gives the mean of each line over blocks as a log, with its standard error: the direct
value, and the one to the baseline system of the same blocks. Of the baseline itself that is the
value to the mean of all other systems: if it alone got slower, so did that; if the whole machine
did, it did not.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.stats.compare import measured_metrics
from fsgauge.stats.contrast import Value, logs_of, reach_of
from fsgauge.stats.estimate import ByBlock
from fsgauge.stats.folders.folder import Basis, Key, side_of
from fsgauge.stats.samples import Samples


@dataclass(frozen=True)
class Mean:
    """The mean log of `blocks`, its standard error, and how far buckets may put all of them off.
    The error is 0 from one block, which does not show any."""

    log: float
    error: float
    reach: float
    blocks: int


@dataclass(frozen=True)
class BlockMean:
    """One cell, system and metric of a run; `to_baseline` is None in a study of one system."""

    direct: Mean
    to_baseline: Mean | None

    def of(self, basis: Basis) -> Mean | None:
        return self.direct if basis == "direct" else self.to_baseline


def lines_of(
    samples: Samples, cells: Sequence[str], systems: Sequence[str]
) -> dict[Key, BlockMean]:
    """Every line that has a block, in the order of metrics, cells and systems."""
    baseline = samples.plan.baseline
    found = {}
    for metric in measured_metrics(samples):
        for cell in cells:
            for system in systems:
                value = Value(metric, cell, system)
                direct = _mean(logs_of(value, samples), reach_of(value, samples))
                if direct is None:
                    continue
                if system == baseline:
                    relative = _to_others(value, systems, samples)
                else:
                    ratio = side_of(value, "to baseline", baseline)
                    relative = _mean(logs_of(ratio, samples), reach_of(ratio, samples))
                found[cell, system, metric] = BlockMean(direct, relative)
    return found


def _to_others(value: Value, systems: Sequence[str], samples: Samples) -> Mean | None:
    """The baseline over the geometric mean of the others, in blocks that have all of them."""
    others = [value._replace(system=each) for each in systems if each != value.system]
    if not others:
        return None
    own, logs = logs_of(value, samples), [logs_of(each, samples) for each in others]
    blocks = [block for block in own if all(block in each for each in logs)]
    ratios = {block: own[block] - statistics.fmean(x[block] for x in logs) for block in blocks}
    reach = reach_of(value, samples) + max(reach_of(each, samples) for each in others)
    return _mean(ratios, reach)


def _mean(logs: ByBlock, reach: float) -> Mean | None:
    values = list(logs.values())
    if not values:
        return None
    mean, count = statistics.fmean(values), len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    error = math.sqrt(squares / (count - 1) / count) if count > 1 else 0.0
    return Mean(mean, error, reach, count)
