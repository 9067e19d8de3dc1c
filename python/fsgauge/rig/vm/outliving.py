"""A system that fails in its turn: what it did not reach is recorded as failed, and why.

Only for kinds of study that ask for it (`Method.outlives_faults`): they compare how systems fail
as well. Which of three it was: the system could not be set up, a node ended, or a node hangs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.plan.turns import job_for
from fsgauge.record import Plan, RunRecord
from fsgauge.rig.rig import Happening, RunStarted, Tell
from fsgauge.rig.vm.arrangement.environment import FOLDER
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.study.model import Study
from fsgauge.wire import EngineFault, FilesTarget
from fsgauge.workload import method_of

NOT_SET_UP, CRASHED, HANGS = "system.not_set_up", "system.crashed", "system.hangs"
_LATE = ("missed the start", "start was missed")


class Heard:
    """What is told of one turn, passed on; what the telling itself raises is no fault of a system.

    `reached` are the cells of which there is a record; `begun` is the cell that was measured last.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.reached: set[str] = set()
        self.begun = ""
        self.is_told = True

    def __call__(self, happening: Happening) -> None:
        """Pass it on."""
        if isinstance(happening, RunStarted):
            self.begun = happening.cell.id
        if isinstance(happening, RunRecord):
            self.reached.add(happening.cell.id)
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
    code = NOT_SET_UP
    if isinstance(error, NodeLostError):
        code = CRASHED if error.has_ended else HANGS
    what = "; ".join([error.what, *error.details[-3:]])
    return EngineFault(what=what, cause=error.cause, next=error.next, code=code)


def failed_runs(study: Study, plan: Plan, heard: Heard, fault: EngineFault) -> Iterator[RunRecord]:
    """A record of each run of the only turn of `plan` that was not reached."""
    (turn,) = plan.turns
    cells = {cell.id: cell for cell in plan.cells}
    files = method_of(study.workload).files
    target = FilesTarget(directory=FOLDER, count=files, file_size_bytes=0)
    for position, cell in enumerate(turn.cells):
        if cell in heard.reached:
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
