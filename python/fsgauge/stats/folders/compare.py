"""Results folders of one study: B over A, system by system and cell by cell.

Takes two sides, of one folder or several; gives one entry a metric, cell, system and basis. There
are two bases:

    direct       the system's value in B over its value in A. On one machine this is what a user
                 of the system gets. On two machines it compares the machines.
    to baseline  the system over the baseline in B, over the same in A: the ratio of ratios. What
                 changes all systems alike (the machine, its heat, its neighbours) cancels.

On one machine the direct one decides, and calls a system better or worse only where the other one
says the same: what a sitting does to all systems is in the first, what it does to the baseline
alone in the second. The baseline has the first alone. On two machines, or where it is asked for,
the second one decides alone. Families for the correction: one metric, one basis, primary cells
apart from the others. The interval that is shown is the one that the verdict rests on, as in a
report (stats/contrast.py); where the two bases disagree it is both together, which holds 1.

A side is one folder or several. Intervals hold what differs from sitting to sitting: measured where
there are sittings enough, assumed to be as large as what equal runs differ by otherwise
(stats/welch.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal

from pydantic import Field

from fsgauge.record.records import Cell
from fsgauge.stats.compare import measured_metrics
from fsgauge.stats.contrast import Contrast, Judged, Sittings, Value, in_folders
from fsgauge.stats.estimate import ByBlock
from fsgauge.stats.folders.ends_of_range import TIMES, Ends, ends_of, without_times
from fsgauge.stats.folders.same_conditions import (
    Side,
    Unlike,
    is_simulated,
    listed_differences,
    require_alike,
    same_machine,
)
from fsgauge.stats.folders.sitting import sittings_of
from fsgauge.stats.read import naming_changes, read_side
from fsgauge.stats.results import NOTHING_WEAK, Durability, MetricInfo, ResultModel, Results
from fsgauge.stats.samples import collect
from fsgauge.stats.verdict import Verdict
from fsgauge.stats.welch import FEWEST_SITTINGS, OverSittings

Basis = Literal["direct", "to baseline"]
DEFAULT_EQUIVALENCE_PERCENT = 3.0


class Entry(ResultModel):
    """B over A by one metric. Without `verdict`, two machines or two ends of a range were compared.

    `low` and `high` exclude 1 exactly where the verdict is better or worse, or lie within the
    margin where it is equivalent; `alone_low` and `alone_high` are the 95 % interval of this ratio
    by itself. `bases_agree` is false where that one would decide and the other basis says
    otherwise; `low` and `high` then span the intervals of both.
    `within_low` and `within_high` are the interval of these sittings alone; `sittings_measured`:
    the other one is of how sittings differ, not of what is assumed of that. `value_a` and `value_b`
    are geometric means over blocks: in the metric's unit, or, to the baseline, ratios. `error` (of
    the log ratio), `freedom` and `reach` (how far its buckets leave it open) give intervals at
    other levels.
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
    alone_low: float | None
    alone_high: float | None
    within_low: float | None
    within_high: float | None
    sittings_measured: bool
    p: float
    p_adjusted: float
    verdict: Verdict | None
    bases_agree: bool
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


class SideFacts(ResultModel):
    """What one of the two sides is: its folders, and in how many sittings they were measured.

    The reason is that of the first folder that is not valid; the time that of the first folder.
    """

    label: str
    folders: list[str]
    sittings: int
    blocks_complete: int
    valid: bool
    invalid_reason: str
    data_lost: bool
    too_noisy: bool = False
    started_unix_ns: int
    durability: Durability = NOTHING_WEAK
    simulated: bool = Field(default=False, exclude_if=lambda value: not value)


