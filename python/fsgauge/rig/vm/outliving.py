"""Turns that could not be measured: what they did not reach is recorded as failed, and why.

Kinds of study that ask for it (`Method.outlives_faults`) compare how systems fail as well: a turn
that fails is a result at once. In others it has failed when its block was lost for the third time.
Which of three it was: the system could not be set up, a node ended, or a node hangs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from pydantic import TypeAdapter

from fsgauge.engine.wire import EngineFault, FilesTarget
from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.plan.turns import job_for
from fsgauge.record.records import Plan, RunRecord, Turn, TurnRecord
from fsgauge.rig.happenings import Happening, Tell
from fsgauge.rig.vm.arrangement.environment import FOLDER
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.study.model import Study
from fsgauge.workload import method_of
from fsgauge.workload.folders import Place

NOT_SET_UP, CRASHED, HANGS = "system.not_set_up", "system.crashed", "system.hangs"
_PLACE: TypeAdapter[Place] = TypeAdapter(Place)
_LATE = ("missed the start", "start was missed")


class Heard:
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
        """Pass it on."""
        if isinstance(happening, TurnRecord):
            self.made[happening.system] = happening
        if isinstance(happening, RunRecord):
            self.reached.add((happening.turn, happening.cell.id))
        self.is_told = False
        self._tell(happening)
        self.is_told = True


def is_of_system(error: FsgaugeError, heard: Heard) -> bool:
    """Whether the system failed, and not the study, which ends with Ctrl-C or a full disk, nor this
    machine, which may be too busy to have nodes begin together."""
    late = any(words in error.what for words in _LATE)
    return heard.is_told and not late and not isinstance(error, Interrupted | InputError)


def fault_of(error: FsgaugeError) -> EngineFault:
    """The error as what a run gave."""
    code, what = NOT_SET_UP, "; ".join([error.what, *error.details[-3:]])
    if isinstance(error, NodeLostError):
        code, what = CRASHED if error.has_ended else HANGS, error.in_short
    return EngineFault(what=what, cause=error.cause, next=error.next, code=code)


def failed_runs(
    study: Study, plan: Plan, turns: Iterable[Turn], heard: Heard, fault: EngineFault
) -> Iterator[RunRecord]:
    """A record of each run of these turns that was not reached."""
    cells = {cell.id: cell for cell in plan.cells}
    for turn in turns:
        target = _target(study, turn.system, heard)
        for position, cell in enumerate(turn.cells):
            if (turn.turn, cell) in heard.reached:
                continue
            yield RunRecord(
                block=turn.block,
                turn=turn.turn,
                position=position,
                system=turn.system,
                again=turn.again,
                cell=cells[cell],
                job=job_for(study, plan, turn, cells[cell], target),
                caches="",
                parts=[],
                fault=fault,
                started_unix_ns=time.time_ns(),
            )


def _target(study: Study, system: str, heard: Heard) -> Place:
    """Where the system would have been measured: there it was, or another one was, before."""
    made = heard.made.get(system) or next(iter(heard.made.values()), None)
    if made is not None:
        return _PLACE.validate_python(made.target)
    files = method_of(study.workload).files
    return FilesTarget(directory=FOLDER, count=files, file_size_bytes=0)
