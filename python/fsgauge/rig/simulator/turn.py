"""One turn: its life simulated, and each step recorded as a measurement would be."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import (
    AgeResult,
    ClientsJob,
    LoadJob,
    LoadResult,
    ScanResult,
    SimulatedStep,
    SimulateResult,
)
from fsgauge.errors import RigError
from fsgauge.machine.facts.environment import machine_name
from fsgauge.record.parts import in_one
from fsgauge.record.records import (
    Cell,
    Plan,
    RunRecord,
    ScanRecord,
    StepRecord,
    Turn,
)
from fsgauge.rig.happenings import RunStarted, StepStarted, Tell, TurnStarted
from fsgauge.rig.recording import modelled, of_turn
from fsgauge.rig.simulator.full import found_room, require_whole
from fsgauge.rig.simulator.life import Happens, Scanned, is_without_data, job_of, life_of
from fsgauge.rig.simulator.policies import settings_of
from fsgauge.study.model import Study
from fsgauge.study.policy_settings import BLOCK_BYTES
from fsgauge.units import format_size
from fsgauge.workload.folders import AgedFolders, ClientFolders
from fsgauge.workload.steps import AgeFolder

CACHES = "none: nothing is cached in a model"


@dataclass(frozen=True)
class EmptySystem:
    """A system before its life: its folders, and what the engine says of it."""

    place: AgedFolders | ClientFolders
    empty: SimulateResult


@dataclass(frozen=True)
class _Turn:
    """A turn whose life is over, and who is told."""

    study: Study
    plan: Plan
    turn: Turn
    tell: Tell
    number: int = 0

    def record(self, happens: Happens, done: SimulatedStep) -> _Turn:
        """Tell what one step came to; the turn with its steps counted."""
        if isinstance(happens.of, Scanned):
            self._scanned(happens.of, done)
            return self
        what, cell = happens.of
        if isinstance(what, int):
            self._ran(happens, what, cell, done)
            return self
        self.tell(StepStarted(self.turn, what.what))
        age = what if isinstance(what, AgeFolder) else None
        aged = done.result if isinstance(done.result, AgeResult) else None
        self.tell(
            StepRecord(
                **of_turn(self.turn),
                number=self.number,
                cell=cell.id,
                step=what.step,
                what=what.what,
                job=age.job if age else None,
                result=aged,
                size_bytes=done.size_bytes,
                free_bytes=done.free_bytes,
                started_unix_ns=time.time_ns(),
                elapsed_ns=done.elapsed_ns,
            )
        )
        if age is not None and aged is not None:
            _require_aged(age, aged, self.turn)
        return replace(self, number=self.number + 1)

    def _ran(self, happens: Happens, position: int, cell: Cell, done: SimulatedStep) -> None:
        job, result = happens.step, done.result
        if not isinstance(job, LoadJob | ClientsJob):
            raise TypeError("a run is a load")
        self.tell(RunStarted(self.turn, cell))
        self.tell(
            RunRecord(
                **of_turn(self.turn),
                position=position,
                cell=cell,
                job=job,
                caches=CACHES,
                parts=in_one(machine_name(), result if isinstance(result, LoadResult) else None),
                fault=done.fault,
                started_unix_ns=time.time_ns(),
            )
        )

    def _scanned(self, scanned: Scanned, done: SimulatedStep) -> None:
        self.tell(
            ScanRecord(
                **of_turn(self.turn),
                when=scanned.when,
                cell=scanned.cell.id if scanned.cell else None,
                result=done.result if isinstance(done.result, ScanResult) else None,
                fault=done.fault,
                started_unix_ns=time.time_ns(),
            )
        )


def simulate_turn(
    study: Study, plan: Plan, turn: Turn, made: EmptySystem, engine: Engine, tell: Tell
) -> None:
    """Simulate a turn; RigError where the device was full before its end, its records kept."""
    tell(TurnStarted(turn))
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    system = next(each for each in study.systems if each.name == turn.system)
    life = life_of(study, plan, turn, made.place)
    steps = [happens.step for happens in life]
    without_data = is_without_data(study, system)
    result = engine.simulate(job_of(study, system, steps, without_data=without_data), tell)
    prepare_ns = time.monotonic_ns() - clock
    record = modelled(
        turn,
        system.kind,
        made.empty.free_bytes,
        made.place,
        "an empty file system in a model",
        mount_options=system.mount,
        block_size_bytes=BLOCK_BYTES,
        details={
            "model": f"{made.empty.policy}: {made.empty.proof}",
            **settings_of(study, system),
        },
    )
    began = {"started_unix_ns": started_unix_ns, "prepare_ns": prepare_ns}
    tell(record.model_copy(update=began))
    told = _Turn(study, plan, turn, tell)
    for happens, done in zip(life, result.steps, strict=False):
        told = told.record(happens, done)
    room = partial(found_room, study, plan.seed, turn, engine)
    require_whole(study, system, len(life), result.steps, room)


def _require_aged(step: AgeFolder, result: AgeResult, turn: Turn) -> None:
    """What was aged is whole enough for the cells that follow; the record is stored already."""
    if step.needed_bytes is None or result.live_bytes >= step.needed_bytes:
        return
    raise RigError(
        f'ageing "{turn.system}" left {format_size(result.live_bytes)} of'
        f" {format_size(step.needed_bytes)}",
        details=tuple(note.text for note in result.notes),
        cause=f"it ended early: {result.ended}",
        next="a larger storage.size, or a smaller workload.fill",
    )
