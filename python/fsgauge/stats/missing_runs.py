"""Runs that were planned and are not there: those that failed, and those that were not made.

Takes evidence; gives findings. A study that stopped on the width of its intervals planned the
blocks that it carried out.

Machines that were lost while a block was measured: a panic, a hang, a host that was killed.

Takes evidence; gives a finding for each time, with the last lines of the machine's console.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.record.records import LostBlock
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


CODE = "machine.lost"


def lost_machines(evidence: Evidence) -> Iterator[Finding]:
    """In the order in which they were lost."""
    for lost in evidence.lost:
        yield finding(CODE, "warning", _sentence(lost), _advice(lost)).model_copy(
            update={"lines": lost.lines}
        )


def _sentence(lost: LostBlock) -> str:
    after = (
        "The block was measured again."
        if lost.again
        else "It was not measured again: the runs that it lacked have failed."
    )
    meanwhile = f", while {lost.during}" if lost.during else ""
    return f"In block {lost.block + 1}{meanwhile}: {lost.because}. {after}"


def _advice(lost: LostBlock) -> str:
    if not lost.lines:
        return "Look at the machine's own log before the numbers of this system are trusted."
    return (
        "The last lines of its console are below. If they show a panic or a hang, and it returns"
        " with the same system, it is a fault of that system on this kernel."
    )
