"""A scan for tests: what the fake engine answers, with changes."""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

from fsgauge.engine.wire import EngineFault, ScanJob, ScanResult
from fsgauge.record.records import ScanRecord, Turn
from tests.cli import fake_engine


def changed(
    *, source: dict[str, Any] | None = None, free: dict[str, Any] | None = None
) -> ScanResult:
    """The fake engine's scan with other keys in its source or its free space."""
    scan = example()
    assert scan.free is not None
    return scan.model_copy(
        update={
            "source": scan.source.model_copy(update=source or {}),
            "free": scan.free.model_copy(update=free or {}),
        }
    )


def example(*, path: str = "/fake", map_order: int = 3, **changes: Any) -> ScanResult:
    """The fake engine's scan; `changes` replace keys of the result, or of its `counts`."""
    job = ScanJob(path=path, top=3, map_order=map_order).model_dump(mode="json")
    with mock.patch.dict(os.environ, {"FSGAUGE_FAKE_ENGINE_MODE": ""}):
        answer: dict[str, Any] = fake_engine.scan(job)
    answer |= {"format": 1, "kind": "scan", "engine": fake_engine.ENGINE, "notes": []}
    for key, value in changes.items():
        if key in answer["counts"]:
            answer["counts"][key] = value
        else:
            answer[key] = value
    return ScanResult.model_validate(answer)


def scan_record(turn: Turn, cell: str | None, result: ScanResult, *, failed: bool) -> ScanRecord:
    """The scan after a cell, or after ageing; without its result where it failed."""
    fault = EngineFault(what="FIEMAP is not known there", cause="", next="ls", code="scan.fiemap")
    return ScanRecord(
        block=turn.block,
        turn=turn.turn,
        system=turn.system,
        again=turn.again,
        when="after cell" if cell else "aged",
        cell=cell,
        result=None if failed else result,
        fault=fault if failed else None,
        started_unix_ns=0,
    )
