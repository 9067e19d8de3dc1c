"""What is done to a system before a cell, untimed and recorded: ageing, deletes, ballast.

A turn carries its steps out in the order of its cells; each is on disk before the next begins.
"""

from __future__ import annotations

import time

from fsgauge.engine.wire import AgeResult
from fsgauge.errors import InputError, RigError
from fsgauge.plan.turns import steps_for
from fsgauge.record.records import Cell, StepRecord, Turn
from fsgauge.rig.happenings import StepStarted
from fsgauge.rig.host.layout import scan_aged
from fsgauge.rig.host.prepared import PreparedSystem
from fsgauge.rig.host.work import Work
from fsgauge.units import format_size
from fsgauge.workload.steps import AgeFolder, Step


class Steps:
    """The steps of one turn, counted through."""

    def __init__(self, work: Work, turn: Turn, prepared: PreparedSystem) -> None:
        self._work, self._turn, self._prepared = work, turn, prepared
        self._number = 0

    def before(self, cell: Cell) -> None:
        """Everything that comes before a cell; RigError where what follows cannot be measured."""
        work, turn = self._work, self._turn
        place = self._prepared.target
        for step in steps_for(work.study, work.plan, turn, cell, place):
            work.tell(StepStarted(turn, step.what))
            self._carry_out(step, cell)

    def _carry_out(self, step: Step, cell: Cell) -> None:
        work, turn = self._work, self._turn
        result, started_unix_ns, clock = None, time.time_ns(), time.monotonic_ns()
        if isinstance(step, AgeFolder):
            result = self._aged(step)
            size_bytes = result.live_bytes
        else:
            size_bytes = work.systems.wear(self._prepared, step)
        free_bytes = work.systems.free_bytes(self._prepared)
        record = StepRecord(
            block=turn.block,
            turn=turn.turn,
            system=turn.system,
            again=turn.again,
            number=self._number,
            cell=cell.id,
            step=step.step,
            what=step.what,
            job=step.job if isinstance(step, AgeFolder) else None,
            result=result,
            size_bytes=size_bytes,
            free_bytes=free_bytes,
            started_unix_ns=started_unix_ns,
            elapsed_ns=time.monotonic_ns() - clock,
        )
        work.tell(record)
        self._number += 1
        if isinstance(step, AgeFolder) and result is not None:
            _require_aged(step, result, turn)
            scan_aged(work, turn, self._prepared, step.job.directory)

    def _aged(self, step: AgeFolder) -> AgeResult:
        """The engine's answer; what it refuses here was checked before, so the rig has changed."""
        try:
            return self._work.engine.age(step.job, self._work.tell)
        except InputError as error:
            raise RigError(
                f'"{self._turn.system}" could not be aged further: {error.what}',
                cause=error.cause,
                next=f"a system that nothing else is using, or larger storage; {error.next}",
            ) from error


def _require_aged(step: AgeFolder, result: AgeResult, turn: Turn) -> None:
    """What was aged is whole enough for the cells that follow; the record is stored already."""
    if step.needed_bytes is None or result.live_bytes >= step.needed_bytes:
        return
    error = max(result.errors, key=lambda each: each.count, default=None)
    limit = result.ended == "time_limit"
    raise RigError(
        f'ageing "{turn.system}" left {format_size(result.live_bytes)} of'
        f" {format_size(step.needed_bytes)}",
        details=tuple(
            f"{each.operation or 'syncfs'}: {each.text}, {each.count} times"
            for each in result.errors[:6]
        ),
        cause="it took longer than its time limit"
        if limit
        else (error.text if error else f"it ended early: {result.ended}"),
        next="faster or smaller storage"
        if limit
        else "larger storage, or a smaller workload.fill; dmesg | tail",
    )
