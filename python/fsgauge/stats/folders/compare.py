"""Two results folders of one study: B over A, system by system and cell by cell.

Takes two sides; gives one entry a metric, cell, system and basis. There are two bases:

    direct       the system's value in B over its value in A. On one machine this is what a user
                 of the system gets. On two machines it compares the machines.
    to baseline  the system over the baseline in B, over the same in A: the ratio of ratios. What
                 changes all systems alike (the machine, its heat, its neighbours) cancels.

On one machine both are judged and the direct one decides; on two machines only the second one is
judged. Families for the correction: one metric, one basis, primary cells apart from the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal

from fsgauge.record import Cell
from fsgauge.stats.answer import naming_changes
from fsgauge.stats.compare import measured_metrics
from fsgauge.stats.contrast import Contrast, Value, in_folders
from fsgauge.stats.estimate import ByBlock
from fsgauge.stats.folders.same_conditions import (
    Side,
    Unlike,
    listed_differences,
    require_alike,
    same_machine,
)
from fsgauge.stats.read import read_side
from fsgauge.stats.results import MetricInfo, ResultModel, Results
from fsgauge.stats.samples import Samples, collect
from fsgauge.stats.verdict import Verdict

Basis = Literal["direct", "to baseline"]
DEFAULT_EQUIVALENCE_PERCENT = 3.0


class Entry(ResultModel):
    """B over A by one metric. Without `verdict`, two machines were compared.

    `value_a` and `value_b` are geometric means over blocks: in the metric's unit, or, to the
    baseline, ratios. `error` (of the log ratio), `freedom` and `reach` (how far its
    buckets leave it open) give intervals at other levels.
    """

    cell: str
    system: str
    metric: str
    primary: bool
    basis: Basis
    decides: bool
    value_a: float
    value_b: float
    ratio: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float
    verdict: Verdict | None
    blocks_a: int
    blocks_b: int
    error: float | None
    reach: float
    freedom: float | None
    detectable_percent: float | None
    margin_percent: float
    robust_ratio: float
    robust_low: float | None
    robust_high: float | None
    robust_p: float


class FolderFacts(ResultModel):
    """What one of the two folders is."""

    label: str
    blocks_complete: int
    valid: bool
    invalid_reason: str
    data_lost: bool
    too_noisy: bool = False
    started_unix_ns: int


class Between(ResultModel):
    """Everything that the comparison of two folders says; goes to comparison.json."""

    format: Literal[1] = 1
    question: str
    baseline: str
    a: FolderFacts
    b: FolderFacts
    same_machine: bool
    decides: Basis
    systems: list[str]
    cells: list[Cell]
    primary_cells: list[str]
    primary_metrics: dict[str, str]
    metrics: list[MetricInfo]
    entries: list[Entry]
    differences: list[Unlike]

    def entry(self, cell: str, system: str, metric: str, basis: Basis) -> Entry | None:
        """One entry, if there is such a one."""
        return self._places.get((cell, system, metric, basis))

    @cached_property
    def _places(self) -> dict[tuple[str, str, str, Basis], Entry]:
        return {(one.cell, one.system, one.metric, one.basis): one for one in self.entries}

    def cell(self, cell_id: str) -> Cell:
        """The cell of this id; raises KeyError."""
        found = {cell.id: cell for cell in self.cells}
        return found[cell_id]


def compare_sides(
    a: Side, b: Side, *, despite: Sequence[str] = (), to_baseline: bool = False
) -> Between:
    """The comparison; `to_baseline` lets the ratio of ratios decide on one machine too.

    Raises InputError where something that must be equal is not and is not in `despite`.
    """
    accepted = require_alike(a, b, despite)
    one_machine = same_machine(a, b)
    decides: Basis = "direct" if one_machine and not to_baseline else "to baseline"
    results = [naming_changes(read_side(side), side.changes) for side in (a, b)]
    cells = [cell for cell in results[1].cells if cell in results[0].cells]
    names = {cell.id for cell in cells}
    systems = [system for system in results[1].systems if system in results[0].systems]
    primary = [cell for cell in results[1].primary_cells if cell in names]
    samples = (collect(a.study.plan, a.runs), collect(b.study.plan, b.runs))
    settings = b.study.study.get("plan", {})
    margin_percent = float(settings.get("equivalence_percent", DEFAULT_EQUIVALENCE_PERCENT))
    bases: list[Basis] = ["direct"]
    if a.study.plan.baseline == b.study.plan.baseline:
        bases.append("to baseline")
    entries = [
        entry
        for basis in bases
        for entry in _entries(
            samples,
            _Scope([cell.id for cell in cells], systems, primary, margin_percent),
            basis,
            decides=basis == decides,
            judged=one_machine or basis == "to baseline",
        )
    ]
    present = {entry.metric for entry in entries}
    return Between(
        question=results[1].question,
        baseline=results[1].baseline,
        a=_facts(a, results[0]),
        b=_facts(b, results[1]),
        same_machine=one_machine,
        decides=decides,
        systems=systems,
        cells=cells,
        primary_cells=primary,
        primary_metrics={cell.id: results[1].primary_metrics[cell.id] for cell in cells},
        metrics=[metric for metric in results[1].metrics if metric.name in present],
        entries=entries,
        differences=accepted + listed_differences(a, b),
    )


@dataclass(frozen=True)
class _Scope:
    """What is compared, and the margin within which a difference does not matter."""

    cells: list[str]
    systems: list[str]
    primary: list[str]
    margin_percent: float


def _facts(side: Side, results: Results) -> FolderFacts:
    return FolderFacts(
        label=side.label,
        blocks_complete=results.sureness.blocks_complete,
        valid=results.sureness.valid,
        invalid_reason=results.sureness.invalid_reason,
        data_lost=results.sureness.data_lost,
        too_noisy=results.sureness.too_noisy,
        started_unix_ns=side.study.started_unix_ns,
    )


def _entries(
    samples: tuple[Samples, Samples], scope: _Scope, basis: Basis, *, decides: bool, judged: bool
) -> Iterator[Entry]:
    found = in_folders(_contrasts(samples[0], scope, basis), *samples, scope.margin_percent)
    for (cell, system, metric), each in found.items():
        ratio, robust = each.ratio, each.ratio.robust
        yield Entry(
            cell=cell,
            system=system,
            metric=metric,
            primary=cell in scope.primary,
            basis=basis,
            decides=decides,
            value_a=_mean(each.against),
            value_b=_mean(each.logs),
            ratio=ratio.ratio,
            low=ratio.low,
            high=ratio.high,
            p=ratio.p,
            p_adjusted=each.p_adjusted,
            verdict=each.verdict if judged else None,
            blocks_a=len(each.against),
            blocks_b=len(each.logs),
            error=ratio.error,
            reach=ratio.reach,
            freedom=ratio.freedom,
            detectable_percent=each.detectable_percent(),
            margin_percent=each.margin_percent,
            robust_ratio=robust.ratio,
            robust_low=robust.low,
            robust_high=robust.high,
            robust_p=robust.p,
        )


def _contrasts(
    samples: Samples, scope: _Scope, basis: Basis
) -> dict[tuple[str, str, str], Contrast]:
    """Each system in B over itself in A; the baseline has no ratio to itself."""
    baseline, direct = samples.plan.baseline, basis == "direct"
    found = {}
    for metric, is_primary in product(measured_metrics(samples), (True, False)):
        for cell, system in product(scope.cells, scope.systems):
            if (cell in scope.primary) != is_primary or (system == baseline and not direct):
                continue
            value = Value(metric, cell, system)
            side = value if direct else Contrast(value, Value(metric, cell, baseline))
            found[cell, system, metric] = Contrast(side, side, family=(metric, is_primary))
    return found


def _mean(logs: ByBlock) -> float:
    return math.exp(sum(logs.values()) / len(logs))
