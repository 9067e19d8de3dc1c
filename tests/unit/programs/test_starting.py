"""How every process of the lab is started: isolated, in `/`, told little, and ended if need be."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.errors import Interrupted
from fsgauge.programs import end_process, interpreter, isolated, run_to_end, start
from fsgauge.programs import starting as module
from fsgauge.programs.interruption import interruptible
from fsgauge.programs.starting import killed_with_parent, undisturbed

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


@pytest.fixture(autouse=True)
def _a_thread_of_a_library() -> Iterator[None]:
    """It blocks no signal, so the kernel gives it those that the main thread blocks."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_also_where_a_librarys_thread_takes_it(number: signal.Signals) -> None:
    """It was blocked in the main thread alone: another took it, and Interrupted was raised in the
    middle of undoing."""
    is_whole = False
    with interruptible(), pytest.raises(Interrupted):
        with undisturbed():
            os.kill(os.getpid(), number)
            for _ in range(10):  # Python looks for signals between instructions
                time.sleep(0.005)
            is_whole = True
        pytest.fail("it was forgotten")
    assert is_whole


def test_handlers_and_masks_are_as_before() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(ZeroDivisionError), undisturbed():
        raise ZeroDivisionError
    with undisturbed(), undisturbed():
        pass
    assert (
        signal.getsignal(signal.SIGTERM),
        signal.pthread_sigmask(signal.SIG_BLOCK, ()),
    ) == before


def test_a_ctrl_c_while_a_tool_is_started_is_not_lost() -> None:
    """Python drops what a handler raises while it prepares a fork: the study went on to its end."""
    script = """
import os, signal
from fsgauge.errors import Interrupted
from fsgauge.machine.process.tool import run_tool
from fsgauge.programs.interruption import interruptible

os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    with interruptible():
        run_tool(["true"])
except Interrupted:
    print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


PARENT = """
import subprocess, sys, time
from fsgauge.programs.starting import killed_with_parent
child = subprocess.Popen(["sleep", "60"], preexec_fn=killed_with_parent())
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_child_is_killed_with_its_parent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 5
    while _lives(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _lives(child)


def test_a_child_whose_parent_died_before_it_could_ask_ends_by_itself() -> None:
    """The kernel tells of deaths from then on, not of earlier ones."""
    arrange = killed_with_parent()
    child = os.fork()
    if child == 0:  # its child has this one for a parent, and not the one it was made for
        grandchild = os.fork()
        if grandchild == 0:
            arrange()
            os._exit(0)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def _lives(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
