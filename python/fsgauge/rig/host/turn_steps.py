"""What is done to a system between its runs: ageing, deletes, ballast; and scans of its layout.

A turn carries its steps out in the order of its cells; each is on disk before the next begins.
Where the study asks for it, the layout is scanned before the first run and after the last one, and
after ageing or a cell that makes files, of these. Caches are settled again before every run, so
what a scan read is not what the load finds in memory.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from fsgauge.engine.client import Engine, EngineFaultError
from fsgauge.engine.wire import AgeResult, EngineFault, ScanJob
from fsgauge.errors import InputError, RigError
from fsgauge.plan.turns import steps_for
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.rig.happenings import StepStarted, Tell
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.recording import When, require_aged, scan_record, step_record
from fsgauge.study.model import PathStorage, Study
from fsgauge.workload import method_of
from fsgauge.workload.method import WORST_FILES
from fsgauge.workload.steps import AgeFolder, Step

_NOT_TOLD = "scan.not_told"


@dataclass(frozen=True)
class Work:
    study: Study
    plan: Plan
    systems: HostSystems
    engine: Engine
    tell: Tell


@dataclass
class TurnSystem:
    work: Work
    turn: Turn
    prepared: PreparedSystem
    _step_number: int = 0

    def scan_layout(self, when: Literal["before", "after"]) -> None:
        """What cannot be scanned is recorded as that. A bare device has no layout."""
        if not self.work.study.workload.scan:
            return
        folder = self.work.systems.layout_folder(self.prepared)
        if folder is not None:
            self._scan(when, None, ScanJob(path=folder, top=WORST_FILES))

    def scan_cell(self, cell: Cell) -> None:
        """Sync, then scan and record what a cell has written, where its extents are counted. Where
        extents cannot be read (tmpfs, network file systems), the record says so and the study goes
        on."""
        method = method_of(self.work.study.workload)
        name = method.scanned_after(cell)
        folder = self.work.systems.layout_folder(self.prepared) if name else None
        if folder is not None:
            self._scan("after cell", cell, method.scan_job(f"{folder}/{name}", aged=False))

    def before(self, cell: Cell) -> None:
        """Everything that comes before a cell; RigError where what follows cannot be measured."""
        work, turn = self.work, self.turn
        for step in steps_for(work.study, work.plan, turn, cell, self.prepared.target):
            work.tell(StepStarted(turn, step.what))
            self._carry_out(step, cell)

    def _carry_out(self, step: Step, cell: Cell) -> None:
        work = self.work
        result, started_unix_ns, clock = None, time.time_ns(), time.monotonic_ns()
        if isinstance(step, AgeFolder):
            result = self._aged(step)
            size_bytes = result.live_bytes
        else:
            size_bytes = work.systems.wear(self.prepared, step)
        free_bytes = work.systems.free_bytes(self.prepared)
        record = step_record(
            *(self.turn, self._step_number, cell, step, result),
            size_bytes=size_bytes,
            free_bytes=free_bytes,
            started_unix_ns=started_unix_ns,
            elapsed_ns=time.monotonic_ns() - clock,
        )
        work.tell(record)
        self._step_number += 1
        if isinstance(step, AgeFolder) and result is not None:
            _require_aged(step, result, self.turn)
            work.systems.layout_folder(self.prepared)  # which syncs it
            job = method_of(work.study.workload).scan_job(step.job.directory, aged=True)
            self._scan("aged", None, job)

    def _aged(self, step: AgeFolder) -> AgeResult:
        """The engine's answer; what it refuses here was checked before, so the rig has changed."""
        try:
            return self.work.engine.age(step.job, self.work.tell)
        except InputError as error:
            raise RigError(
                f'"{self.turn.system}" could not be aged further: {error.what}',
                cause=error.cause,
                next=f"a system that nothing else is using, or larger storage; {error.next}",
            ) from error

    def _scan(self, when: When, cell: Cell | None, job: ScanJob) -> None:
        is_asked_for = when in ("before", "after")
        if not is_asked_for and isinstance(self.work.study.storage, PathStorage):
            # The file system has files of others as well: its free space is not this system's.
            job = job.model_copy(update={"space": False, "map_order": 0})
        result, fault, started_unix_ns = None, None, time.time_ns()
        try:
            result = self.work.engine.scan(job)
        except EngineFaultError as error:
            fault = error.fault
        except InputError as error:
            if is_asked_for:  # by the study: that it cannot be is its end
                raise
            fault = EngineFault(what=error.what, cause=error.cause, next=error.next, code=_NOT_TOLD)
        found = {"result": result, "fault": fault, "started_unix_ns": started_unix_ns}
        self.work.tell(scan_record(self.turn, when, cell, **found))


def _require_aged(step: AgeFolder, result: AgeResult, turn: Turn) -> None:
    errors = (
        f"{each.operation or 'syncfs'}: {each.text}, {each.count:,} times"
        for each in result.errors[:6]
    )
    if result.ended == "time_limit":
        cause, next_step = "it took longer than its time limit", "faster or smaller storage"
    else:
        most = max(result.errors, key=lambda each: each.count, default=None)
        cause = most.text if most else ""
        next_step = "larger storage, or a smaller workload.fill; dmesg | tail"
    require_aged(turn, step, result, errors, cause, next_step)
