"""fsgauge on the virtual rig, as tests run it: the command, a guest, the machines that are up."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from fsgauge.machine.process.processes import processes
from tests.commands import interpreted as fsgauge
from tests.needs import need, need_tool

SIZE = os.environ.get("FSGAUGE_TEST_RIG", "")
"""How much of the rig is tried: "1" all of it (make test-rig), hours where it is emulated; "small"
something of each file (make test-vm); else one study over nodes alone, as in CI."""
WHOLE = SIZE == "1"
COMMAND = [sys.executable, "-m", "fsgauge"]
SMALL = [
    *("--storage", "loop:320MiB", "--seed", "1", "--yes"),
    *("--set", 'workload.patterns=["randread"]', "--set", "workload.queue_depths=[8]"),
    *("--set", "workload.duration=1s", "--set", "workload.warm_up=100ms"),
    *("--set", "workload.files=2", "--set", "plan.blocks=2"),
]


def need_guest() -> None:
    """A guest, built if there is none: a minute, and 150 MB from the archive, once a machine."""
    need_tool("qemu-system-x86_64", "qemu-system-x86")
    need_tool("dpkg-deb", "dpkg")
    done = fsgauge("rig", "build")
    if done.returncode:
        need(f"packages of the archive: {done.stderr.splitlines()[-3:]}")


def machines(place: Path) -> list[int]:
    """QEMUs with an open file below `place`."""
    found = [each.pid for each in processes() if each.name.startswith("qemu-system")]
    return [pid for pid in found if any(str(place) in each for each in _open_files(pid))]


def _open_files(pid: int) -> list[str]:
    found = []
    with suppress(OSError):
        for each in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.append(str(each.readlink()))
    return found
