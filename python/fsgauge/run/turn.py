"""One turn: a system made afresh, then each cell measured on it and recorded."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial

from fsgauge.access.server.observation import Observation
from fsgauge.engine import EngineFaultError
from fsgauge.plan.turns import job_for
from fsgauge.progress import Progress
from fsgauge.record import Cell, RunRecord, Turn, TurnRecord
from fsgauge.rig.rig import PreparedSystem
from fsgauge.run.campaign import Campaign
from fsgauge.run.gave_up import require_clients, require_server
from fsgauge.run.layout import scan_cell, scan_layout
from fsgauge.run.steps import Steps
from fsgauge.study.over_path import without_server
from fsgauge.wire import ClientsInEvent, ClientsThroughEvent, Event


def measure_turn(campaign: Campaign, turn: Turn) -> Iterator[RunRecord]:
    """Make one system afresh, then measure each cell on it."""
    cells = {cell.id: cell for cell in campaign.plan.cells}
    system = next(each for each in campaign.study.systems if each.name == turn.system)
    campaign.progress.turn_started(turn)
    campaign.folder.journal("turn", block=turn.block, turn=turn.turn, system=turn.system)
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    study = without_server(campaign.study) if turn.over_path else campaign.study
    with campaign.rig.prepare(study, system, campaign.attached) as prepared:
        made = TurnRecord(
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
            server=prepared.server.facts if prepared.server else None,
            over_path=turn.over_path,
        )
        campaign.folder.write_turn(made)
        scan_layout(campaign, turn, prepared, "before")
        steps = Steps(campaign, turn, prepared)
        for position, cell_id in enumerate(turn.cells):
            steps.before(cells[cell_id])
            record = _run(campaign, turn, position, cells[cell_id], prepared)
            if not record.most_gave_up and not turn.over_path:
                scan_cell(campaign, turn, prepared, cells[cell_id])
            yield record
            require_server(record)
            require_clients(record)
        scan_layout(campaign, turn, prepared, "after")


def _heard(progress: Progress, observation: Observation | None, event: Event) -> None:
    """Who looks on is told: people, and what counts the server's processor time."""
    if observation is not None and isinstance(event, ClientsInEvent):
        observation.clients_are_in()
    if observation is not None and isinstance(event, ClientsThroughEvent):
        observation.clients_are_through()
    progress.event(event)


def _run(
    campaign: Campaign, turn: Turn, position: int, cell: Cell, prepared: PreparedSystem
) -> RunRecord:
    """Measure one cell; a fault of the storage is recorded as what this run gave."""
    caches = campaign.rig.settle(prepared)
    job = job_for(campaign.study, campaign.plan, turn, cell, prepared.target)
    campaign.progress.run_started(turn, cell)
    result, fault, started_unix_ns = None, None, time.time_ns()
    observation = prepared.server.observe() if prepared.server else None
    if observation is not None:
        observation.begin()
    device = campaign.rig.watch_device(prepared)
    reached = prepared.server.reached() if prepared.server else nullcontext()
    try:
        with reached:
            result = campaign.engine.load(job, partial(_heard, campaign.progress, observation))
    except EngineFaultError as error:
        fault = error.fault
    finally:
        used = observation.end() if observation is not None else None
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
        server=used,
        device=device(),
        over_path=turn.over_path,
    )
    campaign.folder.write_run(record)
    campaign.folder.journal(
        "run", block=turn.block, turn=turn.turn, cell=cell.id, fault=fault.what if fault else None
    )
    return record
