"""Rigs: the world that a study's blocks are measured in. This file is all that is asked of one.

A rig is cut at the block: it is handed a plan and the number of a block, and says what happens
while it measures that block. What it measures with (storage, engine, ledger, caches, clean-up) is
its own. A block, not a turn, so that a rig may measure the turns of a block side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.engine.wire import Event
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.facts.kept_noise import KeptNoise
from fsgauge.plan.around import HERE, Around, Tried
from fsgauge.record.machine import Machine
from fsgauge.record.records import (
    Cell,
    EnvironmentRecord,
    Plan,
    RunRecord,
    ScanRecord,
    StepRecord,
    SystemFacts,
    Turn,
    TurnRecord,
)
from fsgauge.record.strikes import Strike
from fsgauge.study.model import Study, System

if TYPE_CHECKING:
    from fsgauge.rig.fleet.choice import FleetChoice


@dataclass(frozen=True)
class TurnStarted:
    """A system is being made and filled."""

    turn: Turn


@dataclass(frozen=True)
class StepStarted:
    """Something is done to a turn's system before a cell."""

    turn: Turn
    what: str


@dataclass(frozen=True)
class RunStarted:
    """A cell starts on a turn's system."""

    turn: Turn
    cell: Cell


@dataclass(frozen=True)
class LoadBegins:
    """The load of the run that was started last begins so many seconds from now."""

    ahead_seconds: float


@dataclass(frozen=True)
class FromMachine:
    """What one of several machines recorded, whole; the study's own record is made of them all."""

    machine: str
    record: TurnRecord | StepRecord | ScanRecord | RunRecord


@dataclass(frozen=True)
class BlockVoid:
    """What was told of a block does not count: all of it is measured again. `lines` are the last
    that a machine said which was lost."""

    block: int
    because: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class BlockGivenUp:
    """A block was void too often: what was told of it counts, and the runs that follow of it have
    all failed."""

    block: int
    because: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class StartMissed:
    """A run that several machines begin together was not begun by all: all begin it again."""

    turn: Turn
    cell: Cell
    because: str


MOST_STARTS = 4
"""So often a run is begun, where machines miss its start; then its block is void."""


class RunBeginsAgain(RigError):
    """What was measured of a run does not count: caches are set back, and it begins again."""


class StudyVoid(RigError):
    """Nothing that was measured counts any more: the session has changed, and the study begins
    again with what it is now."""


Happening = (
    TurnStarted
    | StepStarted
    | RunStarted
    | LoadBegins
    | StartMissed
    | FromMachine
    | BlockVoid
    | BlockGivenUp
    | Event
    | TurnRecord
    | StepRecord
    | ScanRecord
    | RunRecord
)
"""What a block is made of: records, each the moment it exists, and between them what begins and
what the engine says of a run that goes on."""

Tell = Callable[[Happening], None]
"""Is told each happening. It returns when a record is on disk; what it raises ends the block."""


@dataclass(frozen=True)
class Description:
    """What a rig is now. `size_bytes` is what each system can have at most; `engine` is the build
    that measures, as its results have it; `machines` are all its machines, the one that drives the
    load first; `left_out` says of each that is no longer among them why."""

    size_bytes: int
    engine: EngineBuild
    machines: list[Machine]
    left_out: tuple[str, ...] = ()

    @property
    def environment(self) -> EnvironmentRecord:
        """The machines as they are stored."""
        return EnvironmentRecord(machines=self.machines, left_out=list(self.left_out))


class Session(Protocol):
    """A rig whose storage is there and ours, for the blocks of one study."""

    def describe(self) -> Description:
        """As it is now; asked before the first block and after the last one."""
        ...

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """Measure every turn of one block in full.

        A fault of the storage is a run's record. Raises RigError where the rest of the block cannot
        be measured, StudyVoid where all blocks must be measured again. Whatever ends the block,
        also what `tell` raises, each of its systems is gone when this returns.
        """
        ...


