"""What undoes mounts and devices is not ended halfway."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.errors import Interrupted
from fsgauge.programs.interruption import interruptible
from fsgauge.programs.signals import killed_with_parent, undisturbed


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
from fsgauge.programs.signals import killed_with_parent
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
