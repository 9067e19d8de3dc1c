"""The main path: study -> plan -> rig -> engine -> record; then statistics and report read records.

`run_study` measures and stores; everything after it needs the results folder alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge import __version__
from fsgauge.engine import Engine, EngineFaultError
from fsgauge.errors import FsgaugeError
from fsgauge.interruption import interruptible
from fsgauge.plan import job_for, make_plan
from fsgauge.progress import Progress
from fsgauge.record import Cell, Plan, RunRecord, StudyRecord, Turn, TurnRecord
from fsgauge.rig import AttachedStorage, PreparedSystem, Rig
from fsgauge.store import ResultsFolder
from fsgauge.study import dump_study
from fsgauge.study.model import Study


@dataclass
class Campaign:
    """What every step of one study's execution needs."""

    study: Study
    plan: Plan
    rig: Rig
    engine: Engine
    attached: AttachedStorage
    folder: ResultsFolder
    progress: Progress


@dataclass(frozen=True)
class Outcome:
    """Where the records are, and what ended the study early, if anything did."""

    directory: Path
    ended_by: FsgaugeError | None


def run_study(
    study: Study,
    *,
    rig: Rig,
    engine: Engine,
    results: Path,
    destroy: str | None,
    command: list[str],
    progress: Progress,
) -> Outcome:
    """Measure a study from nothing to a folder of records.

    Raises InputError or RigError before anything was measured; once a run is recorded, what ends
    the study early is in the outcome, and the records stay.
    """
    rig.check(study, destroy)
    with interruptible(), rig.storage(study) as attached:
        plan = make_plan(study, size_bytes=attached.size_bytes)
        folder = ResultsFolder.create(results, study.name)
        campaign = Campaign(study, plan, rig, engine, attached, folder, progress)
        _begin(campaign, command)
        ended_by = _all_turns(campaign)
        folder.write_environment("after", rig.environment(study, attached))
        folder.journal("ended", by=ended_by.what if ended_by else None)
    return Outcome(folder.directory, ended_by)


def _begin(campaign: Campaign, command: list[str]) -> None:
    """Store what is known before the first run."""
    record = StudyRecord(
        fsgauge_version=__version__,
        study=campaign.study.model_dump(mode="json", by_alias=True),
        plan=campaign.plan,
        command=command,
        started_unix_ns=time.time_ns(),
        rig=campaign.rig.name,
    )
    environment = campaign.rig.environment(campaign.study, campaign.attached)
    campaign.folder.write_study(record, dump_study(campaign.study))
    campaign.folder.write_environment("before", environment)
    campaign.folder.journal("started", runs=sum(len(turn.cells) for turn in campaign.plan.turns))
    campaign.progress.study_started(campaign.study, campaign.plan, environment)


def _all_turns(campaign: Campaign) -> FsgaugeError | None:
    """Every turn of the plan; gives the error that cut it short once something was measured."""
    cells = {cell.id: cell for cell in campaign.plan.cells}
    measured = 0
    try:
        for turn in campaign.plan.turns:
            for record in _turn(campaign, turn, cells):
                measured += 1
                campaign.progress.run_ended(record)
    except FsgaugeError as error:
        if measured == 0:
            campaign.folder.discard()
            raise
        return error
    finally:
        campaign.progress.ended()
    return None


def _turn(campaign: Campaign, turn: Turn, cells: dict[str, Cell]) -> Iterator[RunRecord]:
    """Make one system afresh, then measure each cell on it."""
    system = next(each for each in campaign.study.systems if each.name == turn.system)
    campaign.progress.turn_started(turn)
    campaign.folder.journal("turn", block=turn.block, turn=turn.turn, system=turn.system)
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    with campaign.rig.prepare(campaign.study, system, campaign.attached) as prepared:
        record = TurnRecord(
            block=turn.block,
            turn=turn.turn,
            system=turn.system,
            again=turn.again,
            facts=prepared.facts,
            target=prepared.target.model_dump(mode="json"),
            layout=prepared.layout,
            start_state=prepared.start_state,
            started_unix_ns=started_unix_ns,
            prepare_ns=time.monotonic_ns() - clock,
            notes=prepared.notes,
        )
        campaign.folder.write_turn(record)
        for position, cell_id in enumerate(turn.cells):
            yield _run(campaign, turn, position, cells[cell_id], prepared)


def _run(
    campaign: Campaign, turn: Turn, position: int, cell: Cell, prepared: PreparedSystem
) -> RunRecord:
    """Measure one cell; a fault of the storage is recorded as what this run gave."""
    caches = campaign.rig.settle(prepared)
    job = job_for(campaign.study, campaign.plan, turn, cell, prepared.target)
    campaign.progress.run_started(turn, cell)
    result, fault, started_unix_ns = None, None, time.time_ns()
    try:
        result = campaign.engine.load(job, campaign.progress.event)
    except EngineFaultError as error:
        fault = error.fault
    record = RunRecord(
        block=turn.block,
        turn=turn.turn,
        position=position,
        system=turn.system,
        again=turn.again,
        cell=cell,
        job=job,
        caches=caches,
        result=result,
        fault=fault,
        started_unix_ns=started_unix_ns,
    )
    campaign.folder.write_run(record)
    campaign.folder.journal(
        "run", block=turn.block, turn=turn.turn, cell=cell.id, fault=fault.what if fault else None
    )
    return record
