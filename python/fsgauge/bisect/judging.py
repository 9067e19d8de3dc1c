"""Whether a kernel is beyond the limits, from the study in which it stood beside the good one.

An interval decides as on the study's page, where it is corrected for all comparisons: a kernel is
bad where a whole interval lies beyond a limit, good where all of them lie within theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from fsgauge.bisect.search import Outcome
from fsgauge.record.records import Cell
from fsgauge.stats.folders.condition import Condition
from fsgauge.stats.folders.limits import place_of
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT


class Judged(BaseModel):
    """One limit in one cell: the ratio of the kernel to the good one, with its interval."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    condition: str
    cell: str
    ratio: float
    low: float | None
    high: float | None
    blocks: int
    outcome: Outcome


def require_cells(conditions: Sequence[Condition], cells: Sequence[Cell], system: str) -> None:
    """Raise InputError for a limit that means no cell of the study, before any is measured."""
    for condition in conditions:
        if not any(condition.selects(cell, system) for cell in cells):
            names = "; ".join(cell.name for cell in cells)
            raise condition.error(
                "no cell of this study is meant",
                condition.metric_token,
                next=f"the cells are: {names}",
            )


def judged(conditions: Sequence[Condition], results: Results, system: str) -> list[Judged]:
    """Every limit in every cell that it selects; InputError where it selects none."""
    return [
        Judged(
            condition=condition.text,
            cell=results.cell(each.cell).name,
            ratio=each.ratio,
            low=each.low,
            high=each.high,
            blocks=each.n,
            outcome=_outcome(condition, each, results),
        )
        for condition in conditions
        for each in _selected(condition, results, system)
    ]


def outcome_of(limits: Sequence[Judged]) -> Outcome:
    """Bad where one limit is crossed, good where all are held."""
    outcomes = {each.outcome for each in limits}
    if "bad" in outcomes:
        return "bad"
    return "good" if outcomes == {"good"} else "undecided"


def _selected(condition: Condition, results: Results, system: str) -> list[Comparison]:
    found = [
        each
        for each in results.comparisons
        if each.system == system
        and each.metric == condition.metric
        and condition.selects(results.cell(each.cell), system)
    ]
    if not found:
        cells = "; ".join(cell.name for cell in results.cells)
        metrics = ", ".join(metric.name for metric in results.metrics)
        raise condition.error(
            "no cell of this study is meant",
            condition.metric_token,
            next=f"the cells are: {cells}; measured were: {metrics}",
        )
    return found


def _outcome(condition: Condition, found: Comparison, results: Results) -> Outcome:
    if found.low is None or found.high is None:
        return "undecided"
    if found.n < BLOCKS_FOR_A_VERDICT or not results.sureness.valid:
        return "undecided"
    crossed, held = place_of(condition, found.low, found.high)
    return "bad" if crossed else "good" if held else "undecided"