class Rig(Protocol):
    """The world that a study's blocks are measured in."""

    name: str

    def size_bytes(self, study: Study) -> int:
        """The size that the study's storage will have, to plan with; InputError if there is none.

        Touches nothing.
        """
        ...

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """All that a run would refuse, as far as it is soon seen.

        What has to be tried is tried on something of its own, and nothing of it stays.
        """
        ...

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise InputError, RefusedError or RigError for what can be refused; touch nothing.

        `destroy` is what the user permits to lose.
        """
        ...

    def opened(self, study: Study) -> AbstractContextManager[Session]:
        """The study's storage, attached as it was checked, until the context ends.

        Nothing that was made is left then, however it ends.
        """
        ...


@runtime_checkable
class MeasuresSideBySide(Protocol):
    """What a rig offers as well that can measure the turns of a block side by side."""

    def hindrance(self, study: Study) -> str:
        """Why it cannot with this study, in a few words; empty if it can. Touches nothing."""
        ...


@runtime_checkable
class KeepsNoise(Protocol):
    """What a rig offers as well that remembers how noisy its storage was."""

    def last_noise(self, study: Study) -> KeptNoise | None:
        """The last that was measured on the study's storage; of this study before all others."""
        ...

    def keep_noise(self, study: Study, noise_percent: float, blocks: int, results: str) -> None:
        """Keep what a run of the study has measured; what cannot be kept is lost."""
        ...


@dataclass(frozen=True)
class FoldersSeen:
    """Systems that are folders, as they are mounted now: the facts of each by its name, and what
    they leave out of the comparison."""

    facts: dict[str, SystemFacts]
    cautions: list[str]


@runtime_checkable
class UsesFolders(Protocol):
    """What a rig offers as well whose systems may be folders that are used as they are."""

    def folders(self, study: Study) -> FoldersSeen:
        """Those of the study that are there; touches nothing."""
        ...


@runtime_checkable
class HasOwnStorage(Protocol):
    """What a rig offers as well that uses no storage of this machine."""

    def placed(self, study: Study) -> Study:
        """The study on storage of the rig's own that is as large; touches nothing."""
        ...


def placed_on(rig: Rig, study: Study) -> Study:
    """The study as a rig carries it out: where its storage is the rig's own, it says so."""
    return rig.placed(study) if isinstance(rig, HasOwnStorage) else study


@runtime_checkable
class TakesHosts(Protocol):
    """What a rig offers as well that consists of hosts which the command line names."""

    def take(self, hosts: FleetChoice) -> None:
        """These are the hosts."""
        ...


@runtime_checkable
class HasNodes(Protocol):
    """What a rig offers as well that makes the machines that a study asks for."""

    def load_nodes(self, study: Study) -> int:
        """How many of them drive the load; InputError where that cannot be understood."""
        ...


@runtime_checkable
class HasOwnSystems(Protocol):
    """What a rig offers as well that has systems which no other one has."""

    def own_system(self, study: Study, system: System) -> InputError | None:
        """Says that the system is one of them, and what asks for it; None if it is none."""
        ...


@runtime_checkable
class TakesTimeAround(Protocol):
    """What a rig offers as well whose machines take more time around turns and runs than this one
    does."""

    def around(self, study: Study) -> Around:
        """What they take with this study, as far as it is known; touches nothing."""
        ...


@runtime_checkable
class MakesStorage(Protocol):
    """What a rig offers as well that makes the storage of its machines."""

    def storage_words(self, study: Study) -> str:
        """What the systems will sit on, and which machine does what; touches nothing."""
        ...

    def storage_cautions(self, study: Study) -> list[str]:
        """What differs between systems there, and would not be looked for."""
        ...


@runtime_checkable
class TriesBlocks(Protocol):
    """What a rig offers as well whose time follows from no storage's speed."""

    def tried(self, study: Study) -> Tried | None:
        """What a block takes, tried in a small way for some seconds; None for a study that it
        refuses."""
        ...


def around_on(rig: Rig, study: Study, *, tries: bool = True) -> Around:
    """What a rig knows of its time; without what it has to try where `tries` is False."""
    known = rig.around(study) if isinstance(rig, TakesTimeAround) else HERE
    if tries and isinstance(rig, TriesBlocks):
        return replace(known, block=rig.tried(study))
    return known


def is_untried(rig: Rig, around: Around) -> bool:
    """Whether a rig that tries a block before it plans could try none: there is no time to plan."""
    return isinstance(rig, TriesBlocks) and around.block is None


@runtime_checkable
class StrikesMachines(Protocol):
    """What a rig offers as well whose machines can be struck by the faults of a study."""

    def strikes(self, study: Study) -> list[Strike]:
        """Those of the study, as this rig carries them out."""
        ...


def strikes_of(rig: Rig, study: Study) -> list[Strike]:
    """The strikes of a study, in the order of its faults; InputError on a rig that has none."""
    if not study.faults:
        return []
    if isinstance(rig, StrikesMachines):
        return rig.strikes(study)
    raise InputError(
        f"the study has faults, and the rig {rig.name} cannot strike its machines",
        cause="they are machines that something else runs on",
        next="--rig vm, or the study without [[fault]]",
    )
