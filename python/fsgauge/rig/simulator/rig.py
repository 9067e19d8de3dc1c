"""The simulator rig: what it refuses, and the session in which it simulates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from pydantic import ValidationError

from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.plan.around import Tried
from fsgauge.rig.refusing import each_once, or_without, refused_by, require_none
from fsgauge.rig.rig import Rig
from fsgauge.rig.simulator.device import USUAL_MODEL, size_of
from fsgauge.rig.simulator.duration import block_takes
from fsgauge.rig.simulator.full import with_sizes
from fsgauge.rig.simulator.life import check_life, empty_of
from fsgauge.rig.simulator.policies import policy_of
from fsgauge.rig.simulator.session import SimulatorSession
from fsgauge.study.device_numbers import beyond_capacity
from fsgauge.study.model import Study, System
from fsgauge.study.reached import accesses_of
from fsgauge.study.storage import LoopStorage, RamStorage, SimulatedStorage
from fsgauge.workload import method_of


class SimulatorRig(Rig):
    """Models in the place of systems and their storage."""

    name = "simulator"
    tries_blocks = True

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine
        self._tried: tuple[Study, Tried | None] | None = None

    def placed(self, study: Study) -> Study:
        """The study on a device of the simulator, as large as what it asks for of this machine; as
        it is where no device is so large, or where it would be another study."""
        storage = study.storage
        if not isinstance(storage, LoopStorage | RamStorage):
            return study
        if beyond_capacity(USUAL_MODEL, {}, storage.size, 1) is not None:
            return study
        found = study.model_copy(update={"storage": SimulatedStorage(size=storage.size)})
        try:  # as when it is resumed
            Study.model_validate_json(found.model_dump_json(by_alias=True))
        except ValidationError:
            return study
        return found

    def size_bytes(self, study: Study) -> int:
        return size_of(study)

    def tried(self, study: Study) -> Tried | None:
        """What a block takes, tried in a small way; None for a study that is refused. The question
        before a run and its plan ask for the same study."""
        if self._tried is None or self._tried[0] != study:
            is_refused = any(True for _ in self._refused(study, None))
            self._tried = (study, None if is_refused else block_takes(study, self._with_engine()))
        return self._tried[1]

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """All that has no model; the engine is asked about each system."""
        return each_once(list(self._refused(study, destroy)))

    def check(self, study: Study, destroy: Consent | None) -> None:
        require_none(self.refusals(study, destroy))

    @contextmanager
    def opened(self, study: Study) -> Iterator[SimulatorSession]:
        yield SimulatorSession(study, self._with_engine())

    def _refused(self, study: Study, destroy: Consent | None) -> Iterator[FsgaugeError]:
        yield from refused_by([partial(_require_own, study, destroy)])
        if method_of(study.workload).lays_out:
            yield _without_model(study)
            return
        without = refused_by(partial(policy_of, study, system) for system in study.systems)
        yield from without or self._refused_systems(study)

    def _refused_systems(self, study: Study) -> Iterator[FsgaugeError]:
        """What the engine says of each system's first turn, with the system that it is about."""
        found = [
            (system, error)
            for system in study.systems
            for error in refused_by([partial(self._ask, study, system)])
        ]
        # What is said of all alike is the storage's or the load's, and no system is to blame.
        is_of_all = len(found) == len(study.systems) and len({e.what for _, e in found}) == 1
        for system, error in found:
            error.what, error.cause = with_sizes(error.what), with_sizes(error.cause)
            if len(study.systems) > 1 and not is_of_all:
                error.details += (f'of the system "{system.name}"',)
                error.next = or_without(study, system, error.next)
            yield error

    def _ask(self, study: Study, system: System) -> None:
        """What the engine says of the system's first turn; nothing is simulated."""
        engine = self._with_engine()
        empty = empty_of(study, system, engine)
        check_life(study, system, empty.free_bytes, engine)

    def _with_engine(self) -> Engine:
        self._engine = self._engine or Engine()
        return self._engine


def _require_own(study: Study, destroy: Consent | None) -> None:
    beyond = beyond_capacity(USUAL_MODEL, {}, size_of(study), 1)
    if beyond is not None and not isinstance(study.storage, SimulatedStorage):
        raise InputError(beyond[0], next="--storage simulated:1TiB")
    if destroy is not None:
        raise InputError(
            "--destroy names a device, and the simulator uses none", next="leave it out"
        )
    servers = [access.server for access in accesses_of(study) if access.server != "none"]
    if servers:
        raise InputError(
            f"{servers[0]} has no model: the simulator has file systems, and no server over them",
            next="leave --serve out, or --rig host",
        )


def _without_model(study: Study) -> InputError:
    """Files that were laid out and are read and overwritten: nothing moves there."""
    return InputError(
        f"a study of kind {study.workload.kind} has no model",
        cause="the simulator knows where data lies as files come and go, and what that costs a"
        " disk; it knows no latencies and no processors",
        next="a study in which files come and go: docs/guides/simulator.md",
    )
