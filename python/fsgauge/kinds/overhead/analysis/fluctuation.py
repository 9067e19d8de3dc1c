"""Fluctuation: how much a rate varies over time inside a run, and its ratio to the baseline's.

Takes the series of every run: the intervals behind the warm-up without the last one, in which the
load drains. The fluctuation is the coefficient of variation of their rates: the standard deviation
(n - 1) over the mean. A drift inside the run is part of it.

- All runs of a cell in a block give as many intervals, the first ones: those of the run that has
  the fewest. Fewer than FEWEST_INTERVALS give no number.
- An interval of N operations varies by counting alone: not at all if they come evenly, by
  1 / sqrt(N) if they come at random times. A faster system has more of them, and so would look
  steadier. Which it is, counts do not tell. So the squared value lies between the one that was
  seen and that less 1 / N; the middle of their logs is taken, and the rest is its reach, which
  widens intervals on both sides (see stats.samples).
- The block is the sample. All ratios of a study are one family of comparisons.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fsgauge.engine.wire import LoadJob
from fsgauge.kinds.overhead.analysis.model import Fluctuation
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.metrics import Reading
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.samples import Samples, is_complete

NAME = "fluctuation"
FEWEST_INTERVALS = 10
LEAST_SHARE = 0.01
"""Of the squared value, what counting is not let explain: a log needs something left."""


@dataclass(frozen=True)
class Series:
    """Rates of a run's whole measured intervals, per second, and operations in each."""

    run: RunRecord
    interval_ns: int
    rates: npt.NDArray[np.float64]
    operations: npt.NDArray[np.int64]


def fluctuations(
    study: Samples, runs: Sequence[RunRecord], equivalence_percent: float
) -> list[Fluctuation]:
    """One entry a cell and system, cells in the plan's order."""
    plan = study.plan
    series = [each for each in map(series_of, runs) if each is not None]
    samples, counted = study.beside(), _fewest(series)
    for each in series:
        place = (each.run.block, each.run.cell.id)
        reading = reading_of(each.rates[: counted[place]], each.operations[: counted[place]])
        if reading is not None:
            key = (NAME, each.run.cell.id, each.run.system)
            samples.add(key, (each.run.block, each.run.again), reading)
    contrasts = {
        (cell.id, system): Contrast(
            Value(NAME, cell.id, system), Value(NAME, cell.id, plan.baseline)
        )
        for cell in plan.cells
        for system in plan.systems
        if system != plan.baseline
    }
    ratios = in_blocks(contrasts, samples, equivalence_percent)
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            value = samples.number(NAME, cell.id, system)
            of_system = [s for s in series if (s.run.cell.id, s.run.system) == (cell.id, system)]
            if value is None:
                continue
            operations = statistics.fmean(float(each.operations.mean()) for each in of_system)
            judged = ratios.get((cell.id, system))
            own_noise = samples.noise_log_ratios(NAME, cell.id)
            found.append(
                Fluctuation(
                    cell=cell.id,
                    system=system,
                    value=value,
                    intervals=min(counted[each.run.block, cell.id] for each in of_system),
                    interval_ns=of_system[0].interval_ns,
                    operations=operations,
                    counting=1 / math.sqrt(operations),
                    ratio=JudgedRatio(**judged.numbers()) if judged is not None else None,
                    noise=samples.over_blocks(own_noise, reach=samples.noise_reach(NAME, cell.id))
                    if system == plan.baseline
                    else None,
                )
            )
    return found


def series_of(run: RunRecord) -> Series | None:
    """The whole intervals behind the warm-up without the last; None where a run has too few."""
    result, job = run.result, run.job
    if result is None or not is_complete(run) or not isinstance(job, LoadJob):
        return None
    intervals = Intervals.of(result.intervals)
    measured = np.flatnonzero(intervals.column("warm_up") == 0)[:-1]
    operations = intervals.column("read_operations") + intervals.column("write_operations")
    elapsed_ns = intervals.column("elapsed_ns")[measured]
    operations = operations[measured]
    if len(measured) < FEWEST_INTERVALS or not elapsed_ns.all() or not operations.any():
        return None
    return Series(run, job.interval_ns, operations * 1e9 / elapsed_ns, operations)


def reading_of(rates: npt.NDArray[np.float64], operations: npt.NDArray[np.int64]) -> Reading | None:
    """The coefficient of variation, and how far counting may have moved it; None if it is 0."""
    mean = float(rates.mean())
    if mean <= 0:
        return None
    squared = float(rates.var(ddof=1)) / mean**2
    if squared <= 0:
        return None
    least = max(squared - 1 / float(operations.mean()), LEAST_SHARE * squared)
    return Reading((squared * least) ** 0.25, math.log(squared / least) / 4)


def _fewest(series: Sequence[Series]) -> dict[tuple[int, str], int]:
    """By block and cell, the intervals of the run that has the fewest."""
    found: dict[tuple[int, str], int] = {}
    for each in series:
        place = (each.run.block, each.run.cell.id)
        found[place] = min(found.get(place, len(each.rates)), len(each.rates))
    return found
