"""The host rig with its storage attached: blocks measured turn by turn, and systems lent."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ClientsJob, FilesTarget, LoadJob, LoadResult, ProbeJob
from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.machine.folder.marked_folder import remove_in
from fsgauge.machine.process.tool import find_tool, must_run, run_tool
from fsgauge.plain_files.opening import names_in
from fsgauge.record.records import Plan
from fsgauge.rig.happenings import Tell
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.side_by_side import measure_side_by_side
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.host.turn import measure_turn
from fsgauge.rig.host.turn_steps import Work
from fsgauge.rig.session import Description, Session
from fsgauge.study.model import Study, System
from fsgauge.workload.folders import Place


@dataclass
class HostLent:
    """A system of this machine, lent; see LentSystem."""

    target: Place
    _prepared: PreparedSystem

    _systems: HostSystems
    _engine: Engine

    @property
    def pinned(self) -> Place:
        """The target as programs are told it: no rename leads them elsewhere."""
        return self._prepared.pinned

    def settle(self) -> str:
        return self._systems.settle(self._prepared)

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        return self._engine.load(job)

    @property
    def is_root(self) -> bool:
        return os.geteuid() == 0

    def program(self, name: str, file: Path | None) -> str | None:
        return find_tool(str(file) if file else name)

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        return must_run(list(command), what=what, seconds=seconds).output

    def words(self, command: Sequence[str]) -> str:
        return run_tool(list(command)).words

    def remove(self, names: Sequence[str]) -> None:
        if not isinstance(self.pinned, FilesTarget):
            return
        folder = os.open(self.pinned.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for left in _matching(folder, names):
                remove_in(folder, left)
        finally:
            os.close(folder)


def _matching(folder: int, names: Sequence[str]) -> list[str]:
    """What lies in an open folder under one of the names, which have wildcards."""
    there = names_in(folder)
    return [left for left in there if any(fnmatchcase(left, name) for name in names)]


class HostSession(Session):
    """This machine, its storage attached, for the blocks of one study."""

    lends = lends_here = True

    def __init__(self, study: Study, systems: HostSystems, engine: Engine) -> None:
        self._study = study
        self._systems = systems
        self._engine = engine

    def describe(self) -> Description:
        machines = [self._systems.machine(self._study)]
        return Description(self._systems.working_set.size_bytes, self._build, machines)

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
        with self._systems.prepare(self._study, system) as prepared:
            yield HostLent(prepared.target, prepared, self._systems, self._engine)

    @cached_property
    def _build(self) -> EngineBuild:
        return self._engine.probe(ProbeJob()).engine
