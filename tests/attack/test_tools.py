"""Programs that fsgauge starts, above all as root: which ones, with what, and for how long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsgauge import programs
from fsgauge.engine import process as engine_process
from fsgauge.engine.client import Engine
from fsgauge.errors import RigError
from fsgauge.machine.process import tool
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.programs import PASSWORD_VARIABLE, search_path
from fsgauge.study.access import PASSWORD_VARIABLE as OF_STUDIES
from tests.patience import patience

PACKAGES = str(Path(__file__).parents[2] / "python")


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


class TestTheWaitHasABound:
    """subprocess waits for a killed child without end: a umount in state D held all of fsgauge,
    with the signals that end a run blocked."""

    def test_a_tool_that_cannot_be_killed_is_given_up(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """State D cannot be planted, so the kill has no effect here, as it has none there."""
        killed: list[int] = []
        with monkeypatch.context() as patched, pytest.raises(RigError) as error:
            patched.setattr(os, "killpg", lambda group, _: killed.append(group))
            patched.setattr(tool, "_AFTER_KILL_SECONDS", 0.2)
            run_tool(["sleep", "300"], seconds=0.2)
        (pid,) = killed
        words = error.value.render()
        assert "sleep 300 did not end within 0 s" in words
        assert f"process {pid} was killed and is still there: state S (sleeping)" in words
        assert error.value.next
        assert [process.pid for process in tool._given_up] == [pid]
        os.killpg(pid, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while tool._given_up and time.monotonic() < deadline:
            run_tool(["true"])
        assert tool._given_up == []

    def test_a_child_that_keeps_the_pipe_open_is_ended_too(self) -> None:
        """The tool is gone, its child holds its output: that was waited for without end."""
        with pytest.raises(RigError, match="did not end within") as error:
            run_tool(["sh", "-c", "sleep 300 & echo $! >&2; exit 0"], seconds=0.3)
        assert error.value.details == ()

    def test_what_a_tool_prints_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tool, "_MOST_BYTES", 1 << 16)
        said = run_tool(["sh", "-c", "head -c 4000000 /dev/zero; echo done >&2"])
        assert len(said.output) <= 2 << 16 and said.error == "done\n" and said.exit_code == 0

    def test_an_interruption_ends_the_tool(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[int] = []

        def hear(process: subprocess.Popen[bytes], deadline: float) -> None:
            seen.append(process.pid)
            raise KeyboardInterrupt

        monkeypatch.setattr(tool, "_hear", hear)
        with pytest.raises(KeyboardInterrupt):
            run_tool(["sleep", "300"])
        assert not Path(f"/proc/{seen[0]}").exists()


class TestThePasswordIsTheEnginesAlone:
    def test_no_tool_has_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(PASSWORD_VARIABLE, "hunter2")
        assert "hunter2" not in run_tool(["env"]).output
        assert "hunter2" not in "".join(programs.child_environment().values())
        assert OF_STUDIES == PASSWORD_VARIABLE

    def test_every_child_but_the_engine_is_started_without_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What no one says anything about gets the environment without it."""
        monkeypatch.setenv(PASSWORD_VARIABLE, "hunter2")
        assert b"hunter2" not in programs.run_to_end(["env"], seconds=60).stdout
        given = programs.engine_environment()
        assert b"hunter2" in programs.run_to_end(["env"], seconds=60, environment=given).stdout
        engines = {
            path.relative_to(Path(PACKAGES, "fsgauge")).as_posix()
            for path in Path(PACKAGES, "fsgauge").rglob("*.py")
            if "=engine_environment()" in path.read_text()
        }
        assert engines == {"engine/client.py", "machine/folder/shares.py"}


