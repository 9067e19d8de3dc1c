"""Blocks of one study, simulated turn by turn; and the machine that stands in the records."""

from __future__ import annotations

from functools import cached_property

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import SimulateResult
from fsgauge.machine.facts.environment import capture_machine
from fsgauge.record.machine import SimulatedNumber, Simulation, StorageFacts
from fsgauge.record.records import Plan
from fsgauge.rig.happenings import Tell
from fsgauge.rig.session import Description, Session
from fsgauge.rig.simulator.device import devices_of, size_of, stripe_bytes_of, times_of
from fsgauge.rig.simulator.life import empty_of, place_in
from fsgauge.rig.simulator.turn import EmptySystem, simulate_turn
from fsgauge.study.model import Study
from fsgauge.units import format_size
from fsgauge.workload.folders import AgedFolders, ClientFolders

KIND = "simulated"
"""Of storage that is a model."""


class SimulatorSession(Session):
    """Nothing is held between two blocks."""

    def __init__(self, study: Study, engine: Engine) -> None:
        self._study = study
        self._engine = engine

    def describe(self) -> Description:
        empty = next(iter(self._empty.values()))
        facts = self._facts(empty)
        machine = capture_machine([], facts)
        chain = [{"kind": "model", "name": empty.device.model, "rotational": _spins(empty)}]
        storage = facts.model_copy(update={"device_chain": chain})
        machine = machine.model_copy(update={"storage": storage, "simulation": self._simulation})
        return Description(size_of(self._study), empty.engine, [machine])

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        for turn in plan.turns:
            if turn.block == block:
                made = EmptySystem(self._places[turn.system], self._empty[turn.system])
                simulate_turn(self._study, plan, turn, made, self._engine, tell)

    @cached_property
    def _empty(self) -> dict[str, SimulateResult]:
        """What the engine says of each system before anything has happened to it."""
        study = self._study
        return {system.name: empty_of(study, system, self._engine) for system in study.systems}

    @cached_property
    def _places(self) -> dict[str, AgedFolders | ClientFolders]:
        systems = self._study.systems
        least = min(systems, key=lambda system: self._empty[system.name].free_bytes)
        free_bytes = self._empty[least.name].free_bytes
        return {system.name: place_in(self._study, system, free_bytes, least) for system in systems}

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

    def _facts(self, empty: SimulateResult) -> StorageFacts:
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


def _spins(empty: SimulateResult) -> int:
    return 1 if empty.device.kind == "zoned_disk" else 0
