"""The simulator rig: what it refuses, how long it takes, and the session in which it simulates.

For the time of a block, a turn of each system is tried on smaller devices first. A life takes time
for its operations, and most studies have as many more of them as their device is larger. So the
seconds of two small devices are drawn out to the study's own. A study whose files are of a fixed
number fits on its own device alone; there the turn itself is tried, for a while.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from pydantic import ValidationError

from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.plan.around import Tried
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.rig.refusing import each_once, or_without, refused_by, require_none, uses_no_device
from fsgauge.rig.rig import Rig
from fsgauge.rig.simulator import life
from fsgauge.rig.simulator.full import with_sizes
from fsgauge.rig.simulator.models import USUAL_MODEL, devices_of, made_with, policy_of, size_of
from fsgauge.rig.simulator.session import SimulatorSession
from fsgauge.study.device_numbers import beyond_capacity
from fsgauge.study.model import Study, System
from fsgauge.study.policies import BLOCK_BYTES
from fsgauge.study.reached import accesses_of
from fsgauge.study.storage import LoopStorage, RamStorage, SimulatedStorage
from fsgauge.workload import method_of

SMALLER = (512, 64, 8)
"""Shares of the study's device that are tried, the smallest first."""
ENOUGH_SECONDS = 0.15
"""From here on, what an engine needs to start is a small part."""
MOST_SECONDS = 4.0
"""A turn that is tried is stopped there."""
MOST_TRIED = 12
"""Of more systems, as races have them, one of each kind is tried."""
AROUND_SECONDS = 0.1
"""Around each life: files and journal of its records. Three studies took 0.09 to 0.13 s."""
FACTOR = 2.0
"""Between the expected seconds and the range's ends."""


@dataclass(frozen=True)
class _Small:
    size_bytes: int
    seconds: float
    is_whole: bool


def block_takes(study: Study, engine: Engine) -> Tried:
    """What a block takes; InputError where no turn of a system can be simulated."""
    begin_seconds = _processor_seconds()
    is_each = len(study.systems) <= MOST_TRIED
    of = {(each.name if is_each else each.kind): each for each in reversed(study.systems)}
    tried = {key: _turn_seconds(study, system, engine) for key, system in of.items()}
    found = [tried[each.name if is_each else each.kind] for each in study.systems]
    trial_seconds = _processor_seconds() - begin_seconds
    around_seconds = AROUND_SECONDS * _lives_of_block(study)
    seconds = sum(each.seconds for each in found) + found[0].seconds + around_seconds
    if not all(each.is_whole for each in found):
        words = f"a turn was tried, and stopped after {MOST_SECONDS:g} s; without the report"
        return Tried(seconds, seconds, None, words, trial_seconds)
    each = "each system" if is_each else "the first system of each kind"
    words = f"a turn of {each} was tried on a smaller device; without the report"
    return Tried(seconds, seconds / FACTOR, seconds * FACTOR, words, trial_seconds)


def _lives_of_block(study: Study) -> int:
    plan = make_plan(with_seed(study, 1), size_bytes=size_of(study))
    return sum(turn.block == 0 for turn in plan.turns)


