"""Which QEMU there is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.machine.process.tool import Said
from fsgauge.rig.vm import qemu


def test_a_program_is_asked_once_and_another_in_its_place_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A list of studies started it for each study of virtual machines, 30 ms a start."""
    program, versions = tmp_path / qemu.PROGRAM, iter(("7.2.1", "8.0.0"))
    program.touch()
    monkeypatch.setattr(qemu, "find_tool", lambda _: str(program))
    monkeypatch.setattr(
        qemu, "run_tool", lambda words: Said(tuple(words), 0, f"version {next(versions)}", "")
    )
    assert [qemu.find_qemu().version for _ in range(3)] == ["7.2.1"] * 3
    os.utime(program, ns=(1, 1))
    assert qemu.find_qemu().version == "8.0.0"
