"""Runs that were planned and are not there: those that failed, and those that were not made.

Takes evidence; gives findings. A study that stopped on the width of its intervals planned the
blocks that it carried out.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.stats.evidence import Evidence, finding, name_of, part_of, turn_name
from fsgauge.stats.results import Finding


def missing_runs(evidence: Evidence) -> Iterator[Finding]:
    """What is missing, always said: numbers rest on the blocks that remain."""
    yield from _failed(evidence)
    yield from _not_made(evidence)


def _failed(evidence: Evidence) -> Iterator[Finding]:
    failed = [run for run in evidence.runs if run.fault is not None]
    if failed:
        where = [f"{name_of(run)}: {run.fault.what}" for run in failed if run.fault is not None]
        first = next(run.fault for run in failed if run.fault is not None)
        yield finding(
            "runs.failed",
            "warning",
            f"{part_of(len(failed), len(evidence.runs), 'run')} failed; their blocks are left out"
            " of the cells concerned.",
            " ".join(part for part in (first.cause, first.next) if part),
            where,
        )


def _not_made(evidence: Evidence) -> Iterator[Finding]:
    plan = evidence.study.plan
    names = {cell.id: cell.name for cell in plan.cells}
    made = {(run.block, run.turn, run.cell.id) for run in evidence.runs}
    cut = [
        name_of(run)
        for run in evidence.runs
        if run.result is not None and run.result.ended == "interrupted"
    ]
    never = [
        f"{turn_name(turn)}, {names[cell]}"
        for turn in plan.turns
        for cell in turn.cells
        if (turn.block, turn.turn, cell) not in made
    ]
    planned = sum(len(turn.cells) for turn in plan.turns)
    missing = len(cut) + len(never)
    if missing:
        early = "" if evidence.stopped else "The study ended early: "
        yield finding(
            "runs.interrupted",
            "warning",
            f"{early}{part_of(missing, planned, 'run')} were not made. Incomplete blocks are left"
            " out, cell by cell.",
            "fsgauge resume DIR runs the rest.",
            cut or never,
        )
