"""Clearing folders on a server: what the engine complains of, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.host.shares import clear_shares

FAILED = '{"event": "failed", "error": {"what": "the door is closed"}}'
STUCK = (
    '{"event": "result", "result": {"clients": {"errors":'
    ' [{"message": "not empty", "first_path": "//filer/s/d"}]}}}'
)


@pytest.mark.parametrize(
    ("last_line", "complaints"),
    [
        (FAILED, ["the door is closed"]),
        (STUCK, ["not empty: //filer/s/d"]),
        ("", ["the engine ended without a result"]),
        ('{"event": "result", "result": {"clients": {"errors": []}}}', []),
    ],
)
def test_what_several_jobs_complain_of_is_said_once(
    tmp_path: Path, last_line: str, complaints: list[str]
) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{last_line}\nEND\n")
    engine.chmod(0o700)
    assert clear_shares(str(engine), [{"phase": "clear"}, {"phase": "clear"}]) == complaints


def test_an_engine_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    (complaint,) = clear_shares(str(tmp_path / "gone"), [{}, {}])
    assert str(tmp_path / "gone") in complaint
