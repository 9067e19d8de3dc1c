"""What an answer leaves open and a table of the same page decides: said in one more sentence.

An answer speaks of one metric of each primary cell. The same work has other rates (bytes, files,
time to complete), and a study has other cells; each is a family of its own, with its own interval.
Where one of them tells a system from the baseline that the answer does not, the answer says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from fsgauge.record.records import Cell
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import Comparison
from fsgauge.stats.wording import ratio_range

RATES = ("iops", "bandwidth", "complete", "per_client", "files")
"""Metrics that say how fast the same work was done."""
DECIDED = ("better", "worse")


def decided_elsewhere(
    comparisons: Sequence[Comparison],
    metrics: Mapping[str, str],
    primary: Sequence[Cell],
    cells: Sequence[Cell],
    baseline: str,
) -> str:
    """ "Decided all the same: the bandwidth of xfs at write 4 KiB is 1.70 times that of ext4 (1.40
    to 2.06, better)."; "" where nothing is. `metrics` are those of the answer, by cell.
    """
    found = list(left_open(comparisons, metrics, [cell.id for cell in primary]))
    if not found:
        return ""
    entry = max(found, key=lambda each: abs(math.log(each.ratio)))
    several = len(found) > 1
    low, high = (entry.pick_low, entry.pick_high) if several else (entry.low, entry.high)
    name = next(cell.name for cell in cells if cell.id == entry.cell)
    rank = f", the largest of {len(found)}" if several else ""
    return (
        f"Decided all the same: the {METRICS[entry.metric].label} of {entry.system} at {name} is"
        f" {entry.ratio:.2f} times that of {baseline} ({ratio_range(low, high)}, {entry.verdict})"
        f"{rank}."
    )


def left_open(
    comparisons: Sequence[Comparison], metrics: Mapping[str, str], primary: Sequence[str]
) -> Iterator[Comparison]:
    """Decided comparisons of what the answer calls undecided, or equal."""
    asked = [each for each in comparisons if each.cell in primary and _is_asked(each, metrics)]
    open_places = {(each.cell, each.system) for each in asked if each.verdict not in DECIDED}
    told = {each.system for each in asked if each.verdict in DECIDED}
    for each in comparisons:
        if each.verdict not in DECIDED or not each.is_claimed:
            continue
        of_rates = {each.metric, metrics.get(each.cell)} <= set(RATES)
        other_rate = of_rates and not _is_asked(each, metrics)
        if (other_rate and (each.cell, each.system) in open_places) or (
            _is_asked(each, metrics) and each.cell not in primary and each.system not in told
        ):
            yield each


def _is_asked(entry: Comparison, metrics: Mapping[str, str]) -> bool:
    return metrics.get(entry.cell) == entry.metric
