"""A curve as a study of its loads: the sample of a block is the rate at which it passes the limit.

All that is said of any study (A/A, ratios, verdicts, rankings, comparisons of folders) is then said
of these rates, in the cells of the loads. Where a system passes the limit at no rate, or at all of
them, in any block, it has a bound and no number there: none of its blocks is a sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsgauge.plan.levels import LEVEL
from fsgauge.record.modes import Curve
from fsgauge.record.quantiles import quantile_words
from fsgauge.record.records import Cell, Plan, RunRecord
from fsgauge.stats.curve.model import CurveResults
from fsgauge.stats.curve.point import Crossing, Point, crossing, points_of
from fsgauge.stats.samples import Samples, collect
from fsgauge.units import format_duration, grouped

CAPACITY = "iops"
"""The metric that a rate below the limit is one of."""


def limit_words(curve: Curve | CurveResults) -> str:
    """ "p99 below 5 ms"."""
    return f"{quantile_words(curve.quantile)} below {format_duration(curve.limit_ns)}"


def of_loads(plan: Plan) -> Plan:
    """The plan with its loads for cells, in the blocks that have paced ones; a plan without a curve
    as it is."""
    if plan.curve is None:
        return plan
    of_cell = {cell.id: cell.pace.load for cell in plan.cells if cell.pace}
    if not of_cell:
        return plan
    words = limit_words(plan.curve)
    turns = [
        turn.model_copy(update={"cells": list(dict.fromkeys(of_cell[each] for each in turn.cells))})
        for turn in plan.turns
        if turn.cells and turn.cells[0] in of_cell
    ]
    loads = [cell.model_copy(update={"name": f"{cell.name}, {words}"}) for cell in plan.paced_loads]
    primary = list(dict.fromkeys(of_cell[step] for step in plan.primary))
    return plan.model_copy(update={"cells": loads, "turns": turns, "primary": primary})


@dataclass(frozen=True)
class BlockCurve:
    """All paced runs of one load in one turn of a block; `runs` has one at least."""

    load: str
    runs: list[RunRecord]
    points: list[Point]
    found: Crossing | None

    @property
    def system(self) -> str:
        return self.runs[0].system

    @property
    def block(self) -> int:
        return self.runs[0].block

    @property
    def again(self) -> bool:
        return self.runs[0].again

    def last(self) -> list[RunRecord]:
        """The run at the highest rate that the system carried; where it carried none, at the least
        that was measured; else one that failed."""
        limit = self.found.rate if self.found else 0.0
        within = [each.run for each in self.points if each.is_known and each.rate <= limit]
        measured = [each.run for each in self.points]
        return [*self.runs[-1:], *measured[:1], *within[-1:]][-1:]


def block_curves(runs: Iterable[RunRecord], curve: Curve) -> list[BlockCurve]:
    """The curves of each turn, in the order of its runs."""
    turns = grouped(
        ((run.cell.pace.load, run.block, run.turn), run)
        for run in runs
        if run.cell.pace is not None
    )
    found = []
    for (load, *_), of_turn in turns.items():
        points = points_of(of_turn, curve)
        found.append(BlockCurve(load, of_turn, points, crossing(points, curve.limit_ns)))
    return found


def parted(plan: Plan, runs: Sequence[RunRecord]) -> tuple[list[RunRecord], list[RunRecord]]:
    """A run for each turn and load, the last one within the limit, in the cell of the load; and all
    other runs. Of a plan without a curve all runs, and none."""
    if plan.curve is None:
        return list(runs), []
    cells = {cell.id: cell for cell in of_loads(plan).cells}
    chosen = {id(run): each.load for each in block_curves(runs, plan.curve) for run in each.last()}
    standing = [
        run.model_copy(update={"cell": cells[chosen[id(run)]]}) for run in runs if id(run) in chosen
    ]
    return standing, [run for run in runs if id(run) not in chosen]


def samples_of(plan: Plan, runs: Iterable[RunRecord], *, level: float = LEVEL) -> Samples:
    """What each block shows of each system: of a curve its rate at the limit, else what each run
    says."""
    return collect(plan, runs, level=level) if plan.curve is None else _at_limit(plan, runs, level)


def _at_limit(plan: Plan, runs: Iterable[RunRecord], level: float) -> Samples:
    """The rate of each block at the limit; of systems that have a bound there, none."""
    samples = Samples(of_loads(plan), level=level)
    if plan.curve is None:
        return samples
    curves = block_curves(runs, plan.curve)
    bound = {
        (each.load, each.system)
        for each in curves
        if each.found is not None and each.found.where != "measured"
    }
    for each in curves:
        if each.found is not None and (each.load, each.system) not in bound:
            samples.put(CAPACITY, each.load, each, math.log(each.found.rate))
    return samples


def load_of(plan: Plan, load: str) -> Cell:
    return next(cell for cell in of_loads(plan).cells if cell.id == load)
