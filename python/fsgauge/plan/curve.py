"""The cells of a load curve: each load unpaced in the first block, then at rates that rise.

Every block after the first has the same steps, at rates that are shared by all systems, so that
pairs stay pairs; and searches, near the rates at which systems were last seen to pass the limit.
Which rates these are is decided once the blocks before are measured: `fsgauge.stats.curve.rates`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsgauge.errors import InputError
from fsgauge.plan.space import speed_on
from fsgauge.record.factors import CellFactors, factors_of
from fsgauge.record.modes import Curve, Pace
from fsgauge.record.quantiles import QUANTILES, operations_needed, quantile_words
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.study.model import Study
from fsgauge.study.workload import cells_of
from fsgauge.units import exact_duration, format_duration, format_rate, format_size
from fsgauge.workload import method_of
from fsgauge.workload.assumed import operations_per_second

STEPS = 10
"""Evenly from `FIRST_SHARE` to `LAST_SHARE` of the rate that the slowest system reaches unpaced."""
FIRST_SHARE, LAST_SHARE = 0.1, 1.1
SPARE_OPERATIONS = 1.2
"""Arrivals are by chance: so many times the operations that a quantile needs are offered."""
MOST_SEARCHES = 12
SEARCHES_OF_SYSTEM = 2
"""One below and one above the rate where it was last seen to pass the limit. One more for all is
above what any of them reaches."""


def curve_of(study: Study) -> Curve | None:
    """What a study asks of its curve; None of one without."""
    plan = study.plan
    if plan.mode != "curve" or plan.latency_limit is None:
        return None
    return Curve(limit_ns=plan.latency_limit, quantile=plan.quantile)


def planned_cells(study: Study) -> list[Cell]:
    """The cells of a turn: those of the workload, or of a curve the paced ones."""
    if curve_of(study) is None:
        return cells_of(study.workload)
    searches = min(MOST_SEARCHES, 1 + SEARCHES_OF_SYSTEM * len(study.systems))
    return [
        _paced(load, Pace(load=load.id, part=part, number=number))
        for load in study.workload.paced_loads()
        for part, many in (("step", STEPS), ("search", searches))
        for number in range(1, many + 1)
    ]


def _paced(load: Cell, pace: Pace) -> Cell:
    words = f"{pace.part} {pace.number}"
    update = {"id": f"{load.id}-{pace.part}{pace.number}", "name": f"{load.name}, {words}"}
    return load.model_copy(update={**update, "pace": pace})


def runs_at_once(plan: Plan, turn: Turn) -> list[tuple[list[Cell], list[Cell]]]:
    """Of a turn whose cells are loads side by side: those of each run, and the loads beside them
    that no curve is of. Without a pace all cells are one run."""
    cells = {cell.id: cell for cell in plan.cells}
    runs: dict[tuple[str, int] | None, list[Cell]] = {}
    for cell in (cells[each] for each in turn.cells):
        at = (cell.pace.part, cell.pace.number) if cell.pace else None
        runs.setdefault(at, []).append(cell)
    raised = plan.paced_loads
    others = [cell for cell in plan.cells if not cell.pace and cell not in raised]
    return [(own, [] if at is None else others) for at, own in runs.items()]


def steps_of(cells: Sequence[Cell], loads: Sequence[str]) -> list[str]:
    """The ids of the steps of these loads; of a plan without a curve, the loads themselves."""
    steps = [cell.id for cell in cells if cell.pace and cell.pace.part == "step"]
    if not steps:
        return list(loads)
    of_load = {cell.id: cell.pace.load for cell in cells if cell.pace}
    return [step for step in steps if of_load[step] in loads]


def at_rates(plan: Plan, rates: Mapping[str, float]) -> Plan:
    """The plan with the rates of its paced cells, by their ids, known."""
    names = {cell.id: cell.name for cell in plan.cells}
    cells = [
        cell.model_copy(
            update={
                "name": f"{names[cell.pace.load]} at"
                f" {format_rate(rates[cell.id], factors_of(cell).rate_unit)}",
                "pace": cell.pace.model_copy(update={"rate": rates[cell.id]}),
            }
        )
        if cell.pace and cell.id in rates
        else cell
        for cell in plan.cells
    ]
    return plan.model_copy(update={"cells": cells})


def least_rate(curve: Curve, elapsed_ns: int, share: float) -> float:
    """Below it a run has too few operations for the quantile; the limit is of `share` of them."""
    needed = SPARE_OPERATIONS * operations_needed(curve.quantile) / share
    return needed * 1e9 / max(elapsed_ns, 1)


def require_log_holds(study: Study, file_bytes: int) -> None:
    """InputError for a curve of logs that are each filled once, of `file_bytes`, which are full
    before they hold the operations that the quantile needs."""
    curve = curve_of(study)
    needed = operations_needed(curve.quantile) if curve is not None else 0
    for load in study.workload.paced_loads() if curve is not None else ():
        factors = factors_of(load)
        held = file_bytes // factors.operation_bytes
        if factors.makes_files_anew and held < needed:
            raise InputError(
                f"{quantile_words(study.plan.quantile)} needs {needed:,} operations of"
                f' "{load.name}" in a run, and its log is full after {held:,}: no rate says'
                " anything",
                cause=f"the log has {format_size(file_bytes)}",
                next="a larger workload.fill, larger storage, or --set plan.quantile=p50",
            )


def too_short(study: Study, plan: Plan) -> list[str]:
    """Of each load of a curve: that its runs are too short for the quantile at a tenth of what is
    assumed of the storage; of each primary cell with a pace, at that; and what helps."""
    if plan.curve is None:
        own = [cell for cell in plan.cells if cell.id in plan.primary]
        return [words for cell in own if (words := _too_few_due(study, cell))]
    found = (_too_short(study, plan.curve, load) for load in plan.paced_loads)
    return [words for words in found if words]


def _too_few_due(study: Study, cell: Cell) -> str:
    factors, rate = factors_of(cell), method_of(study.workload).rate_of(cell)
    quantile = factors.judged_at_pace.rpartition(".")[2]
    if rate is None or quantile not in QUANTILES:
        return ""
    due, needed = factors.operations_of_run, operations_needed(quantile)
    if due is None:
        duration_ns: int = getattr(study.workload, "duration", 0)
        due = int(rate * duration_ns / 1e9 * _share_waited_for(factors))
    if due >= needed:
        return ""
    return (
        f'"{cell.name}" is judged by its {quantile_words(quantile)}, which needs {needed:,}'
        f" operations in a run, and {due:,} are due: it will have none; {factors.longer_runs}"
    )


def _too_short(study: Study, curve: Curve, load: Cell) -> str:
    factors, needed = factors_of(load), operations_needed(curve.quantile)
    if factors.operations_of_run is not None:  # the study would be refused (study.modes)
        return ""
    duration_ns: int = getattr(study.workload, "duration", 0)
    least = least_rate(curve, duration_ns, _share_waited_for(factors))
    at_once = factors.depth * factors.at_once
    if least <= FIRST_SHARE * operations_per_second(
        factors.operation_bytes, at_once, speed_on(study)
    ):
        return ""
    return (
        f'{quantile_words(curve.quantile)} needs {needed:,} operations of "{load.name}" in a run:'
        f" of {exact_duration(duration_ns)} none is offered below"
        f" {format_rate(least, factors.rate_unit)}, and a system that serves less has no point;"
        f" {factors.longer_runs}"
    )


def _share_waited_for(factors: CellFactors) -> float:
    """Of all operations, those that the limit is of, as far as the factors say."""
    reads = factors.share_of_reads / 100
    return {"read": reads, "write": 1 - reads}.get(factors.waited_for, 1.0)


def curve_words(plan: Plan) -> str:
    if plan.curve is None:
        return ""
    searches = len({cell.id for cell in plan.cells if cell.pace and cell.pace.part == "search"})
    searches //= len(plan.paced_loads)
    share = f"{100 * FIRST_SHARE:.0f} to {100 * LAST_SHARE:.0f} %"
    return (
        f"block 1 unpaced; then in each block {STEPS} rates, {share} of what the slowest reached,"
        f" and {searches} near those where systems passed {format_duration(plan.curve.limit_ns)}"
    )
