"""Turns of their own for a study's faults: every system, newly made, in the cell that is struck.

Faults of one cell strike the same run. What has to come before a cell comes before it here too:
where cells build on one another, those before it are measured as well, and struck by nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.plan.around import HERE, Around
from fsgauge.plan.estimate import turn_seconds
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.record.strikes import Strike, strike_words
from fsgauge.study.model import Study
from fsgauge.study.reached import accesses_of
from fsgauge.workload import method_of

BESIDE_SECONDS = 30.0
"""What a turn takes more where a machine is struck: it may be started again."""


def struck_turns(
    study: Study, cells: Sequence[Cell], strikes: Sequence[Strike], first_block: int
) -> list[Turn]:
    """A block for each cell that is struck, from this one on; `strikes` are those of the faults."""
    by_cell: dict[str, list[Strike]] = {}
    for fault, strike in zip(study.faults, strikes, strict=False):  # none where none is asked for
        cell = next(each for each in cells if fault.cell in (each.id, each.name))
        by_cell.setdefault(cell.id, []).append(strike)
    method = method_of(study.workload)
    turns = []
    for number, (cell_id, found) in enumerate(by_cell.items()):
        stages = [stage for group in method.stages(cells) for stage in group]
        stage = next(each for each in stages if cell_id in each)
        before = stage[: stage.index(cell_id)] if method.keeps_order else []
        turns += [
            Turn(
                block=first_block + number,
                turn=at,
                system=system.name,
                again=False,
                cells=[*before, cell_id],
                strikes=found,
            )
            for at, system in enumerate(study.systems)
        ]
    return turns


def struck_seconds(
    study: Study, turns: Sequence[Turn], size_bytes: int, around: Around = HERE
) -> float:
    accesses = dict(zip((each.name for each in study.systems), accesses_of(study), strict=True))
    return sum(
        BESIDE_SECONDS
        + max((strike.at_ns + strike.for_ns) / 1e9 for strike in turn.strikes)
        + turn_seconds(study, size_bytes, accesses[turn.system], around=around)
        for turn in turns
    )


def fault_lines(plan: Plan) -> list[str]:
    names = {cell.id: cell.name for cell in plan.cells}
    lines = (
        f"{names[turn.cells[-1]]}, once more for each system: {strike_words(strike)}"
        for turn in plan.struck
        for strike in turn.strikes
    )
    return list(dict.fromkeys(lines))
