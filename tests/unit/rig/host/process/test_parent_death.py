"""A child dies with whoever began it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from fsgauge.rig.host.process.parent_death import killed_with_parent

PARENT = """
import subprocess, sys, time
from fsgauge.rig.host.process.parent_death import killed_with_parent
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