class Between(ResultModel):
    """Everything that the comparison of two folders says; goes to comparison.json."""

    format: Literal[1] = 1
    question: str
    baseline: str
    a: SideFacts
    b: SideFacts
    sittings_measured: bool
    same_machine: bool
    decides: Basis
    systems: list[str]
    cells: list[Cell]
    primary_cells: list[str]
    primary_metrics: dict[str, str]
    metrics: list[MetricInfo]
    entries: list[Entry]
    differences: list[Unlike]
    ends: Ends | None = Field(default=None, exclude_if=lambda value: value is None)

    def entry(self, cell: str, system: str, metric: str, basis: Basis) -> Entry | None:
        """One entry, if there is such a one."""
        return self._places.get((cell, system, metric, basis))

    def primary_entries(self, basis: Basis) -> list[Entry]:
        """Those of the primary cells by their primary metric, cell by cell, the baseline too."""
        found = (
            self.entry(cell, system, self.primary_metrics[cell], basis)
            for cell in self.primary_cells
            for system in self.systems
        )
        return [entry for entry in found if entry is not None]

    @cached_property
    def _places(self) -> dict[tuple[str, str, str, Basis], Entry]:
        return {(one.cell, one.system, one.metric, one.basis): one for one in self.entries}

    def cell(self, cell_id: str) -> Cell:
        """The cell of this id; raises KeyError."""
        found = {cell.id: cell for cell in self.cells}
        return found[cell_id]


def compare_sides(
    a: Side,
    b: Side,
    *,
    more_a: Sequence[Side] = (),
    more_b: Sequence[Side] = (),
    despite: Sequence[str] = (),
    to_baseline: bool = False,
) -> Between:
    """The comparison of A with B, each with `more` folders of the same.

    `to_baseline` lets the ratio of ratios decide on one machine too. Raises InputError where
    something that must be equal is not and is not in `despite`; two ends of a model's range need
    no exception, and are not judged.
    """
    sides = [a, *more_a], [b, *more_b]
    others = [*more_a, b, *more_b]
    ends = ends_of(*sides)
    if ends is not None:
        despite = [*despite, TIMES]
    accepted = list(
        dict.fromkeys(each for other in others for each in require_alike(a, other, despite))
    )
    # A model is the same on every machine.
    one_machine = ends is not None or all(same_machine(a, other) for other in others)
    decides: Basis = "direct" if one_machine and not to_baseline else "to baseline"
    results = [[naming_changes(read_side(each), each.changes) for each in side] for side in sides]
    latest = results[1][0]
    everything = [each for side in results for each in side]
    cells = [cell for cell in latest.cells if all(cell in each.cells for each in everything)]
    names = {cell.id for cell in cells}
    systems = [
        system for system in latest.systems if all(system in each.systems for each in everything)
    ]
    primary = [cell for cell in latest.primary_cells if cell in names]
    sittings = [sittings_of(side) for side in sides]
    samples = [
        [[collect(each.study.plan, each.runs) for each in sitting] for sitting in side]
        for side in sittings
    ]
    settings = b.study.study.get("plan", {})
    margin_percent = float(settings.get("equivalence_percent", DEFAULT_EQUIVALENCE_PERCENT))
    scope = Scope(
        cells=[cell.id for cell in cells],
        systems=systems,
        primary=primary,
        margin_percent=margin_percent,
        baseline=a.study.plan.baseline,
        bases=_bases(sides),
        decides=decides,
        judged=_judged(one_machine, ends),
    )
    entries = list(entries_of(samples[0], samples[1], scope))
    present = {entry.metric for entry in entries}
    return Between(
        question=latest.question,
        baseline=latest.baseline,
        a=_facts(sides[0], results[0], len(sittings[0])),
        b=_facts(sides[1], results[1], len(sittings[1])),
        sittings_measured=sum(map(len, sittings)) >= FEWEST_SITTINGS,
        same_machine=one_machine,
        decides=decides,
        systems=systems,
        cells=cells,
        primary_cells=primary,
        primary_metrics={cell.id: latest.primary_metrics[cell.id] for cell in cells},
        metrics=[metric for metric in latest.metrics if metric.name in present],
        entries=entries,
        differences=(without_times(accepted) if ends else accepted) + listed_differences(a, b),
        ends=ends,
    )


@dataclass(frozen=True)
class Scope:
    """What is compared, by which bases, and the margin within which a difference is none."""

    cells: list[str]
    systems: list[str]
    primary: list[str]
    margin_percent: float
    baseline: str
    bases: list[Basis]
    decides: Basis
    judged: list[Basis]


def _judged(one_machine: bool, ends: Ends | None) -> list[Basis]:
    """The bases that have verdicts: a machine is no better than another, nor one end of a range."""
    if ends is not None:
        return []
    return ["direct", "to baseline"] if one_machine else ["to baseline"]


