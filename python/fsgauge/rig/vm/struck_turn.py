"""A turn whose last run is struck: what is told of it, with the strikes as they were.

The run has a record whatever becomes of it: where nothing measured it to its end, one that says
why.
"""

from __future__ import annotations

import time

from pydantic import TypeAdapter

from fsgauge.engine.wire import EngineFault
from fsgauge.errors import FsgaugeError
from fsgauge.plan.turns import job_for
from fsgauge.record.records import Plan, RunRecord, Turn, TurnRecord
from fsgauge.record.strikes import Struck
from fsgauge.rig.happenings import Happening, RunStarted, Tell
from fsgauge.rig.vm.striking import Striking
from fsgauge.study.model import Study
from fsgauge.workload.folders import Place

_PLACE: TypeAdapter[Place] = TypeAdapter(Place)
CODE = "rig.struck"


class StruckTurn:
    """Is told what `tell` is to be told."""

    def __init__(
        self, study: Study, plan: Plan, turn: Turn, striking: Striking, tell: Tell
    ) -> None:
        self._study, self._plan, self._turn = study, plan, turn
        self._striking, self._tell = striking, tell
        self._made: TurnRecord | None = None
        self._started: RunStarted | None = None
        self._started_unix_ns = 0
        self.struck: list[Struck] = []
        self.is_told = False

    def __call__(self, happening: Happening) -> None:
        """Begin with the strikes as their run begins, and end with it."""
        if isinstance(happening, TurnRecord):
            self._made = happening
        if isinstance(happening, RunStarted) and happening.cell.id == self._turn.cells[-1]:
            self._tell(happening)
            self._started, self._started_unix_ns = happening, time.time_ns()
            self._striking.begin()
            return
        self._striking.hear(happening)
        if isinstance(happening, RunRecord) and happening.cell.id == self._turn.cells[-1]:
            self.struck = self._striking.finish()
            happening = happening.model_copy(update={"struck": self.struck})
            self.is_told = True
        self._tell(happening)

    def cut_short(self, error: FsgaugeError) -> bool:
        """Tell the run that was not measured to its end; False where none was to be told."""
        self.struck = self.struck or self._striking.finish()
        if self.is_told or self._started is None or self._made is None:
            return self.is_told
        target = _PLACE.validate_python(self._made.target)
        cell = self._started.cell
        self._tell(
            RunRecord(
                block=self._turn.block,
                turn=self._turn.turn,
                position=len(self._turn.cells) - 1,
                system=self._turn.system,
                again=self._turn.again,
                cell=cell,
                job=job_for(self._study, self._plan, self._turn, cell, target),
                caches="",
                parts=[],
                fault=EngineFault(
                    what=error.what,
                    cause=error.cause or "it was struck on purpose",
                    next=error.next,
                    code=CODE,
                ),
                started_unix_ns=self._started_unix_ns,
                struck=self.struck,
            )
        )
        self.is_told = True
        return True
