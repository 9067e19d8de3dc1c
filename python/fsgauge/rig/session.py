"""A rig's storage, attached for the blocks of one study; and systems that it lends to programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Protocol

from pydantic import Field

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.errors import InputError
from fsgauge.record.machine import Machine
from fsgauge.record.records import EnvironmentRecord, Plan
from fsgauge.rig.happenings import Tell
from fsgauge.study.model import System
from fsgauge.workload.folders import Place


@dataclass(frozen=True)
class Description:
    """What a rig is now. `size_bytes` is what each system can have at most; `engine` is the build
    that measures, as its results have it; `machines` are all its machines, the one that drives the
    load first; `left_out` says of each that is no longer among them why."""

    size_bytes: Annotated[int, Field(ge=0)]
    engine: EngineBuild
    machines: Annotated[list[Machine], Field(min_length=1)]
    left_out: tuple[str, ...] = ()

    @property
    def environment(self) -> EnvironmentRecord:
        return EnvironmentRecord(machines=self.machines, left_out=list(self.left_out))


class LentSystem(Protocol):
    """A system made afresh and filled, which another program may use, and the machine that it is
    on."""

    target: Place

    @property
    def is_root(self) -> bool:
        """Whether programs are run by root there."""

    @property
    def pinned(self) -> Place:
        """The target as programs are told it: no rename leads them elsewhere."""

    def settle(self) -> str:
        """Bring caches to the state that every run starts from; gives what was done."""

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        """The engine's answer to a job."""

    def load_at_once(self, loads: Sequence[LoadJob], *, lay_out: bool = False) -> list[LoadResult]:
        """The engine's answer to loads that begin together; with `lay_out` it writes their files,
        and that is all."""

    def program(self, name: str, file: Path | None) -> str | None:
        """Where a program is there: the one that is installed, or a copy of `file`, which is on
        this machine. None where there is none."""

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        """What a program prints there; RigError, which begins with `what`, where it fails or does
        not end in time."""

    def words(self, command: Sequence[str]) -> str:
        """What a program says of itself, however it ends."""

    def remove(self, names: Sequence[str]) -> None:
        """Remove what matches in the system's folder: names with wildcards."""


class Session(ABC):
    """A rig whose storage is there and ours, for the blocks of one study."""

    lends: ClassVar[bool] = False
    """Its machines run programs of others, on systems that it lends."""
    lends_here: ClassVar[bool] = False
    """Those systems are on this machine."""

    @abstractmethod
    def describe(self) -> Description:
        """As it is now; asked before the first block and after the last one."""

    @abstractmethod
    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """Measure every turn of one block in full.

        A fault of the storage is a run's record. Raises RigError where the rest of the block cannot
        be measured, StudyVoid where all blocks must be measured again. Whatever ends the block,
        also what `tell` raises, each of its systems is gone when this returns.
        """

    def lent(self, system: System) -> AbstractContextManager[LentSystem]:
        """A system made afresh and filled, for as long as the context lasts; InputError on a rig
        that lends none."""
        raise InputError(
            f"{system.name} is not lent to other programs",
            cause="this rig's systems are not folders of this machine",
            next="--rig host",
        )