def _bases(sides: Sequence[Sequence[Side]]) -> list[Basis]:
    """Ratios to different baselines are not held against one another."""
    baselines = {each.study.plan.baseline for side in sides for each in side}
    return ["direct", "to baseline"] if len(baselines) == 1 else ["direct"]


def _facts(side: Sequence[Side], results: Sequence[Results], sittings: int) -> SideFacts:
    found = [each.sureness for each in results]
    first = f"{side[0].label}{' (simulated)' if is_simulated(side[0]) else ''}"
    return SideFacts(
        label=first if len(side) == 1 else f"{first} and {len(side) - 1} more",
        folders=[each.label for each in side],
        sittings=sittings,
        blocks_complete=sum(each.blocks_complete for each in found),
        valid=all(each.valid for each in found),
        invalid_reason=next((each.invalid_reason for each in found if not each.valid), ""),
        data_lost=any(each.data_lost for each in found),
        too_noisy=any(each.too_noisy for each in found),
        started_unix_ns=min(each.study.started_unix_ns for each in side),
        durability=results[0].durability,
        simulated=is_simulated(side[0]),
    )


def entries_of(a: Sittings, b: Sittings, scope: Scope) -> Iterator[Entry]:
    """Every ratio of B over A by every basis, with its verdict."""
    found = {
        basis: in_folders(_contrasts([*a, *b], scope, basis), a, b, scope.margin_percent)
        for basis in scope.bases
    }
    for basis in scope.bases:
        for key, each in found[basis].items():
            other = None
            if basis == scope.decides == "direct":
                other = found.get("to baseline", {}).get(key)
            yield _entry(key, each, other, scope, basis)


def _entry(
    key: tuple[str, str, str],
    each: Judged[OverSittings],
    other: Judged[OverSittings] | None,
    scope: Scope,
    basis: Basis,
) -> Entry:
    cell, system, metric = key
    ratio, robust = each.ratio, each.ratio.robust
    agree = other is None or _agree(each.verdict, other.verdict)
    verdict: Verdict | None = each.verdict if agree else "undecided"
    low, high = each.interval if agree or other is None else _hull(each, other)
    return Entry(
        cell=cell,
        system=system,
        metric=metric,
        primary=cell in scope.primary,
        basis=basis,
        decides=basis == scope.decides,
        value_a=_mean(each.against),
        value_b=_mean(each.logs),
        ratio=ratio.ratio,
        low=low,
        high=high,
        alone_low=ratio.low,
        alone_high=ratio.high,
        within_low=ratio.within_low,
        within_high=ratio.within_high,
        sittings_measured=ratio.measured,
        p=ratio.p,
        p_adjusted=each.p_adjusted,
        verdict=verdict if basis in scope.judged else None,
        bases_agree=agree,
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


def _agree(direct: Verdict, to_baseline: Verdict) -> bool:
    """Whether a direct verdict stands: a difference has to be in both ratios, the same way."""
    if direct in ("better", "worse"):
        return to_baseline == direct
    return direct == "undecided" or to_baseline not in ("better", "worse")


def _hull(
    direct: Judged[OverSittings], to_baseline: Judged[OverSittings]
) -> tuple[float | None, float | None]:
    """Both intervals and 1: what the system changed, whichever of the two ratios is right, if it
    changed anything.
    """
    low, high = direct.interval
    other_low, other_high = to_baseline.interval
    if low is None or high is None or other_low is None or other_high is None:
        return None, None
    return min(low, other_low, 1.0), max(high, other_high, 1.0)


def _contrasts(
    sittings: Sittings, scope: Scope, basis: Basis
) -> dict[tuple[str, str, str], Contrast]:
    """Each system in B over itself in A; the baseline has no ratio to itself."""
    direct = basis == "direct"
    found = {}
    measured = {
        metric: None
        for sitting in sittings
        for samples in sitting
        for metric in measured_metrics(samples)
    }
    for metric, is_primary in product(measured, (True, False)):
        for cell, system in product(scope.cells, scope.systems):
            if (cell in scope.primary) != is_primary or (system == scope.baseline and not direct):
                continue
            value = Value(metric, cell, system)
            side = value if direct else Contrast(value, Value(metric, cell, scope.baseline))
            found[cell, system, metric] = Contrast(side, side, family=(metric, is_primary))
    return found


def _mean(logs: ByBlock) -> float:
    return math.exp(sum(logs.values()) / len(logs))
