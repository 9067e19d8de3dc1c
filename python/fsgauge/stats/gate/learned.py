"""What a gate has learnt from accepted runs: the model of its file.

Values are geometric means over the blocks of a run, in the metric's unit (operations or bytes per
second, nanoseconds); ratios are to the baseline system of the same run, those of the baseline to
the mean of all other systems. Errors are standard errors of these means in percent, from the run's
blocks. Means and spreads are there for readers: statistics read the runs' own numbers.

What a folder has of it is a line a cell, system and metric. Of the baseline, the value to the
others says: if it alone got slower, so did that; if the whole machine did, it did not.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ConfigDict, Field

from fsgauge.record.records import Cell
from fsgauge.stats.compare import measured_metrics
from fsgauge.stats.contrast import Value, logs_of, reach_of
from fsgauge.stats.estimate import ByBlock
from fsgauge.stats.folders.folder import BASES, Basis, Key, by_sitting, side_of
from fsgauge.stats.folders.free_space import Space
from fsgauge.stats.metrics import METRICS, Unit
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import DidNothing
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import log_margin

FORMAT = 1
DEFAULT_LOSS_PERCENT = 10.0
_DIGITS = 8


class Run(ResultModel):
    """One accepted results folder; `blocks` are those that are complete. `space` is by system, and
    empty in an older file."""

    label: str
    started: str
    started_unix_ns: int
    ended_unix_ns: int
    blocks: int
    space: dict[str, Space] = Field(default_factory=dict)


class Numbers(ResultModel):
    """One basis of a line, a number a run; None where a run has none. `reach` is how far, as a log,
    all of them may be off because percentiles are known to buckets."""

    mean: float
    spread_percent: float | None
    runs: list[float | None]
    errors_percent: list[float | None]
    reach: float

    def without_first(self) -> Numbers:
        return self.model_copy(
            update={"runs": self.runs[1:], "errors_percent": self.errors_percent[1:]}
        )

    def logs(self) -> list[float | None]:
        return [None if value is None else math.log(value) for value in self.runs]

    def mean_error(self) -> float:
        """Root mean square of the errors that blocks show, as a log."""
        errors = [error / 100 for error in self.errors_percent if error is not None]
        return math.sqrt(statistics.fmean(error**2 for error in errors)) if errors else 0.0


class LearnedMean(ResultModel):
    """One cell, system and metric over all runs; `to_baseline` is "relative" in the file."""

    model_config = ConfigDict(
        serialize_by_alias=True, validate_by_name=True, validate_by_alias=True
    )

    cell: str
    system: str
    metric: str
    unit: Unit
    direct: Numbers
    to_baseline: Numbers | None = Field(alias="relative")

    @property
    def key(self) -> Key:
        return self.cell, self.system, self.metric

    def of(self, basis: Basis) -> Numbers | None:
        return self.direct if basis == "direct" else self.to_baseline


class Learned(ResultModel):
    """Everything in a gate's file. `facts` are those that a folder must share to belong to it;
    `written` has in words those that are quantities: an older file has none.

    `loss_percent` is the loss that the gate has to see, `metrics` are judged as well as each cell's
    primary one, `limits` are conditions on values that every new run has to meet.
    """

    format: Literal[1] = 1
    fsgauge: str
    question: str
    baseline: str
    loss_percent: float
    margin_percent: float
    limits: list[str]
    metrics: list[str]
    systems: list[str]
    cells: list[Cell]
    primary_cells: list[str]
    primary_metrics: dict[str, str]
    facts: dict[str, Any]
    written: dict[str, str] = Field(default_factory=dict)
    runs: list[Run]
    lines: list[LearnedMean]

    @property
    def loss(self) -> float:
        """The loss that has to be seen, as a log: 10 % is a ratio of 0.9 or its inverse."""
        return log_margin(self.loss_percent)

    @property
    def margin(self) -> float:
        return log_margin(self.margin_percent)

    def sittings(self) -> list[list[int]]:
        return by_sitting([(run.started_unix_ns, run.ended_unix_ns) for run in self.runs])

    def is_judged(self, line: LearnedMean) -> bool:
        """Whether a loss in this line fails a build."""
        if line.cell not in self.primary_cells:
            return False
        return line.metric in (self.primary_metrics[line.cell], *self.metrics)


@dataclass(frozen=True)
class Addition:
    """One folder that is to join: its entry, its lines, and those in which a system did nothing."""

    run: Run
    lines: dict[Key, dict[Basis, Mean]]
    nothing: Mapping[Key, DidNothing] = field(default_factory=dict)


def with_runs(
    lines: Sequence[LearnedMean], before: int, additions: Sequence[Addition]
) -> list[LearnedMean]:
    """The lines of `before` runs with those of more; a line may be new, or missing in some."""
    known = {line.key: line for line in lines}
    keys = [*known, *(key for each in additions for key in each.lines if key not in known)]
    return [_joined(key, known.get(key), before, additions) for key in dict.fromkeys(keys)]


def _joined(
    key: Key, line: LearnedMean | None, before: int, additions: Sequence[Addition]
) -> LearnedMean:
    cell, system, metric = key
    new = [each.lines.get(key) for each in additions]
    direct, to_baseline = (
        _numbers(
            line.of(basis) if line else None,
            before,
            [each.get(basis) if each else None for each in new],
        )
        for basis in BASES
    )
    assert direct is not None  # noqa: S101 - a key is that of a line with a value
    return LearnedMean(
        cell=cell,
        system=system,
        metric=metric,
        unit=METRICS[metric].unit,
        direct=direct,
        to_baseline=to_baseline,
    )


def _numbers(old: Numbers | None, before: int, new: Sequence[Mean | None]) -> Numbers | None:
    nothing: list[float | None] = [None] * before
    runs = (old.runs if old else nothing) + [
        None if each is None else _short(math.exp(each.log)) for each in new
    ]
    errors = (old.errors_percent if old else nothing) + [
        None if each is None else _short(100 * each.error) for each in new
    ]
    logs = [math.log(value) for value in runs if value is not None]
    if not logs:
        return None
    return Numbers(
        mean=_short(math.exp(statistics.fmean(logs))),
        spread_percent=_short(100 * statistics.stdev(logs), 3) if len(logs) > 1 else None,
        runs=runs,
        errors_percent=errors,
        reach=max([old.reach if old else 0.0, *(each.reach for each in new if each)]),
    )


def _short(value: float, digits: int = _DIGITS) -> float:
    return float(f"{value:.{digits}g}")


@dataclass(frozen=True)
class Mean:
    """The mean log of `blocks`, its standard error, and how far buckets may put all of them off.
    The error is 0 from one block, which does not show any."""

    log: float
    error: float
    reach: float
    blocks: int


def lines_of(samples: Samples, cells: Sequence[str]) -> dict[Key, dict[Basis, Mean]]:
    """Every line that has a block, in the order of metrics, cells and systems."""
    baseline, systems = samples.plan.baseline, samples.plan.systems
    found: dict[Key, dict[Basis, Mean]] = {}
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
                found[cell, system, metric] = {"direct": direct}
                if relative is not None:
                    found[cell, system, metric]["to baseline"] = relative
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
