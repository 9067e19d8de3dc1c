"""Records as every rig makes them, begun from their turn."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from fsgauge.engine.wire import AgeResult, EngineFault
from fsgauge.errors import RigError
from fsgauge.plan.turns import job_for
from fsgauge.record.parts import Part
from fsgauge.record.records import (
    Cell,
    Plan,
    RunRecord,
    ScanRecord,
    StepRecord,
    SystemFacts,
    Turn,
    TurnRecord,
)
from fsgauge.study.model import Study
from fsgauge.units import format_size
from fsgauge.workload.folders import Place
from fsgauge.workload.steps import AgeFolder, Step

When = Literal["before", "after", "after cell", "aged"]
"""Of a scan: with what it stands in a turn."""


def of_turn(turn: Turn) -> dict[str, Any]:
    return turn.model_dump(include={"block", "turn", "system", "again"})


def run_record(
    study: Study,
    plan: Plan,
    turn: Turn,
    position: int,
    target: Place,
    *,
    parts: Sequence[Part] = (),
    fault: EngineFault | None = None,
    **more: object,
) -> RunRecord:
    """The run of a turn's cell at that position, with the job that is planned for it. It began now
    and found no caches, unless `more` of RunRecord says otherwise."""
    cell = next(each for each in plan.cells if each.id == turn.cells[position])
    words: dict[str, Any] = {"started_unix_ns": time.time_ns(), "caches": "", **more}
    return RunRecord(
        **of_turn(turn),
        position=position,
        cell=cell,
        job=job_for(study, plan, turn, cell, target),
        parts=list(parts),
        fault=fault,
        over_path=turn.over_path,
        **words,
    )


def facts_as_found(kind: str, source: str, size_bytes: int, **more: object) -> SystemFacts:
    """Of a system that no mkfs and no mount was run for; `more` is what is known beside."""
    words: dict[str, Any] = {
        "mkfs_command": [],
        "mkfs_output": "",
        "mount_options": "",
        "tunables": {},
        "free_bytes": None,
        "block_size_bytes": None,
        **more,
    }
    return SystemFacts(kind=kind, mount_source=source, size_bytes=size_bytes, **words)


def modelled(
    turn: Turn, kind: str, size_bytes: int, target: Place, start_state: str, **more: object
) -> TurnRecord:
    """How a system that is a model was made; `more` is what its facts have beside."""
    return TurnRecord(
        **of_turn(turn),
        facts=facts_as_found(kind, "a model", size_bytes, free_bytes=size_bytes, **more),
        target=target.model_dump(mode="json"),
        start_state=[start_state],
        started_unix_ns=time.time_ns(),
        prepare_ns=0,
        notes=[],
    )


def step_record(
    turn: Turn, number: int, cell: Cell, step: Step, result: AgeResult | None, **more: object
) -> StepRecord:
    """A step before a cell, the turn's `number`th; it began now, unless `more` says otherwise."""
    words: dict[str, Any] = {"started_unix_ns": time.time_ns(), **more}
    return StepRecord(
        **of_turn(turn),
        number=number,
        cell=cell.id,
        step=step.step,
        what=step.what,
        job=step.job if isinstance(step, AgeFolder) else None,
        result=result,
        **words,
    )


def scan_record(turn: Turn, when: When, cell: Cell | None, **more: object) -> ScanRecord:
    """A scan's result or fault; it began now, unless `more` says otherwise."""
    words: dict[str, Any] = {"started_unix_ns": time.time_ns(), **more}
    return ScanRecord(**of_turn(turn), when=when, cell=cell.id if cell else None, **words)


def require_aged(
    turn: Turn, step: AgeFolder, result: AgeResult, details: Iterable[str], cause: str, next: str
) -> None:
    """RigError where what was aged is not whole enough for the cells that follow; the record is
    stored already. `cause` is one that the result does not have."""
    if step.needed_bytes is None or result.live_bytes >= step.needed_bytes:
        return
    raise RigError(
        f'ageing "{turn.system}" left {format_size(result.live_bytes)} of'
        f" {format_size(step.needed_bytes)}",
        details=tuple(details),
        cause=cause or f"it ended early: {result.ended}",
        next=next,
    )
