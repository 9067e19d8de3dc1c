"""Records as every rig makes them, begun from their turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from fsgauge.engine.wire import EngineFault
from fsgauge.plan.turns import job_for
from fsgauge.record.parts import Part
from fsgauge.record.records import Plan, RunRecord, SystemFacts, Turn, TurnRecord
from fsgauge.study.model import Study
from fsgauge.workload.folders import Place


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
