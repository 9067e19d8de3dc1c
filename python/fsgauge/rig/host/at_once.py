"""All cells of a turn at once: one engine job of several loads, and a record of each.

The files of all loads are laid out by a job of its own; then caches are settled as before any run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from fsgauge.engine.client import EngineFaultError
from fsgauge.engine.wire import EngineFault, LoadJob, LoadResult, MixJob
from fsgauge.machine.facts.limits import watch_throttling
from fsgauge.plan.turns import load_for
from fsgauge.record.parts import in_one
from fsgauge.record.records import Cell
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.host.turn_steps import TurnSystem
from fsgauge.rig.recording import run_record


def measure_at_once(made: TurnSystem, cells: Sequence[Cell]) -> None:
    """Lay out, settle, measure; a fault of the storage is recorded as what every cell gave."""
    work, turn, prepared = made.work, made.turn, made.prepared
    jobs = [load_for(work.study, work.plan, turn, cell, prepared.target) for cell in cells]
    loads = [job for job in jobs if isinstance(job, LoadJob)]
    results: list[LoadResult] = []
    fault: EngineFault | None = None
    caches, throttled, started_unix_ns = "", watch_throttling(), time.time_ns()
    try:
        work.engine.mix(mixed(loads, lay_out=True))
        caches = work.systems.settle(prepared)[0]
        work.tell(RunStarted(turn, cells[0]))
        throttled, started_unix_ns = watch_throttling(), time.time_ns()
        results = work.engine.mix(mixed(loads), work.tell)
    except EngineFaultError as error:
        fault = error.fault
    at_its_end = throttled()
    for position in range(len(cells)):
        result = results[position] if results else None
        record = run_record(
            *(work.study, work.plan, turn, position, prepared.target),
            parts=in_one(work.systems.machine_name, result, at_its_end),
            fault=fault,
            caches=caches,
            started_unix_ns=started_unix_ns,
        )
        work.tell(record)


def mixed(loads: Sequence[LoadJob], *, lay_out: bool = False) -> MixJob:
    """The job of several loads that begin together; with `lay_out` it writes their files, and that
    is all."""
    own = {"kind", "held", "lease"}
    each = [load.model_dump(mode="json", exclude=own) for load in loads]
    return MixJob.model_validate_json(json.dumps({"loads": each, "lay_out": lay_out}))
