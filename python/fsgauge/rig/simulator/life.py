"""A turn as one job of the engine: the steps that happen to its system, and who records each.

Before a study begins, the engine is asked about a system that is empty, and about its first turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Timer

from fsgauge.engine import wire
from fsgauge.engine.client import Engine
from fsgauge.plan.space import planned_room
from fsgauge.plan.turns import load_for, make_plan, steps_for, with_seed
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.rig.recording import When
from fsgauge.rig.simulator.models import (
    device_of,
    devices_of,
    made_with,
    policy_of,
    size_of,
    stripe_bytes_of,
)
from fsgauge.study.model import Study, System
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import AgedFiles, AgedFolders, ClientFolders, FileSets
from fsgauge.workload.method import WORST_FILES
from fsgauge.workload.steps import AgeFolder, ClearFolder, DeleteFile, Step

ROOT = "/simulated"
"""Where the folders of a life seem to be."""


@dataclass(frozen=True)
class Scanned:
    when: When
    cell: Cell | None


@dataclass(frozen=True)
class Happens:
    step: wire.SimulateStep
    of: tuple[Step, Cell] | tuple[int, Cell] | Scanned


def place_in(
    study: Study, system: System, free_bytes: int, least: System
) -> AgedFolders | ClientFolders:
    """The folders of a system, which are empty; `least` is the one that has so much free space."""
    sets = sets_of(study, free_bytes, least)
    if isinstance(sets, AgedFiles):
        return AgedFolders(
            directory=ROOT,
            file_size_bytes=sets.file_size_bytes,
            rate_file_bytes=sets.rate_file_bytes,
            allocation_chunk_bytes=system.allocation_chunk,
        )
    return ClientFolders(
        directory=ROOT,
        files_per_client=sets.files_per_client,
        backup_files_per_client=sets.backup_files_per_client,
        available_bytes=free_bytes,
    )


def sets_of(study: Study, free_bytes: int, least: System) -> AgedFiles | FileSets:
    """What the load makes on so much free space; InputError where the system has no room."""
    room: Room = replace(planned_room(study, free_bytes), least=least.name)
    sets = method_of(study.workload).in_room(room).file_sets
    if sets is None:
        raise TypeError("only studies whose load makes its own files are simulated")
    return sets


def life_of(
    study: Study, plan: Plan, turn: Turn, place: AgedFolders | ClientFolders
) -> list[Happens]:
    cells = {cell.id: cell for cell in plan.cells}
    method = method_of(study.workload)
    found: list[Happens] = []
    if study.workload.scan:
        found.append(_whole("before"))
    for position, cell_id in enumerate(turn.cells):
        cell = cells[cell_id]
        for step in steps_for(study, plan, turn, cell, place):
            found.append(Happens(_as_job(step), (step, cell)))
            if isinstance(step, AgeFolder):
                scan = method.scan_job(step.job.directory, aged=True)
                found.append(Happens(scan, Scanned("aged", None)))
        found.append(Happens(load_for(study, plan, turn, cell, place), (position, cell)))
        folder = method.scanned_after(cell)
        if folder is not None:
            scan = method.scan_job(f"{ROOT}/{folder}", aged=False)
            found.append(Happens(scan, Scanned("after cell", cell)))
    if study.workload.scan:
        found.append(_whole("after"))
    return found


def _whole(when: When) -> Happens:
    return Happens(wire.ScanJob(path=ROOT, top=WORST_FILES), Scanned(when, None))


def _as_job(step: Step) -> wire.AgeJob | wire.ClearStep | wire.DeleteStep | wire.BallastStep:
    if isinstance(step, AgeFolder):
        return step.job
    if isinstance(step, ClearFolder):
        return wire.ClearStep(directory=step.directory)
    if isinstance(step, DeleteFile):
        return wire.DeleteStep(path=step.path)
    return wire.BallastStep(path=step.path, leave_bytes=step.leave_bytes)


def job_of(
    study: Study, system: System, steps: list[wire.SimulateStep], *, check: bool = False
) -> wire.SimulateJob:
    _, block_bytes = made_with(study, system)
    return wire.SimulateJob(
        policy=policy_of(study, system),
        device=device_of(study),
        size_bytes=size_of(study) // devices_of(study),
        devices=devices_of(study),
        stripe_bytes=stripe_bytes_of(study),
        block_size_bytes=block_bytes,
        group_blocks=8 * block_bytes,
        without_data=_is_without_data(study, system),
        steps=steps,
        check_only=check,
    )


def first_turn(study: Study, system: System, free_bytes: int) -> list[list[wire.SimulateStep]]:
    """The steps of the lives that the system has in the first block, its repetition left out;
    InputError where there is no room."""
    plan = make_plan(_alone(with_seed(study, 1), system), size_bytes=size_of(study))
    place = place_in(study, system, free_bytes, system)
    return [
        [happens.step for happens in life_of(study, plan, turn, place)]
        for turn in plan.turns
        if turn.block == 0 and turn.system == system.name and not turn.again
    ]


def _alone(study: Study, system: System) -> Study:
    """One block of one system, which has the same lives there; a plan of all of a race's systems
    and blocks for each of them would take minutes."""
    mode = "all" if study.plan.mode == "race" else study.plan.mode
    plan = study.plan.model_copy(update={"blocks": 1, "budget": None, "mode": mode})
    return study.model_copy(update={"systems": [system], "plan": plan})


def first_steps(study: Study, system: System, free_bytes: int) -> list[wire.SimulateStep]:
    return [step for life in first_turn(study, system, free_bytes) for step in life]


def _is_without_data(study: Study, system: System) -> bool:
    """Whether its logs allocate space and write nothing."""
    steps = first_steps(study, system, size_of(study))
    return any(isinstance(step, wire.AgeJob) and step.mode == "fast" for step in steps)


def empty_of(study: Study, system: System, engine: Engine) -> wire.SimulateResult:
    return engine.simulate(job_of(study, system, [], check=True))


def check_life(study: Study, system: System, free_bytes: int, engine: Engine) -> None:
    """Raise InputError for a step that there is no model of; nothing is simulated."""
    steps = first_steps(study, system, free_bytes)
    engine.simulate(job_of(study, system, steps, check=True))


@contextmanager
def stopped_after(seconds: float) -> Iterator[Callable[[Callable[[], None]], None]]:
    """Gives what an engine is started with to be asked to stop after so long."""
    timers: list[Timer] = []

    def start(stop: Callable[[], None]) -> None:
        timer = Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        timers.append(timer)

    try:
        yield start
    finally:
        for timer in timers:
            timer.cancel()
