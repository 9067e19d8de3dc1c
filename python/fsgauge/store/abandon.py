"""Which blocks of a study are whole; what there is of the others is set aside, never deleted.

A block is the sample unit: its turns belong to one stretch of time. One that was cut short is
therefore measured again from its first turn, and what it left moves to `records-abandoned/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fsgauge.record.factors import factors_of
from fsgauge.record.records import Plan, Turn
from fsgauge.record.stored import StoredStudy
from fsgauge.store.folder import ResultsFolder

_NUMBER = re.compile("[0-9]{1,9}")


def whole_blocks(stored: StoredStudy) -> set[int]:
    """Blocks of which every planned turn and run is recorded; a fault is a record too."""
    turns = {
        (turn.block, turn.turn)
        for turn in (*stored.turns, *stored.path_turns, *stored.struck_turns)
    }
    runs = {
        (run.block, run.turn, run.cell.id)
        for run in (*stored.runs, *stored.path_runs, *stored.struck_runs)
        if run.struck
        or ((run.result is None or run.result.ended != "interrupted") and not run.most_gave_up)
    }
    unscanned = _unscanned(stored)
    broken = {
        turn.block
        for turn in stored.study.plan.all_turns
        if ((turn.block, turn.turn) not in turns and not _failed_whole(turn, stored))
        or (turn.block, turn.turn) in unscanned
        or any((turn.block, turn.turn, cell) not in runs for cell in turn.cells)
    }
    return {turn.block for turn in stored.study.plan.all_turns} - broken


def _failed_whole(turn: Turn, stored: StoredStudy) -> bool:
    """Whether the system of a turn could not be set up, so that each of its runs is a fault."""
    of_turn = [r for r in stored.runs if (r.block, r.turn) == (turn.block, turn.turn)]
    return bool(of_turn) and all(run.fault is not None for run in of_turn)


def _unscanned(stored: StoredStudy) -> set[tuple[int, int]]:
    """Turns that lack a scan which the study asks for; a bare device has none."""
    done = {(scan.block, scan.turn, scan.when, scan.cell) for scan in stored.scans}
    planned = {(turn.block, turn.turn): turn for turn in stored.study.plan.turns}
    return {
        (turn.block, turn.turn)
        for turn in stored.turns
        if turn.target.get("kind") in ("files", "served_files", "client_folders", "aged_folders")
        and any(
            (turn.block, turn.turn, *scan) not in done
            for scan in _asked(stored, planned[turn.block, turn.turn])
        )
    }


def _asked(stored: StoredStudy, turn: Turn) -> list[tuple[str, str | None]]:
    """The scans that a turn has, each as when and the id of its cell."""
    workload = stored.study.study.get("workload", {})
    cells = [cell for cell in stored.study.plan.cells if cell.id in turn.cells]
    asked: list[tuple[str, str | None]] = []
    if workload.get("scan"):
        asked += [("before", None), ("after", None)]
    scans = {cell.id: factors_of(cell).scans(workload) for cell in cells}
    asked += [("after cell", cell) for cell, when in scans.items() if "after cell" in when]
    return asked + ([("aged", None)] if any("aged" in when for when in scans.values()) else [])


def set_aside(folder: ResultsFolder, plan: Plan, whole: set[int]) -> list[str]:
    """Move the turns of all other blocks out of the way; gives their new places. Each folder moves
    at once, so a crash in between leaves a block that is not whole, and the next call moves the
    rest. Raises RigError where nothing can be moved."""
    blocks = {f"{turn.block:03d}" for turn in plan.all_turns if turn.block not in whole}
    doomed = [
        f"{parent}/{name}"
        for parent in ("records", "series")
        for name in folder.files.names(parent)
        if name.lstrip(".").partition("-")[0].partition(".")[0] in blocks
    ]
    if not doomed:
        return []
    place = f"records-abandoned/{_next_number(folder.files.names('records-abandoned')):03d}"
    folder.set_aside(doomed, place)
    return [f"{place}/{name.rpartition('/')[2]}" for name in doomed]


def _next_number(names: Sequence[str]) -> int:
    return max((int(name) for name in names if _NUMBER.fullmatch(name)), default=0) + 1
