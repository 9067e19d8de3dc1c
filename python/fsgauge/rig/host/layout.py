"""The layout of a turn's system, scanned and recorded where the study asks for it.

Before the first run and after the last one, and after ageing or a cell that makes files, of these;
caches are settled again before every run, so what the scan read is not what the load finds in
memory.
"""

from __future__ import annotations

import time
from typing import Literal

from fsgauge.engine.client import EngineFaultError
from fsgauge.engine.wire import EngineFault, ScanJob
from fsgauge.errors import InputError
from fsgauge.record.records import Cell, ScanRecord, Turn
from fsgauge.rig.host.prepared import PreparedSystem
from fsgauge.rig.host.work import Work
from fsgauge.study.model import PathStorage
from fsgauge.workload import method_of
from fsgauge.workload.method import WORST_FILES

_NOT_TOLD = "scan.not_told"


def scan_layout(
    work: Work, turn: Turn, prepared: PreparedSystem, when: Literal["before", "after"]
) -> None:
    """Scan and record; what cannot be scanned is recorded as that. A bare device has no layout."""
    if not work.study.workload.scan:
        return
    folder = work.systems.layout_folder(prepared)
    if folder is not None:
        _record(work, turn, when, None, ScanJob(path=folder, top=WORST_FILES))


def scan_cell(work: Work, turn: Turn, prepared: PreparedSystem, cell: Cell) -> None:
    """Sync, then scan and record what a cell has written, where its extents are counted.

    Where nobody knows extents (tmpfs, a network), the record says so and the study goes on.
    """
    name = method_of(work.study.workload).scanned_after(cell)
    folder = work.systems.layout_folder(prepared) if name else None
    if folder is not None:
        job = method_of(work.study.workload).scan_job(f"{folder}/{name}", aged=False)
        _record(work, turn, "after cell", cell, _in_folders(work, job))


def scan_aged(work: Work, turn: Turn, prepared: PreparedSystem, directory: str) -> None:
    """Sync, then scan and record what ageing has left; a scan that fails is recorded as that.

    Without the free space where the system is a folder: that is the work of all who use it.
    """
    work.systems.layout_folder(prepared)
    job = method_of(work.study.workload).scan_job(directory, aged=True)
    _record(work, turn, "aged", None, _in_folders(work, job))


def _in_folders(work: Work, job: ScanJob) -> ScanJob:
    """Files alone where the file system has those of others as well."""
    if isinstance(work.study.storage, PathStorage):
        return job.model_copy(update={"space": False, "map_order": 0})
    return job


def _record(
    work: Work,
    turn: Turn,
    when: Literal["before", "after", "after cell", "aged"],
    cell: Cell | None,
    job: ScanJob,
) -> None:
    result, fault, started_unix_ns = None, None, time.time_ns()
    try:
        result = work.engine.scan(job)
    except EngineFaultError as error:
        fault = error.fault
    except InputError as error:
        if when in ("before", "after"):  # the study asked: that it cannot be is its end
            raise
        fault = EngineFault(what=error.what, cause=error.cause, next=error.next, code=_NOT_TOLD)
    work.tell(
        ScanRecord(
            block=turn.block,
            turn=turn.turn,
            system=turn.system,
            again=turn.again,
            when=when,
            cell=cell.id if cell else None,
            result=result,
            fault=fault,
            started_unix_ns=started_unix_ns,
        )
    )
