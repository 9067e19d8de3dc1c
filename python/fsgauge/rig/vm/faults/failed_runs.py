"""Turns that fail or are struck: each planned run has a record, whatever becomes of it.

Kinds of study that ask for it (`Method.outlives_faults`) compare how systems fail as well: a turn
that fails is a result at once. In others it has failed when its block was lost for the third time.
Which of four it was: the system could not be set up, it was not what its name says, a node ended,
or a node hangs. A machine that does not come up, and caches that are not emptied in time,
are the rig's own faults, and no system's. The last
run of a struck turn has its strikes as they were.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from pydantic import TypeAdapter

from fsgauge.engine.wire import EngineFault, FilesTarget
from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.record.records import Plan, RunRecord, Turn, TurnRecord
from fsgauge.record.strikes import Struck
from fsgauge.rig.happenings import Happening, RunStarted, Tell
from fsgauge.rig.recording import run_record
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.arrangement.standing import NotReadyError
from fsgauge.rig.vm.faults.injection import Injection
from fsgauge.rig.vm.in_force import CODE as NOT_IN_FORCE
from fsgauge.rig.vm.in_force import NotInForceError
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.study.model import Study
from fsgauge.workload import method_of
from fsgauge.workload.folders import Place

NOT_SET_UP, CRASHED, HANGS = "system.not_set_up", "system.crashed", "system.hangs"
NOT_UP, NOT_READY = "rig.not_up", "rig.not_ready"
_PLACE: TypeAdapter[Place] = TypeAdapter(Place)
_LATE = ("missed the start", "start was missed")
_NOT_READY = ("were not ready for a run", "fsgauge itself failed")
"""What a guest says of other nodes, and of itself."""


class RecordedTurns:
    """What is told of turns, passed on; what the telling itself raises is no fault of a system.

    `made` keeps how each system was made last; `reached` are turns with the cells of which there is
    a record.
    """

    def __init__(self, tell: Tell, made: dict[str, TurnRecord]) -> None:
        self._tell = tell
        self.made = made
        self.reached: set[tuple[int, str]] = set()
        self.is_told = True

    def __call__(self, happening: Happening) -> None:
        if isinstance(happening, TurnRecord):
            self.made[happening.system] = happening
        if isinstance(happening, RunRecord):
            self.reached.add((happening.turn, happening.cell.id))
        self.is_told = False
        self._tell(happening)
        self.is_told = True


def is_of_system(error: FsgaugeError, heard: RecordedTurns) -> bool:
    """Whether the system failed, and not the study, which ends with Ctrl-C or a full disk, nor this
    machine, which may be too busy to have nodes begin together."""
    late = any(words in error.what for words in _LATE)
    return heard.is_told and not late and not isinstance(error, Interrupted | InputError)


def fault_of(error: FsgaugeError) -> EngineFault:
    """An error's sentence, with the last line that the step printed."""
    code, what = NOT_SET_UP, error.with_last_words
    if isinstance(error, NodeLostError):
        code, what = CRASHED if error.has_ended else HANGS, error.in_short
    if isinstance(error, NotUpError):
        code = NOT_UP
    if isinstance(error, NotReadyError) or any(words in error.what for words in _NOT_READY):
        code = NOT_READY
    if isinstance(error, NotInForceError):
        code = NOT_IN_FORCE
    return EngineFault(what=what, cause=error.cause, next=error.next, code=code)


def failed_runs(
    study: Study, plan: Plan, turns: Iterable[Turn], heard: RecordedTurns, fault: EngineFault
) -> Iterator[RunRecord]:
    for turn in turns:
        target = _target(study, turn.system, heard)
        for position, cell in enumerate(turn.cells):
            if (turn.turn, cell) in heard.reached:
                continue
            yield run_record(study, plan, turn, position, target, fault=fault)


def _target(study: Study, system: str, heard: RecordedTurns) -> Place:
    """Where the system would have been measured: there it was, or another one was, before."""
    made = heard.made.get(system) or next(iter(heard.made.values()), None)
    if made is not None:
        return _PLACE.validate_python(made.target)
    files = method_of(study.workload).files
    return FilesTarget(directory=FOLDER, count=files, file_size_bytes=0)


CODE = "rig.struck"


class StruckTurn:
    """Tells one struck turn on; its strikes begin with its last run, and end with it."""

    def __init__(
        self, study: Study, plan: Plan, turn: Turn, injection: Injection, tell: Tell
    ) -> None:
        self._study, self._plan, self._turn = study, plan, turn
        self._injection, self._tell = injection, tell
        self._made: TurnRecord | None = None
        self._started: RunStarted | None = None
        self._started_unix_ns = 0
        self.struck: list[Struck] = []
        self.is_told = False

    def __call__(self, happening: Happening) -> None:
        if isinstance(happening, TurnRecord):
            self._made = happening
        if isinstance(happening, RunStarted) and happening.cell.id == self._turn.cells[-1]:
            self._tell(happening)
            self._started, self._started_unix_ns = happening, time.time_ns()
            self._injection.begin()
            return
        self._injection.hear(happening)
        if isinstance(happening, RunRecord) and happening.cell.id == self._turn.cells[-1]:
            self.struck = self._injection.finish()
            happening = happening.model_copy(update={"struck": self.struck})
            self.is_told = True
        self._tell(happening)

    def cut_short(self, error: FsgaugeError) -> bool:
        """Tell the run that was not measured to its end; False where none was to be told."""
        self.struck = self.struck or self._injection.finish()
        if self.is_told or self._started is None or self._made is None:
            return self.is_told
        target = _PLACE.validate_python(self._made.target)
        cause = error.cause or "it was struck on purpose"
        self._tell(
            run_record(
                self._study,
                self._plan,
                self._turn,
                len(self._turn.cells) - 1,
                target,
                fault=EngineFault(what=error.what, cause=cause, next=error.next, code=CODE),
                started_unix_ns=self._started_unix_ns,
                struck=self.struck,
            )
        )
        self.is_told = True
        return True