@pytest.mark.skipif(os.geteuid() != 0, reason="root's search path is root's")
class TestRootsPrograms:
    def test_the_callers_path_does_not_come_first(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`su` keeps a user's PATH: a file called mkfs.ext4 in it ran as root."""
        program(tmp_path / "env", "echo taken over")
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        assert find_tool("env") in ("/usr/bin/env", "/bin/env")

    def test_a_folder_that_others_can_change_is_not_looked_into(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A tool that is not installed: then the planted one was found all the same."""
        planted = program(tmp_path / "theirs" / "mkfs.nowhere", "echo taken over")
        monkeypatch.setenv("PATH", f"{planted.parent}:/usr/bin")
        os.chown(planted.parent, 65534, 65534)
        assert find_tool("mkfs.nowhere") is None
        os.chown(planted.parent, 0, 0)
        planted.parent.chmod(0o777)
        assert find_tool("mkfs.nowhere") is None
        planted.parent.chmod(0o755)
        assert find_tool("mkfs.nowhere") == str(planted)

    def test_ones_own_tool_is_measured_when_it_is_asked_for(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        own = program(tmp_path / "env", "echo mine")
        monkeypatch.setenv("FSGAUGE_PATH", str(tmp_path))
        assert find_tool("env") == str(own)


def test_a_relative_folder_of_the_path_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "mkfs.nowhere", "echo taken over")
    monkeypatch.chdir(tmp_path)
    for path in (".", "", ":", "bin:.", "./"):
        monkeypatch.setenv("PATH", f"{path}:/usr/bin")
        monkeypatch.setenv("FSGAUGE_PATH", path)
        assert find_tool("mkfs.nowhere") is None
        assert all(Path(folder).is_absolute() for folder in search_path().split(":"))


def test_an_ordinary_users_own_tools_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(tmp_path / "env", "echo mine")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin")
    assert find_tool("env") == str(own)
    assert "/usr/sbin" in search_path().split(":")


@pytest.mark.parametrize("how", [["-c"], ["-m", "planted"], ["-"]])
def test_the_engine_is_not_looked_for_in_the_working_folder(tmp_path: Path, how: list[str]) -> None:
    """`python -c` has "-c" for its name, whose folder is the one that a person stands in."""
    program(tmp_path / "fsgauge-engine", "echo taken over")
    program(tmp_path / "-c", "")
    script = "from fsgauge.programs.finding import _places; print([str(p) for p in _places()])"
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "__main__.py").write_text(script)
    environment = {key: value for key, value in os.environ.items() if key != "FSGAUGE_ENGINE"}
    done = subprocess.run(
        [sys.executable, *how, *([script] if how == ["-c"] else [])],
        input=script,
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": PACKAGES, "PATH": ".:/usr/bin"},
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=True,
    )
    assert str(tmp_path / "fsgauge-engine") not in done.stdout


class TestTheEnginesOutput:
    def test_a_line_without_end_is_an_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It was gathered until memory was full: MemoryError, "fsgauge itself failed"."""
        from fsgauge.engine.wire import ProbeJob

        monkeypatch.setattr(engine_process, "_LONGEST_LINE_BYTES", 1 << 20)
        babbler = program(tmp_path / "fsgauge-engine", "cat /dev/zero")
        with pytest.raises(RigError, match="a line of more than 1 MiB") as error:
            Engine(babbler).probe(ProbeJob(directory="/tmp"))
        assert error.value.cause and error.value.next

    def test_a_long_line_costs_no_more_than_its_length(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every piece was joined to all before it: a result of 100 MB took minutes.

        The same bytes as one line and as many, in small pieces: both are gathered once.
        """

        def seconds(piece: bytes) -> float:
            limit = engine_process.TimeLimit(600.0)
            pieces = iter([piece] * 8192 + [b"\n", b""])
            monkeypatch.setattr(os, "read", lambda *_: next(pieces))
            with Path("/dev/null").open("rb") as stream, monkeypatch.context() as patch:
                patch.setattr(engine_process.selectors, "DefaultSelector", Ready)
                begun = time.process_time()
                total = sum(len(line) for line in engine_process.lines(stream, limit))
            assert total == 8192 * (len(piece) - piece.count(b"\n"))
            return time.process_time() - begun

        many = min(seconds(b"x" * 1023 + b"\n") for _ in range(3))
        one = min(seconds(b"x" * 1024) for _ in range(3))
        assert one < 10 * many


class Ready:
    """A selector for which there is always something to read."""

    def __enter__(self) -> Ready:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def register(self, *_: object) -> None:
        return None

    def select(self, _: float) -> list[int]:
        return [1]
