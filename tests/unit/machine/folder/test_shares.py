"""Clearing folders on a server: what the engine complains of, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.folder.shares import clear_shares

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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_line: str, complaints: list[str]
) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{last_line}\nEND\n")
    engine.chmod(0o700)
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine))
    assert clear_shares([{"phase": "clear"}, {"phase": "clear"}]) == complaints


def test_an_engine_that_cannot_be_started_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "engine"
    engine.write_text("no program")
    engine.chmod(0o700)
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine))
    (complaint,) = clear_shares([{}, {}])
    assert str(engine) in complaint


def test_an_engine_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSGAUGE_ENGINE", str(tmp_path / "gone"))
    with pytest.raises(RigError, match="not installed"):
        clear_shares([{}])
