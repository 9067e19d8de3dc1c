"""A tail latency that no run can answer, since its runs had too few operations: how many they had.

Takes a metric and the runs of the cells that are judged by it; gives a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

from fsgauge.record.records import RunRecord
from fsgauge.stats.histogram import SAMPLES_BEYOND
from fsgauge.stats.metrics import METRICS, QUANTILES, latencies
from fsgauge.stats.samples import is_complete

NEXT_STEP = (
    "Measure longer (--set workload.duration=...) or at a higher rate (--set workload.rate=...)."
)


def operations_needed(metric: str) -> int | None:
    """The fewest operations of a run from which a quantile is read; None for what is none."""
    quantile = QUANTILES.get(metric.rpartition(".")[2])
    return None if quantile is None else math.ceil(SAMPLES_BEYOND / (1 - quantile) - 1e-6)


def few_operations(metric: str, runs: Sequence[RunRecord], cells: Container[str]) -> str:
    """ "The read p99 latency needs 1,000 operations in a run, and 24 of 24 runs had fewer: 12 to
    30." Of the runs of `cells`, those that were measured to their end count; "" where all have so
    many, or the metric is no quantile.
    """
    needed = operations_needed(metric)
    if needed is None:
        return ""
    operation = metric.partition(".")[0]
    own = [run for run in runs if run.cell.id in cells and is_complete(run)]
    results = [run.result for run in own if run.result is not None]
    found = [latencies(result).get(operation) for result in results]
    counts = [0 if histogram is None else histogram.operations for histogram in found]
    few = [count for count in counts if count < needed]
    if not few:
        return ""
    least, most = min(few), max(few)
    had = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"The {METRICS[metric].label} needs {needed:,} operations in a run, and {len(few)} of"
        f" {len(counts)} run{'s' if len(counts) > 1 else ''} had fewer: {had}."
    )