def _turn_seconds(study: Study, system: System, engine: Engine) -> _Small:
    whole_bytes = size_of(study)
    tried: list[_Small] = []
    for share in SMALLER:
        try:
            tried.append(_tried_turn(_smaller(study, whole_bytes // share), system, engine))
        except InputError:
            continue
        if tried[-1].seconds >= ENOUGH_SECONDS:
            break
    if not tried or (tried[-1].seconds < ENOUGH_SECONDS and tried[-1].is_whole):
        return _tried_turn(study, system, engine)
    last = tried[-1]
    seconds = last.seconds + _a_byte(tried) * (whole_bytes - last.size_bytes)
    return _Small(whole_bytes, seconds, last.is_whole)


def _a_byte(tried: list[_Small]) -> float:
    last = tried[-1]
    if len(tried) < 2:
        return last.seconds / last.size_bytes
    before = tried[-2]
    return max(last.seconds - before.seconds, 0.0) / (last.size_bytes - before.size_bytes)


def _smaller(study: Study, size_bytes: int) -> Study:
    unit = BLOCK_BYTES * devices_of(study)
    size = size_bytes - size_bytes % unit
    return study.model_copy(update={"storage": study.storage.model_copy(update={"size": size})})


def _tried_turn(study: Study, system: System, engine: Engine) -> _Small:
    empty = life.empty_of(study, system, engine)
    begin_seconds, is_whole = _processor_seconds(), True
    for steps in life.first_turn(study, system, empty.free_bytes):
        with life.stopped_after(MOST_SECONDS) as on_start:
            job = life.job_of(study, system, steps)
            result = engine.simulate(job, None, on_start)
        result.model_dump_json()
        is_whole = len(result.steps) == len(steps) and result.ended != "interrupted"
        if not is_whole:
            break
    return _Small(size_of(study), _processor_seconds() - begin_seconds, is_whole)


def _processor_seconds() -> float:
    """Of this process and the engines that it has waited for: one thread works at a time, and what
    else the machine does is none of it."""
    found = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in found)


class SimulatorRig(Rig):
    name = "simulator"
    tries_blocks = True

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine
        self._tried: tuple[Study, Tried | None] | None = None

    def placed(self, study: Study) -> Study:
        """The study on a device of the simulator, as large as what it asks for of this machine; as
        it is where no device is so large, or where it would be another study."""
        storage = study.storage
        if not isinstance(storage, LoopStorage | RamStorage) or _without_model_of(study):
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
        return each_once(list(self._refused(study, destroy)))

    def refused_alone(
        self, study: Study, destroy: Consent | None = None
    ) -> dict[str, list[FsgaugeError]]:
        """A system whose model is that of one before it as well: both have the same lives."""
        found = super().refused_alone(study, destroy)
        seen: list[tuple[str, object]] = []
        for each in study.systems:
            if found.get(each.name):
                continue
            model = (
                each.kind,
                policy_of(study, each),
                made_with(study, each),
                each.allocation_chunk,
            )
            twin = next((name for name, other in seen if other == model), None)
            seen.append((each.name, model))
            if twin is not None:
                found[each.name] = [
                    InputError(
                        f"what differs from {twin} has no effect in a model",
                        next=f"without it, or without {each.name}",
                    )
                ]
        return found

    def check(self, study: Study, destroy: Consent | None) -> None:
        require_none(self.refusals(study, destroy))

    @contextmanager
    def opened(self, study: Study) -> Iterator[SimulatorSession]:
        yield SimulatorSession(study, self._with_engine())

    def _refused(self, study: Study, destroy: Consent | None) -> Iterator[FsgaugeError]:
        yield from refused_by([partial(_require_own, study, destroy)])
        if not method_of(study.workload).has_model:
            yield _without_model(study)
            return
        without = refused_by(partial(policy_of, study, system) for system in study.systems)
        yield from without or self._refused_systems(study)

    def _refused_systems(self, study: Study) -> Iterator[FsgaugeError]:
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
        empty = life.empty_of(study, system, engine)
        life.check_life(study, system, empty.free_bytes, engine)

    def _with_engine(self) -> Engine:
        self._engine = self._engine or Engine()
        return self._engine


def _require_own(study: Study, destroy: Consent | None) -> None:
    beyond = beyond_capacity(USUAL_MODEL, {}, size_of(study), 1)
    if beyond is not None and not isinstance(study.storage, SimulatedStorage):
        raise InputError(beyond[0], next="--storage simulated:1TiB")
    if destroy is not None:
        raise uses_no_device("the simulator uses none")
    if unknown := _without_model_of(study):
        raise InputError(
            f"the simulator has no model of storage.{unknown[0]}",
            cause="its devices are models with numbers of their own",
            next=f"leave {' and '.join(unknown)} out, or --storage simulated:1TiB",
        )
    servers = [access.server for access in accesses_of(study) if access.server != "none"]
    if servers:
        raise InputError(
            f"{servers[0]} has no model: the simulator has file systems, and no server over them",
            next="leave --serve out, or --rig host",
        )


def _without_model_of(study: Study) -> list[str]:
    """Keys of a real storage that would be ignored: all that are set but its size and its place,
    and that its file is allocated beforehand, below which a model has nothing."""
    storage = study.storage
    if not isinstance(storage, LoopStorage | RamStorage):
        return []
    usual = {name: each.default for name, each in type(storage).model_fields.items()}
    kept = ("kind", "size", "directory", "preallocate")
    return [name for name in usual if name not in kept and getattr(storage, name) != usual[name]]


def _without_model(study: Study) -> InputError:
    """Files that were laid out and are read and overwritten: nothing moves there. Of empty files
    nothing lies anywhere. Of loads at once, which one's next piece of a file takes space first is a
    matter of time."""
    why = "it knows no latencies and no processors"
    if method_of(study.workload).at_once:
        why = "how far each load gets while others run takes latencies, and it knows none"
    return InputError(
        f"a study of kind {study.workload.kind} has no model",
        cause="the simulator takes files that are made, appended to and removed in one order: where"
        f" they lie (churn, aging, connections), and what that costs a disk; {why}",
        next="fsgauge run churn-simulated   (files come and go: docs/guides/simulator.md)",
    )
