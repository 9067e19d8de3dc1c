"""How every process of the lab is started: isolated, in `/`, told little, and ended if need be."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsgauge.programs import end_process, interpreter, isolated, run_to_end, start
from fsgauge.programs import starting as module

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="root changes to another user")
SELF = """
import json, os, sys
own = os.getpid()
print(json.dumps([os.getcwd(), sys.path, os.getpgid(0) == own, os.getsid(0) == own]))
"""


def said(*words: str) -> list[object]:
    done = run_to_end([*isolated(), "-c", SELF, *words], seconds=60)
    found: list[object] = json.loads(done.stdout)
    return found


def test_it_stands_in_the_root_folder_and_finds_nothing_of_the_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, places, has_group, has_session = said()
    assert folder == "/" and isinstance(places, list)
    assert not {"", "/", str(tmp_path)} & set(places)
    assert (has_group, has_session) == (True, False)


def test_root_and_an_isolated_parent_have_isolated_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert interpreter("fsgauge", "run") == [sys.executable, "-I", "-m", "fsgauge", "run"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert isolated() == [sys.executable, "-P"], "packages of a home folder are its user's own"


@pytest.mark.parametrize("name", ["./planted", "bin/planted", "planted"])
def test_a_program_is_never_looked_for_in_the_working_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path / "planted", tmp_path / "bin" / "planted"):
        place.parent.mkdir(exist_ok=True)
        place.write_text("#!/bin/sh\n")
        place.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:bin:{os.environ['PATH']}")
    with pytest.raises(FileNotFoundError):
        start([name])


def test_what_it_is_given_and_what_it_says() -> None:
    done = run_to_end(["cat"], b"words", seconds=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"words", b"")


def test_a_program_that_does_not_end_is_killed_with_its_children() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_to_end(["sh", "-c", "sleep 4711 & sleep 4711"], seconds=0.2)
    ends = time.monotonic() + 30
    while "sleep\x004711" in _commands() and time.monotonic() < ends:
        time.sleep(0.05)  # a killed child ends when the kernel gets to it
    assert "sleep\x004711" not in _commands()


def _commands() -> str:
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(each.read_text(errors="replace"))
        except OSError:
            continue
    return "\n".join(found)


def test_an_interruption_while_it_starts_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def interrupted(*words: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(real(*words, **options))  # type: ignore[call-overload]
        os.kill(os.getpid(), signal.SIGINT)
        return started[-1]

    monkeypatch.setattr(module.subprocess, "Popen", interrupted)
    # A shell that started the tests in its background had them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            start(["sleep", "300"])
            time.sleep(5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert started[0].poll() == -signal.SIGKILL


def test_a_child_can_arrange_itself_before_it_becomes_the_program() -> None:
    process = start(
        ["sh", "-c", "ulimit -n"],
        stdout=subprocess.PIPE,
        arrange=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (17, 17)),
        dies_with_us=True,
    )
    assert process.communicate(timeout=60) == (b"17\n", None)


@AS_ROOT
def test_another_user_has_no_group_and_no_capability_and_dies_with_us() -> None:
    process = start(
        ["sh", "-c", "cat /proc/self/status; id -G"],
        stdout=subprocess.PIPE,
        user_id=57_999,
        group_ids=[57_998],
        dies_with_us=True,
    )
    output, _ = process.communicate(timeout=60)
    lines = output.decode().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    assert status["Uid"].split() == ["57999"] * 4 and status["Gid"].split() == ["57999"] * 4
    assert status["CapEff"] == status["CapPrm"] == "0" * 16
    assert sorted(lines[-1].split()) == ["57998", "57999"]


@pytest.mark.parametrize("is_deaf", [False, True])
def test_one_that_does_not_end_with_its_input_is_killed(is_deaf: bool) -> None:
    code = "import sys, time; sys.stdin.read()" + "; time.sleep(600)" * is_deaf
    process = start([*isolated(), "-c", code], stdin=subprocess.PIPE)
    assert end_process(process, 1.0 if is_deaf else 60.0) is not is_deaf
    assert process.returncode == (-signal.SIGKILL if is_deaf else 0)
