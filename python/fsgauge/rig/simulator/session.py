"""Blocks of one study, simulated turn by turn; and the machine that stands in the records. A turn's
life is one job of the engine; each of its steps is recorded as a measurement would be."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property, partial

from fsgauge.engine import wire
from fsgauge.engine.client import Engine
from fsgauge.machine.facts.environment import capture_machine, machine_name
from fsgauge.record.machine import SimulatedNumber, Simulation, StorageFacts
from fsgauge.record.parts import in_one
from fsgauge.record.records import Cell, Plan, RunRecord, Turn
from fsgauge.rig.happenings import RunStarted, StepStarted, Tell, TurnStarted
from fsgauge.rig.recording import modelled, of_turn, require_aged, scan_record, step_record
from fsgauge.rig.session import Description, Session
from fsgauge.rig.simulator import life
from fsgauge.rig.simulator.full import found_room, require_whole
from fsgauge.rig.simulator.life import Happens, Scanned
from fsgauge.rig.simulator.models import (
    devices_of,
    made_with,
    settings_of,
    size_of,
    stripe_bytes_of,
    times_of,
)
from fsgauge.study.model import Study
from fsgauge.units import format_size
from fsgauge.workload.folders import AgedFolders, ClientFolders
from fsgauge.workload.steps import AgeFolder

CACHES = "none: nothing is cached in a model"


@dataclass(frozen=True)
class EmptySystem:
    place: AgedFolders | ClientFolders
    empty: wire.SimulateResult


@dataclass(frozen=True)
class _Turn:
    study: Study
    plan: Plan
    turn: Turn
    tell: Tell
    number: int = 0

    def record(self, happens: Happens, done: wire.SimulatedStep) -> _Turn:
        if isinstance(happens.of, Scanned):
            self._scanned(happens.of, done)
            return self
        what, cell = happens.of
        if isinstance(what, int):
            self._ran(happens, what, cell, done)
            return self
        self.tell(StepStarted(self.turn, what.what))
        aged = done.result if isinstance(done.result, wire.AgeResult) else None
        self.tell(
            step_record(
                *(self.turn, self.number, cell, what, aged),
                size_bytes=done.size_bytes,
                free_bytes=done.free_bytes,
                elapsed_ns=done.elapsed_ns,
            )
        )
        if isinstance(what, AgeFolder) and aged is not None:
            notes, larger = (note.text for note in aged.notes), "a larger storage.size"
            require_aged(self.turn, what, aged, notes, "", f"{larger}, or a smaller workload.fill")
        return replace(self, number=self.number + 1)

    def _ran(self, happens: Happens, position: int, cell: Cell, done: wire.SimulatedStep) -> None:
        job, result = happens.step, done.result
        if not isinstance(job, wire.LoadJob | wire.ClientsJob):
            raise TypeError("a run is a load")
        self.tell(RunStarted(self.turn, cell))
        measured = result if isinstance(result, wire.LoadResult) else None
        self.tell(
            RunRecord(
                **of_turn(self.turn),
                position=position,
                cell=cell,
                job=job,
                caches=CACHES,
                parts=in_one(machine_name(), measured),
                fault=done.fault,
                started_unix_ns=time.time_ns(),
            )
        )

    def _scanned(self, scanned: Scanned, done: wire.SimulatedStep) -> None:
        result = done.result if isinstance(done.result, wire.ScanResult) else None
        found = {"result": result, "fault": done.fault}
        self.tell(scan_record(self.turn, scanned.when, scanned.cell, **found))


def simulate_turn(
    study: Study, plan: Plan, turn: Turn, made: EmptySystem, engine: Engine, tell: Tell
) -> None:
    """Simulate a turn; RigError where the device was full before its end, its records kept."""
    tell(TurnStarted(turn))
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    system = next(each for each in study.systems if each.name == turn.system)
    happenings = life.life_of(study, plan, turn, made.place)
    steps = [happens.step for happens in happenings]
    result = engine.simulate(life.job_of(study, system, steps), tell)
    prepare_ns = time.monotonic_ns() - clock
    mke2fs, block_bytes = made_with(study, system)
    record = modelled(
        turn,
        system.kind,
        made.empty.free_bytes,
        made.place,
        "an empty file system in a model",
        mount_options=system.mount,
        block_size_bytes=block_bytes,
        details={
            "model": f"{made.empty.policy}: {made.empty.proof}",
            "left to root": f"{mke2fs.reserved_percent:g} %",
            **settings_of(study, system),
        },
    )
    began = {"started_unix_ns": started_unix_ns, "prepare_ns": prepare_ns}
    tell(record.model_copy(update=began))
    told = _Turn(study, plan, turn, tell)
    for happens, done in zip(happenings, result.steps, strict=False):
        told = told.record(happens, done)
    room = partial(found_room, study, plan.seed, turn, engine)
    require_whole(study, system, len(happenings), result.steps, room)


KIND = "simulated"
"""Of storage that is a model."""


class SimulatorSession(Session):
    def __init__(self, study: Study, engine: Engine) -> None:
        self._study = study
        self._engine = engine

    def describe(self) -> Description:
        empty = next(iter(self._empty.values()))
        facts = self._facts(empty)
        machine = capture_machine([], facts)
        spins = int(empty.device.kind == "zoned_disk")
        chain = [{"kind": "model", "name": empty.device.model, "rotational": spins}]
        storage = facts.model_copy(update={"device_chain": chain})
        machine = machine.model_copy(update={"storage": storage, "simulation": self._simulation})
        return Description(size_of(self._study), empty.engine, [machine])

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        for turn in plan.turns:
            if turn.block == block:
                made = EmptySystem(self._places[turn.system], self._empty[turn.system])
                simulate_turn(self._study, plan, turn, made, self._engine, tell)

    @cached_property
    def _empty(self) -> dict[str, wire.SimulateResult]:
        study = self._study
        return {each.name: life.empty_of(study, each, self._engine) for each in study.systems}

    @cached_property
    def _places(self) -> dict[str, AgedFolders | ClientFolders]:
        systems = self._study.systems
        least = min(systems, key=lambda system: self._empty[system.name].free_bytes)
        free_bytes = self._empty[least.name].free_bytes
        return {each.name: life.place_in(self._study, each, free_bytes, least) for each in systems}

    @property
    def _simulation(self) -> Simulation:
        empty = next(iter(self._empty.values()))
        device = empty.device
        return Simulation(
            model_version=empty.model_version,
            policies={name: each.policy for name, each in self._empty.items()},
            proofs={name: each.proof for name, each in self._empty.items()},
            device=device.model,
            device_words=device.what,
            numbers=[SimulatedNumber(**each.model_dump()) for each in device.parameters],
            times=times_of(self._study) or "",
        )

    def _facts(self, empty: wire.SimulateResult) -> StorageFacts:
        size, devices = size_of(self._study), devices_of(self._study)
        over = (
            f" on {devices} devices in stripes of {format_size(stripe_bytes_of(self._study))}"
            if devices > 1
            else ""
        )
        model = f"{empty.device.model}: {empty.device.what}"
        return StorageFacts(
            kind=KIND,
            sentence=f"{format_size(size)} in a model{over} ({model})",
            size_bytes=size,
            device_chain=[],
            cautions=[],
        )
