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
from typing import Literal

from fsgauge.record import Cell
from fsgauge.stats.changed import naming_changes
from fsgauge.stats.compare import measured_metrics
from fsgauge.stats.folders.same_conditions import Side, Unlike, listed_differences, require_alike, same_machine
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import deviation_of_steps
from fsgauge.stats.read import read_side
from fsgauge.stats.results import MetricInfo, ResultModel, Results
from fsgauge.stats.samples import Samples, collect
from fsgauge.stats.verdict import Verdict, benjamini_hochberg, judge, log_margin
from fsgauge.stats.welch import Welch, welch

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


@dataclass(frozen=True)
class _Pairing:
    cell: str
    system: str
    ratio: Welch
    values: tuple[float, float]
    blocks: tuple[int, int]


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
    margin = log_margin(float(settings.get("equivalence_percent", DEFAULT_EQUIVALENCE_PERCENT)))
    bases: list[Basis] = ["direct"]
    if a.study.plan.baseline == b.study.plan.baseline:
        bases.append("to baseline")
    entries = [
        entry
        for basis in bases
        for entry in _entries(
            samples,
            _Scope([cell.id for cell in cells], systems, primary, margin),
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
        primary_metrics={cell: results[1].primary_metrics[cell] for cell in names},
        metrics=[metric for metric in results[1].metrics if metric.name in present],
        entries=entries,
        differences=accepted + listed_differences(a, b),
    )


@dataclass(frozen=True)
class _Scope:
    """What is compared, and the margin in logs within which a difference does not matter."""

    cells: list[str]
    systems: list[str]
    primary: list[str]
    margin: float


def _facts(side: Side, results: Results) -> FolderFacts:
    return FolderFacts(
        label=side.label,
        blocks_complete=results.sureness.blocks_complete,
        valid=results.sureness.valid,
        invalid_reason=results.sureness.invalid_reason,
        data_lost=results.sureness.data_lost,
        started_unix_ns=side.study.started_unix_ns,
    )


def _entries(
    samples: tuple[Samples, Samples], scope: _Scope, basis: Basis, *, decides: bool, judged: bool
) -> Iterator[Entry]:
    for metric in measured_metrics(samples[0]):
        pairings = [
            pairing
            for cell in scope.cells
            for system in scope.systems
            if (pairing := _pair(samples, metric, cell, system, basis)) is not None
        ]
        for is_primary in (True, False):
            family = [one for one in pairings if (one.cell in scope.primary) == is_primary]
            adjusted = benjamini_hochberg([pairing.ratio.p for pairing in family])
            for pairing, p_adjusted in zip(family, adjusted, strict=True):
                verdict = judge(
                    pairing.ratio,
                    log_margin=scope.margin,
                    p_adjusted=p_adjusted,
                    higher_is_better=METRICS[metric].higher_is_better,
                )
                yield _entry(
                    pairing,
                    metric=metric,
                    primary=is_primary,
                    basis=basis,
                    decides=decides,
                    p_adjusted=p_adjusted,
                    verdict=verdict if judged else None,
                    margin=scope.margin,
                )


def _pair(
    samples: tuple[Samples, Samples], metric: str, cell: str, system: str, basis: Basis
) -> _Pairing | None:
    """One system in both folders; the baseline has no ratio to itself."""
    if basis == "to baseline":
        if system == samples[0].plan.baseline:
            return None
        logs = [list(one.log_ratios(metric, cell, system).values()) for one in samples]
    else:
        logs = [list(one.block_logs(metric, cell, system).values()) for one in samples]
    reach_of = Samples.ratio_reach if basis == "to baseline" else Samples.reach
    reaches = [reach_of(one, metric, cell, system) for one in samples]
    ratio = welch(*logs, steps=deviation_of_steps(max(reaches)), reach=sum(reaches))
    if ratio is None:
        return None
    values = tuple(math.exp(sum(each) / len(each)) for each in logs)
    return _Pairing(cell, system, ratio, (values[0], values[1]), (len(logs[0]), len(logs[1])))


def _entry(
    pairing: _Pairing,
    *,
    metric: str,
    primary: bool,
    basis: Basis,
    decides: bool,
    p_adjusted: float,
    verdict: Verdict | None,
    margin: float,
) -> Entry:
    ratio, robust = pairing.ratio, pairing.ratio.robust
    return Entry(
        cell=pairing.cell,
        system=pairing.system,
        metric=metric,
        primary=primary,
        basis=basis,
        decides=decides,
        value_a=pairing.values[0],
        value_b=pairing.values[1],
        ratio=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
        p=ratio.p,
        p_adjusted=p_adjusted,
        verdict=verdict,
        blocks_a=pairing.blocks[0],
        blocks_b=pairing.blocks[1],
        error=ratio.error,
        reach=ratio.reach,
        freedom=ratio.freedom,
        detectable_percent=ratio.detectable_percent(),
        margin_percent=100 * -math.expm1(-margin),
        robust_ratio=robust.ratio,
        robust_low=robust.low,
        robust_high=robust.high,
        robust_p=robust.p,
    )
