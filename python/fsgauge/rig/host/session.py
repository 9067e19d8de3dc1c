"""The host rig with its storage attached: blocks measured turn by turn, and systems lent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.engine.wire import ProbeJob
from fsgauge.record.records import Plan
from fsgauge.rig.happenings import Tell
from fsgauge.rig.host.lent import HostLent
from fsgauge.rig.host.side_by_side import measure_side_by_side
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.host.turn import measure_turn
from fsgauge.rig.host.work import Work
from fsgauge.rig.session import Description
from fsgauge.study.model import Study, System


class HostSession:
    """This machine, its storage attached, for the blocks of one study."""

    def __init__(self, study: Study, systems: HostSystems, engine: Engine) -> None:
        self._study = study
        self._systems = systems
        self._engine = engine

    def describe(self) -> Description:
        """This machine as it is now, and the size of the storage that is attached."""
        machines = [self._systems.machine(self._study)]
        return Description(self._systems.attached.size_bytes, self._build, machines)

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """Make and measure one system after the other, or all of them side by side."""
        work = Work(self._study, plan, self._systems, self._engine, tell)
        turns = [turn for turn in plan.turns if turn.block == block]
        if plan.side_by_side:
            measure_side_by_side(work, turns)
            return
        for turn in turns:
            measure_turn(work, turn)

    @contextmanager
    def lent(self, system: System) -> Iterator[HostLent]:
        """A system made afresh and filled, for programs beside the engine."""
        with self._systems.prepare(self._study, system) as prepared:
            yield HostLent(prepared.target, prepared, self._systems, self._engine)

    def lent_machine(self, system: System) -> AbstractContextManager[HostLent]:
        """The same: it is on this machine."""
        return self.lent(system)

    @cached_property
    def _build(self) -> EngineBuild:
        return self._engine.probe(ProbeJob()).engine
