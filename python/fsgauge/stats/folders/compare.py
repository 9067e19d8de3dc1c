"""Results folders of one study: B over A, system by system and cell by cell.

Takes two sides, of one folder or several; gives one entry a metric, cell, system and basis.

On one machine the direct ratio decides, and calls a system better or worse only where the ratio to
the baseline says the same: what a sitting does to all systems is in the first, what it does to the
baseline alone in the second. The baseline has the first alone. On two machines, or where it is
asked for, the second one decides alone. Families for the correction: one metric, one basis, primary
cells apart from the others. The interval that is shown is the one that the verdict rests on, as in
a report (stats/contrast.py); where the two bases disagree it is both together, which holds 1.

Intervals hold what differs from sitting to sitting: measured where there are sittings enough, or
known from others. Where it is neither, nothing is better or worse (stats/welch.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from fsgauge.errors import InputError, quoted
from fsgauge.stats.compare import measured_metrics
from fsgauge.stats.contrast import Contrast, ContrastResult, Sittings, Value, in_folders
from fsgauge.stats.estimate import ByBlock
from fsgauge.stats.folders import folder
from fsgauge.stats.folders.between import (
    TIMES,
    Between,
    Ends,
    Entry,
    IdleLine,
    SideFacts,
    ends_of,
    without_times,
)
from fsgauge.stats.folders.same_conditions import (
    Side,
    is_simulated,
    listed_differences,
    require_alike,
    unlike_machines,
)
from fsgauge.stats.idle import idle_words
from fsgauge.stats.planned import margin_percent
from fsgauge.stats.verdict import OPEN, Verdict
from fsgauge.stats.welch import FEWEST_SITTINGS, OF_A_MODEL, OverSittings, Scatter
from fsgauge.units import listed

KnownSittings = Mapping[folder.Basis, Mapping[folder.Key, Scatter]]


def compare_sides(
    a: Side,
    b: Side,
    *,
    more_a: Sequence[Side] = (),
    more_b: Sequence[Side] = (),
    despite: Sequence[str] = (),
    to_baseline: bool = False,
    known: KnownSittings | None = None,
    folders_beside: int = 0,
) -> Between:
    """The comparison of A with B, each with `more` folders of the same.

    `known` is how sittings differ, as others showed: `folders_beside`, if any. `to_baseline` lets
    the ratio of ratios decide on one machine too. Raises InputError where something that must be
    equal is not and is not in `despite`; two ends of a model's range need no exception, and are not
    judged.
    """
    sides = [a, *more_a], [b, *more_b]
    others = [*more_a, b, *more_b]
    _require_shared(a, b)
    ends = ends_of(*sides)
    if ends is not None:
        despite = [*despite, TIMES]
    accepted = list(
        dict.fromkeys(each for other in others for each in require_alike(a, other, despite))
    )
    # A model is the same on every machine.
    unlike = dict.fromkeys(name for other in others for name in unlike_machines(a, other))
    one_machine = ends is not None or not unlike
    decides: folder.Basis = "direct" if one_machine and not to_baseline else "to baseline"
    folders = [[folder.read_folder(each) for each in side] for side in sides]
    latest, everything = folders[1][0], [each for side in folders for each in side]
    shared = folder.Shared.of(latest, everything)
    cells = {cell.id: cell for cell in shared.cells}
    sittings = [folder.sittings_of(side) for side in folders]
    samples = [[[each.samples for each in sitting] for sitting in side] for side in sittings]
    scope = Scope(
        cells=list(cells),
        systems=shared.systems,
        primary=shared.primary,
        margin_percent=margin_percent(b.study),
        baseline=a.study.plan.baseline,
        bases=_bases(sides),
        decides=decides,
        judged=_judged(one_machine, ends),
        known=None if all(map(is_simulated, [a, *others])) else known or {},
    )
    entries = list(entries_of(samples[0], samples[1], scope))
    idle_lines = list(_idle_lines(folders, cells, shared.systems))
    present = {each.metric for each in entries} | {each.metric for each in idle_lines}
    return Between(
        question=latest.results.question,
        baseline=latest.results.baseline,
        a=_facts(folders[0], len(sittings[0])),
        b=_facts(folders[1], len(sittings[1])),
        sittings_measured=sum(map(len, sittings)) >= FEWEST_SITTINGS,
        sittings_known=scope.known is None or bool(scope.known),
        folders_beside=folders_beside,
        same_machine=one_machine,
        unlike_machines=list(unlike),
        decides=decides,
        systems=shared.systems,
        cells=shared.cells,
        primary_cells=shared.primary,
        primary_metrics={cell: latest.results.primary_metrics[cell] for cell in cells},
        commits=[cell for cell in latest.results.commits if cell in cells],
        metrics=[metric for metric in latest.results.metrics if metric.name in present],
        entries=entries,
        differences=(without_times(accepted) if ends else accepted) + listed_differences(a, b),
        nothing=idle_lines,
        ends=ends,
        only_in={
            side.label: only
            for side in (a, b)
            if (only := [each for each in side.study.plan.systems if each not in shared.systems])
        },
    )


def _require_shared(a: Side, b: Side) -> None:
    """InputError where no system is in both: one that was measured in A is followed to B."""
    names = [side.study.plan.systems for side in (a, b)]
    if set(names[0]) & set(names[1]):
        return
    both = dict.fromkeys([*names[0], *names[1]])
    systems = " ".join(f"--system {quoted(each)}" for each in both)
    raise InputError(
        f"{a.label} and {b.label} have no system in common:"
        f" {listed(names[0])} / {listed(names[1])}",
        cause="a system is followed from one folder to the other; two systems are compared by one"
        " run, which measures them in turns",
        next=f"fsgauge run STUDY {systems}; or measure both under one name: --system NAME=KIND",
    )


def _idle_lines(
    sides: Sequence[Sequence[folder.Folder]], cells: Container[str], systems: Container[str]
) -> Iterator[IdleLine]:
    a, b = (
        {k: v.words for each in side for k, v in folder.nothing_in(each).items()} for side in sides
    )
    of_a, of_b = ({key: m.value for key, m in side[0].results.measured.items()} for side in sides)
    for key in dict.fromkeys([*a, *b]):
        cell, system, metric = key
        if cell in cells and system in systems:
            yield IdleLine(
                cell=cell,
                system=system,
                metric=metric,
                a=a.get(key, ""),
                b=b.get(key, ""),
                value_a=None if key in a else of_a.get(key),
                value_b=None if key in b else of_b.get(key),
            )


@dataclass(frozen=True)
class Scope:
    """What is compared, by which bases, and the margin within which a difference is none. `known`
    is how sittings differ, where other ones showed it; None of a model, which has none."""

    cells: list[str]
    systems: list[str]
    primary: list[str]
    margin_percent: float
    baseline: str
    bases: list[folder.Basis]
    decides: folder.Basis
    judged: list[folder.Basis]
    known: KnownSittings | None

    def sittings_of(self, basis: folder.Basis) -> Callable[[folder.Key], Scatter | None]:
        """What is known of how sittings differ in each line."""
        known = self.known
        return lambda key: OF_A_MODEL if known is None else known.get(basis, {}).get(key)


def _judged(one_machine: bool, ends: Ends | None) -> list[folder.Basis]:
    """The bases that have verdicts: a machine is no better than another, nor one end of a range."""
    if ends is not None:
        return []
    return ["direct", "to baseline"] if one_machine else ["to baseline"]


def _bases(sides: Sequence[Sequence[Side]]) -> list[folder.Basis]:
    """Ratios to different baselines are not held against one another."""
    baselines = {each.study.plan.baseline for side in sides for each in side}
    return ["direct", "to baseline"] if len(baselines) == 1 else ["direct"]


def _facts(side: Sequence[folder.Folder], sittings: int) -> SideFacts:
    found = [each.results.sureness for each in side]
    simulated = is_simulated(side[0].side)
    first = f"{side[0].label}{' (simulated)' if simulated else ''}"
    return SideFacts(
        label=first if len(side) == 1 else f"{first} and {len(side) - 1} more",
        folders=[each.label for each in side],
        sittings=sittings,
        blocks_complete=sum(each.blocks_complete for each in found),
        blocks_words=next((each.blocks_words for each in found if each.lacking), ""),
        valid=all(each.valid for each in found),
        invalid_reason=next((each.invalid_reason for each in found if not each.valid), ""),
        data_lost=any(each.data_lost for each in found),
        too_noisy=any(each.too_noisy for each in found),
        started_unix_ns=min(each.span_ns[0] for each in side),
        durability=side[0].results.durability,
        simulated=simulated,
        idle=next((said for each in side if (said := idle_words(each.results.findings))), ""),
    )


def entries_of(a: Sittings, b: Sittings, scope: Scope) -> Iterator[Entry]:
    found = {
        basis: in_folders(
            _contrasts([*a, *b], scope, basis), a, b, scope.margin_percent, scope.sittings_of(basis)
        )
        for basis in scope.bases
    }
    for basis in scope.bases:
        for key, each in found[basis].items():
            other = None
            if basis == scope.decides == "direct":
                other = found.get("to baseline", {}).get(key)
            yield _entry(key, each, other, scope, basis)


def _entry(
    key: folder.Key,
    each: ContrastResult[OverSittings],
    other: ContrastResult[OverSittings] | None,
    scope: Scope,
    basis: folder.Basis,
) -> Entry:
    cell, system, metric = key
    ratio = each.ratio
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
        **{f"robust_{name}": each for name, each in vars(ratio.robust).items()},
    )


def _agree(direct: Verdict, to_baseline: Verdict) -> bool:
    """Whether a direct verdict stands: a difference has to be in both ratios, the same way."""
    if direct in ("better", "worse"):
        return to_baseline == direct
    return direct in OPEN or to_baseline not in ("better", "worse")


def _hull(
    direct: ContrastResult[OverSittings], to_baseline: ContrastResult[OverSittings]
) -> tuple[float | None, float | None]:
    """Both intervals and 1: what the system changed, whichever of the two ratios is right, if it
    changed anything.
    """
    low, high = direct.interval
    other_low, other_high = to_baseline.interval
    if low is None or high is None or other_low is None or other_high is None:
        return None, None
    return min(low, other_low, 1.0), max(high, other_high, 1.0)


def _contrasts(sittings: Sittings, scope: Scope, basis: folder.Basis) -> dict[folder.Key, Contrast]:
    """Each system in B over itself in A; the baseline has no ratio to itself."""
    found = {}
    samples = [each for sitting in sittings for each in sitting]
    measured = {metric: None for each in samples for metric in measured_metrics(each)}
    for metric, is_primary in product(measured, (True, False)):
        for cell, system in product(scope.cells, scope.systems):
            alone = system == scope.baseline and basis == "to baseline"
            if (cell in scope.primary) == is_primary and not alone:
                side = folder.side_of(Value(metric, cell, system), basis, scope.baseline)
                found[cell, system, metric] = Contrast(side, side, family=(metric, is_primary))
    return found


def _mean(logs: ByBlock) -> float:
    return math.exp(sum(logs.values()) / len(logs))
