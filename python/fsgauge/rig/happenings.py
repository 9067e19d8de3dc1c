"""What happens while a rig measures a block: told as it happens, in the order that it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsgauge.engine.wire import Event
from fsgauge.errors import RigError
from fsgauge.record.records import Cell, RunRecord, ScanRecord, StepRecord, Turn, TurnRecord


@dataclass(frozen=True)
class TurnStarted:
    turn: Turn


@dataclass(frozen=True)
class StepStarted:
    turn: Turn
    what: str


@dataclass(frozen=True)
class RunStarted:
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
class NotRemoved:
    """The system of a turn that was measured could not be removed after: what was measured stands.
    `because` says which step failed, and how."""

    turn: Turn
    because: str


@dataclass(frozen=True)
class StartMissed:
    """A run that several machines begin together was not begun by all: all begin it again."""

    turn: Turn
    cell: Cell
    because: str


MOST_STARTS = 4
"""So often a run is begun, where machines miss its start; then its block is void."""


MOST_REPEATS = 2
"""So often a block that lost a machine is measured again."""


class RunBeginsAgain(RigError):
    """What was measured of a run does not count: caches are set back, and it begins again."""

    usual_next = "nothing: the run begins again by itself"


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
    | NotRemoved
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
