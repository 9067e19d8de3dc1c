"""Studies of any kind, spoiled: data that is lost, and a baseline that differs from itself.

Each function takes a synthetic study and gives it back with one thing planted in its run records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from fsgauge.engine.wire import BadRecord, ClientError, ClientErrorKind, EngineFault
from fsgauge.record.records import RunRecord
from tests.synthetic import SyntheticStudy
from tests.synthetic.setting import with_result
from tests.synthetic_writers import broken

Made = TypeVar("Made", bound=SyntheticStudy)
LATER = 1.4
"""How much longer the baseline's later turn takes of a block."""


def noisy(made: Made) -> Made:
    """With a baseline whose later turn of a block is far slower than its earlier one."""
    plan = made.study.plan
    later: dict[int, int] = {}
    for turn in plan.turns:
        if turn.system == plan.baseline and not turn.over_path:
            later[turn.block] = max(turn.turn, later.get(turn.block, 0))

    def slower(run: RunRecord) -> RunRecord:
        if run.result is None or later.get(run.block) != run.turn:
            return run
        elapsed_ns = round(run.result.elapsed_ns * LATER)
        return with_result(run, run.result.model_copy(update={"elapsed_ns": elapsed_ns}))

    return _changed(made, slower, lambda run: True)


def with_wrong_blocks(made: Made, system: str) -> Made:
    """With one run of a system whose blocks, read back, were not as written."""

    def spoil(run: RunRecord) -> RunRecord:
        assert run.result is not None
        found = run.result.model_copy(update={"integrity": broken(torn=2, lost=1)})
        return with_result(run, found)

    return _once(made, system, spoil)


def with_bad_records(made: Made, system: str) -> Made:
    """With one run of a system in which clients read records that were not as written."""
    bad = BadRecord(path="c00003/c00003-f000001", offset_bytes=4096, first_byte=4100)
    return _clients(made, system, {"checked_records": 900, "bad_records": 2, "bad": [bad]})


def with_lost_files(made: Made, system: str, kind: ClientErrorKind = "missing") -> Made:
    """With one run of a system in which a file that was written whole is gone or too short."""
    message = "No such file or directory (os error 2)"
    return _clients(made, system, {"errors": [_error(kind, message)]})


def with_damage(made: Made, system: str) -> Made:
    """With one run of a system that failed because the file system found itself damaged."""
    what = "read of 4096 B at 1048576 failed: Structure needs cleaning"
    fault = EngineFault(what=what, cause="", next="dmesg | tail", errno=117, code="io.failed")
    return _once(made, system, lambda run: with_result(run, None, fault))


def with_other_bytes(made: Made, system: str) -> Made:
    """With one run of a system whose load compared what it read, and ended there."""
    what = "read of 4096 bytes at offset 0 of /x gave other bytes than were written there"
    fault = EngineFault(what=what, cause="", next="dmesg | tail", errno=None, code="io.differs")
    return _once(made, system, lambda run: with_result(run, None, fault))


def with_damage_met_by_clients(made: Made, system: str) -> Made:
    """With one run of a system in which a client was told that the file system is damaged."""
    return _clients(
        made, system, {"errors": [_error("io", "Structure needs cleaning (os error 117)")]}
    )


def _error(kind: ClientErrorKind, message: str) -> ClientError:
    return ClientError(
        operation="open", kind=kind, count=1, first_path="c00003/c00003-f000001", message=message
    )


def _clients(made: Made, system: str, update: dict[str, Any]) -> Made:
    def spoil(run: RunRecord) -> RunRecord:
        assert run.result is not None and run.result.clients is not None
        clients = run.result.clients.model_copy(update=update)
        return with_result(run, run.result.model_copy(update={"clients": clients}))

    return _once(made, system, spoil)


def _once(made: Made, system: str, spoil: Callable[[RunRecord], RunRecord]) -> Made:
    """The last run of a system is changed, of the last block: late, and one of many."""
    last = max(
        (run for run in made.runs if run.system == system and run.result is not None),
        key=lambda run: (run.block, run.turn, run.position),
    )
    return _changed(made, spoil, lambda run: run is last)


def _changed(
    made: Made,
    change: Callable[[RunRecord], RunRecord],
    chosen: Callable[[RunRecord], bool],
) -> Made:
    return replace(made, runs=[change(run) if chosen(run) else run for run in made.runs])
