"""Systems that a rig lends: made afresh, for programs that are not the engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, runtime_checkable

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.study.model import System
from fsgauge.workload.folders import Place


class LentSystem(Protocol):
    """A system made afresh and filled, which another program may use on this machine."""

    target: Place

    @property
    def pinned(self) -> Place:
        """The target as programs are told it: no rename leads them elsewhere."""
        ...

    def settle(self) -> str:
        """Bring caches to the state that every run starts from; gives what was done."""
        ...

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        """The engine's answer to a job."""
        ...


@runtime_checkable
class LendsSystems(Protocol):
    """What the session of a rig offers as well where its systems are on this machine."""

    def lent(self, system: System) -> AbstractContextManager[LentSystem]:
        """A system made afresh and filled, for as long as the context lasts."""
        ...


class LentMachine(LentSystem, Protocol):
    """The same with the machine that it is on, which need not be this one."""

    is_root: bool
    """Whether programs are run by root there."""

    def program(self, name: str, file: Path | None) -> str | None:
        """Where a program is there: the one that is installed, or a copy of `file`, which is on
        this machine. None where there is none."""
        ...

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        """What a program prints there; RigError, which begins with `what`, where it fails or does
        not end in time."""
        ...

    def words(self, command: Sequence[str]) -> str:
        """What a program says of itself, however it ends."""
        ...

    def remove(self, names: Sequence[str]) -> None:
        """Remove what matches in the system's folder: names with wildcards."""
        ...


@runtime_checkable
class LendsMachines(Protocol):
    """What the session of a rig offers as well whose machines run programs of others."""

    def lent_machine(self, system: System) -> AbstractContextManager[LentMachine]:
        """A system made afresh and filled, and the machine that it is on."""
        ...
