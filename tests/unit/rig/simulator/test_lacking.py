"""A simulated log that a full device refused in part: the terminal says so, not the page alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.execution import execute
from fsgauge.plain_files import read_plain
from fsgauge.rig.registry import rig_named
from tests.unit.rig.simulator.windows import windows


def test_the_answer_and_the_warnings_say_that_a_tree_lacks_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """4039 operations had failed, and the terminal showed an answer like any other."""
    study = windows("1 GiB", "95 %", "read", 3215785145426436)
    rig = rig_named("simulator")
    ended = execute(study, rig=rig, results=tmp_path, destroy=None, style="lines")
    assert ended.code == 0
    said = capsys.readouterr()
    assert "No answer for large: operations of ageing failed, and the aged tree holds" in said.out
    assert "warning: While trees were made, 4,039 operations failed, in 2 of 12 trees" in said.err
    assert "1 more warning in the report\n" in said.err
    [page] = tmp_path.rglob("report.html")
    assert "4,039 operations of ageing failed" in page.read_text()
    assert b"dmesg" not in read_plain(page.with_name("report.json"))


def test_a_quiet_run_prints_its_last_two_lines_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = windows("1 GiB", "95 %", "read", 3215785145426436)
    rig = rig_named("simulator")
    ended = execute(study, rig=rig, results=tmp_path, destroy=None, style="quiet")
    assert ended.code == 0
    assert capsys.readouterr().err == ""
