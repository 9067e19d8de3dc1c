"""Programs are bounded, speak English, and die with their parent."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.process import tool
from fsgauge.machine.process.processes import start_ticks


def test_what_it_says() -> None:
    said = tool.run_tool(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (said.exit_code, said.output, said.words) == (3, "out\n", "err")
    assert "C" in tool.run_tool(["sh", "-c", "echo $LC_ALL"]).output


def test_its_own_words_are_in_the_error() -> None:
    with pytest.raises(RigError) as error:
        tool.must_run(["sh", "-c", "echo the disk is on fire >&2; exit 1"], what="it failed")
    assert "the disk is on fire" in error.value.render()


def test_it_is_not_waited_for_without_end() -> None:
    begun = time.monotonic()
    with pytest.raises(RigError, match="did not end within"):
        tool.run_tool(["sleep", "60"], seconds=0.2)
    assert time.monotonic() - begun < 30


def test_limits_of_a_slow_machine_are_so_many_times_as_long() -> None:
    tool.stretch_limits(20.0)
    try:
        assert tool.stretched(60.0) == 1200.0
        assert tool.run_tool(["sleep", "0.3"], seconds=0.1).exit_code == 0
        with pytest.raises(tool.NotInTime, match="within 1 s"):
            tool.run_tool(["sleep", "60"], seconds=0.05)
    finally:
        tool.stretch_limits(1.0)


def test_a_missing_program() -> None:
    assert tool.find_tool("no-such-program") is None
    with pytest.raises(RigError, match="not installed"):
        tool.run_tool(["no-such-program"])


def test_it_dies_with_a_killed_parent(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    program = (
        "from fsgauge.machine.process.tool import run_tool\n"
        f"run_tool(['sh', '-c', 'echo $$ > {mark}; exec sleep 60'])\n"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as parent:
        deadline = time.monotonic() + 30
        while not (mark.exists() and mark.read_text().strip()) and time.monotonic() < deadline:
            time.sleep(0.02)
        child = int(mark.read_text())
        parent.kill()
    while start_ticks(child) is not None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert start_ticks(child) is None or _is_zombie(child)


def _is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
