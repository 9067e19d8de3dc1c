"""One turn: a system made afresh, then each cell measured on it and recorded.

A flash device is brought into the state that SNIA measures: purged and written twice before the
first turn, after which nothing discards it; steady before each run, by the run's own load.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fsgauge.access.kind import explained
from fsgauge.access.observation import Observation
from fsgauge.engine import wire
from fsgauge.engine.client import Engine, EngineFaultError, longest_seconds
from fsgauge.engine.wire import BlockTarget, ClientsJob, LayoutJob, LoadJob, sides_of
from fsgauge.errors import RigError
from fsgauge.machine.facts.limits import watch_throttling
from fsgauge.plan.curve import runs_at_once
from fsgauge.plan.turns import derived_seed, job_for, load_for
from fsgauge.record.command import CommandJob
from fsgauge.record.parts import in_one
from fsgauge.record.preconditioning import (
    BLOCK_SIZE_BYTES,
    MOST_ROUNDS,
    PASSES,
    CellPreconditioning,
    StoragePreconditioning,
    last_window,
)
from fsgauge.record.records import Cell, RunRecord, Turn, TurnRecord
from fsgauge.rig.happenings import (
    MOST_STARTS,
    RunBeginsAgain,
    RunStarted,
    StepStarted,
    Tell,
    TurnStarted,
)
from fsgauge.rig.host.command_run import run_command
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.formatted import allocate_below, blank_of
from fsgauge.rig.host.turn_steps import TurnSystem, Work
from fsgauge.rig.recording import of_turn, run_record
from fsgauge.storage import Base
from fsgauge.study.model import Study
from fsgauge.study.reached import over_paths
from fsgauge.study.storage import is_preconditioned
from fsgauge.units import format_bandwidth, format_duration, format_size
from fsgauge.workload import method_of

_QUEUE_DEPTH = 32
T = TypeVar("T")


def _begun_by_all(measure: Callable[[], T]) -> T:
    """What it gives; from its caches again where other machines missed its start."""
    for _ in range(MOST_STARTS - 1):
        with suppress(RunBeginsAgain):
            return measure()
    return measure()


def measure_at_once(made: TurnSystem, cells: Sequence[Cell], beside: Sequence[Cell]) -> None:
    """Measure cells of a turn at once: one engine job of several loads, and a record of each;
    those `beside` them run as well.

    The files of all loads are laid out by a job of its own; then caches are settled as before any
    run. A fault of the storage is recorded as what every cell gave.
    """
    work, turn, prepared = made.work, made.turn, made.prepared
    run = [*cells, *beside]
    jobs = [load_for(work.study, work.plan, turn, cell, prepared.target) for cell in run]
    loads = [job for job in jobs if isinstance(job, wire.LoadJob)]
    results: list[wire.LoadResult] = []
    fault: wire.EngineFault | None = None
    preconditioning: CellPreconditioning | None = None
    caches = ""
    try:
        work.engine.mix([*loads, *_laid_out_once(made, cells[0])], lay_out=True)
        preconditioning = precondition_cell(work, turn, cells[0], loads)
        caches = work.systems.settle(prepared)[0]
    except EngineFaultError as error:
        fault = error.fault
    work.tell(RunStarted(turn, cells[0]))  # of files that do not fit too: other hosts wait for it
    throttled, started_unix_ns = watch_throttling(), time.time_ns()
    try:
        if fault is None:
            results = work.engine.mix(loads, work.tell)
        else:
            with work.engine.together(max(map(longest_seconds, loads)), lambda: None):
                pass
    except EngineFaultError as error:
        fault = error.fault
    at_its_end = throttled()
    for at, cell in enumerate(cells):
        result = results[at] if results else None
        position = turn.cells.index(cell.id)
        record = run_record(
            *(work.study, work.plan, turn, position, prepared.target),
            parts=in_one(work.systems.machine_name, result, at_its_end),
            fault=fault,
            caches=caches,
            started_unix_ns=started_unix_ns,
            preconditioning=preconditioning,
        )
        work.tell(record)


def _laid_out_once(made: TurnSystem, first: Cell) -> list[wire.LoadJob]:
    """Files that only take space, before the first run of a turn."""
    if made.turn.cells[0] != first.id:
        return []
    seed = derived_seed(made.work.plan.seed, made.turn.block, "beside")
    return method_of(made.work.study.workload).laid_out_beside(made.prepared.target, seed)


def measure_turn(work: Work, turn: Turn) -> None:
    cells = {cell.id: cell for cell in work.plan.cells}
    with turn_system(work, turn) as made:
        if method_of(work.study.workload).at_once:
            for run, beside in runs_at_once(work.plan, turn):
                _begun_by_all(partial(measure_at_once, made, run, beside))
            made.scan_layout("after")
            return
        for position, cell_id in enumerate(turn.cells):
            made.before(cells[cell_id])
            record = _run(made, position, cells[cell_id])
            if not record.most_gave_up and not turn.over_path:
                made.scan_cell(cells[cell_id])
        made.scan_layout("after")


@contextmanager
def turn_system(work: Work, turn: Turn) -> Iterator[TurnSystem]:
    work.tell(TurnStarted(turn))
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    study = over_paths(work.study) if turn.over_path else work.study
    system = next(each for each in study.systems if each.name == turn.system)
    with work.systems.prepare(study, system) as prepared:
        record = TurnRecord(
            **of_turn(turn),
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
        work.tell(record)
        made = TurnSystem(work, turn, prepared)
        made.scan_layout("before")
        yield made


def _heard(tell: Tell, observation: Observation | None, event: wire.Event) -> None:
    if observation is not None and isinstance(event, wire.ClientsInEvent):
        observation.clients_are_in()
    if observation is not None and isinstance(event, wire.ClientsThroughEvent):
        observation.clients_are_through()
    tell(event)


def _reached(prepared: PreparedSystem) -> AbstractContextManager[None]:
    return prepared.server.reached() if prepared.server else nullcontext()


def _run(made: TurnSystem, position: int, cell: Cell) -> RunRecord:
    work, prepared = made.work, made.prepared
    job = job_for(work.study, work.plan, made.turn, cell, prepared.target)
    with _reached(prepared):
        preconditioning = precondition_cell(work, made.turn, cell, [job])
    if isinstance(job, CommandJob):
        return run_command(made, position, cell, preconditioning)
    run = partial(_run_from_caches, made, position, cell, job, preconditioning)
    return _begun_by_all(run)


def _run_from_caches(
    made: TurnSystem,
    position: int,
    cell: Cell,
    job: wire.LoadJob | wire.ClientsJob,
    preconditioning: CellPreconditioning | None,
) -> RunRecord:
    work, turn, prepared = made.work, made.turn, made.prepared
    caches = work.systems.settle(prepared)[0]
    work.tell(RunStarted(turn, cell))
    result, fault, started_unix_ns = None, None, time.time_ns()
    server = None if isinstance(job.target, wire.PathTarget) else prepared.server
    observation = Observation(server.child) if server else None
    if observation is not None:
        observation.begin()
    with work.systems.watch_device(work.study, prepared) as device:
        throttled = watch_throttling()
        try:
            with _reached(prepared):
                result = work.engine.load(job, partial(_heard, work.tell, observation))
        except EngineFaultError as error:
            fault = error.fault
        finally:
            used = observation.end() if observation is not None else None
        asked = device()
    if fault is not None and server is not None and used is not None:
        fault = explained(fault, server.kind, used)
    record = run_record(
        *(work.study, work.plan, turn, position, prepared.target),
        parts=in_one(work.systems.machine_name, result, throttled()),
        fault=fault,
        caches=caches,
        started_unix_ns=started_unix_ns,
        server=used,
        device=asked,
        preconditioning=preconditioning,
    )
    work.tell(record)
    return record


def preconditioned(study: Study, base: Base, engine: Engine, say: Callable[[str], None]) -> Base:
    """The storage, purged and written twice where the study asks for it; it keeps its blocks."""
    if base.device is None or not is_preconditioned(study.storage):
        return base
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    with base.claim.used():
        purge, notes = blank_of(base)
        size_bytes = base.size_bytes // BLOCK_SIZE_BYTES * BLOCK_SIZE_BYTES
        say(f"preconditioning {base.device}: {PASSES} times {format_size(size_bytes)} are written")
        allocate_below(base.refill)
        for number in range(PASSES):
            engine.run(
                LayoutJob(
                    target=BlockTarget(path=base.device, size_bytes=size_bytes),
                    block_size_bytes=BLOCK_SIZE_BYTES,
                    queue_depth=_QUEUE_DEPTH,
                    direct=True,
                    seed=derived_seed(study.plan.seed or 0, number, "preconditioning"),
                )
            )
    done = StoragePreconditioning(
        purge="; ".join([purge, *notes]),
        purged=not notes,
        written_bytes=PASSES * size_bytes,
        block_size_bytes=BLOCK_SIZE_BYTES,
        started_unix_ns=started_unix_ns,
        elapsed_ns=time.monotonic_ns() - clock,
    )
    rate = done.written_bytes * 1e9 / max(done.elapsed_ns, 1)
    say(f"preconditioned in {format_duration(done.elapsed_ns)}, {format_bandwidth(rate)}")
    facts = base.facts.model_copy(update={"preconditioning": done})
    return replace(base, facts=facts, keeps_blocks=True)


def precondition_cell(
    work: Work, turn: Turn, cell: Cell, jobs: Sequence[LoadJob | ClientsJob | CommandJob]
) -> CellPreconditioning | None:
    """The cell's own load, or all that run at once, round by round, until five are steady; None
    where it is not asked for. A round lasts as long as the run. EngineFaultError where the storage
    fails."""
    if not is_preconditioned(work.study.storage):
        return None
    loads = [job for job in jobs if isinstance(job, LoadJob)]
    if len(loads) < len(jobs) or any(job.passes is not None or job.extend for job in loads):
        return CellPreconditioning(
            rounds=[], reached=False, why_none="a run ends with its work, which cannot be repeated"
        )
    rates: list[float] = []
    while len(rates) < MOST_ROUNDS:
        number = len(rates) + 1
        work.tell(StepStarted(turn, f"{cell.name}: preconditioning, round {number}"))
        rates.append(_rate(work, [_of_round(job, number) for job in loads]))
        window = last_window(rates)
        if window is not None and window.is_steady:
            break
    window = last_window(rates)
    return CellPreconditioning(
        rounds=rates,
        reached=window is not None and window.is_steady,
        range_share=window.range_share if window else None,
        slope_share=window.slope_share if window else None,
    )


def _of_round(job: LoadJob, number: int) -> LoadJob:
    seed = derived_seed(job.seed, number, "preconditioning")
    return job.model_copy(update={"seed": seed, "warm_up_ns": 0, "steady_window_ns": None})


def _rate(work: Work, loads: Sequence[LoadJob]) -> float:
    results = work.engine.mix(loads) if len(loads) > 1 else [work.engine.load(loads[0])]
    if any(result.elapsed_ns == 0 for result in results):
        raise RigError(
            "a round of preconditioning took no time",
            cause="workload.duration is too short for one operation",
            next="a longer workload.duration",
        )
    return sum(
        sum(side.operations for side in sides_of(result)) * 1e9 / result.elapsed_ns
        for result in results
    )
