"""Real runs before a real gate: equal builds, and builds with a loss of 10 % in one of two systems.

Two ext4 on loop devices in memory, each limited to a number of reads a second (the kernel's
blkio controller), as a volume that is sold by the operation is. Accepted and equal runs have the
same limit on both; in a planted one the second device has 90 % of it. Everything else is what a
user does: `fsgauge run`, `fsgauge gate accept`, `fsgauge gate check`, judged by the exit code.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from side_by_side import Failed

ACCEPTED = 8
CHECKED = 10
LIMIT_PER_S = 100
LOSS = 0.9
CONTROLLER = Path("/sys/fs/cgroup/blkio")
MEMORY = Path("/dev/shm")
STUDY = """format = 1
question = "Did this build make the second volume slower?"

[storage]
kind = "path"
path = "{first}"
size = "64 MiB"

[[system]]
name = "first"
kind = "mounted"
path = "{first}"

[[system]]
name = "second"
kind = "mounted"
path = "{second}"

[workload]
kind = "overhead"
patterns = ["randread"]
block_sizes = ["4 KiB"]
queue_depths = [32]
files = 4
fill = "100 %"
warm_up = "300 ms"
duration = "2 s"

[plan]
blocks = 6
side_by_side = "false"
equivalence_percent = "3 %"
"""


@dataclass(frozen=True)
class Volume:
    """An ext4 on a loop device in memory."""

    device: str
    folder: Path

    def limit(self, group: Path, per_second: int) -> None:
        """So many reads a second for the processes of the group."""
        number = Path("/sys/block", Path(self.device).name, "dev").read_text().strip()
        (group / "blkio.throttle.read_iops_device").write_text(f"{number} {per_second}\n")


@dataclass(frozen=True)
class Passed:
    """How often equal builds passed and planted losses failed, and all exit codes."""

    equal: list[int]
    planted: list[int]

    @property
    def passed(self) -> int:
        """Equal builds that passed."""
        return self.equal.count(0)

    @property
    def failed(self) -> int:
        """Builds with a loss that failed."""
        return self.planted.count(1)


def gate_of_real_runs() -> Passed:
    """Accept some runs, then check equal and planted ones in random order."""
    if os.geteuid() != 0 or not (CONTROLLER / "cgroup.procs").exists():
        raise Failed(
            "error: limited devices need root and the blkio controller of version 1,"
            f" which is not at {CONTROLLER}"
        )
    with ExitStack() as stack:
        made = tempfile.TemporaryDirectory(prefix="fsgauge-bench-gate-", dir=MEMORY)
        scratch = Path(stack.enter_context(made))
        group = stack.enter_context(_group())
        first, second = (
            stack.enter_context(_volume(scratch / f"{name}.img", scratch / name))
            for name in ("first", "second")
        )
        study = scratch / "gate.toml"
        study.write_text(STUDY.format(first=first.folder, second=second.folder))
        first.limit(group, LIMIT_PER_S)
        second.limit(group, LIMIT_PER_S)
        accepted = [_run(study, scratch / f"accepted-{n}", group) for n in range(ACCEPTED)]
        _gate(scratch, "accept", *map(str, accepted))
        found = Passed([], [])
        order = [False, True] * CHECKED
        random.shuffle(order)
        for number, loss in enumerate(order):
            second.limit(group, int(LIMIT_PER_S * LOSS) if loss else LIMIT_PER_S)
            run = _run(study, scratch / f"new-{number}", group)
            code = _gate(scratch, "check", str(run))
            (found.planted if loss else found.equal).append(code)
        return found


@contextmanager
def _group() -> Iterator[Path]:
    """A group of processes of our own."""
    group = CONTROLLER / f"fsgauge-bench-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        group.rmdir()


@contextmanager
def _volume(image: Path, folder: Path) -> Iterator[Volume]:
    """An ext4 in memory, mounted at the folder."""
    with image.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    folder.mkdir()
    attach = ["losetup", "--find", "--show", str(image)]
    device = subprocess.run(attach, check=True, capture_output=True, text=True).stdout.strip()
    try:
        subprocess.run(["mount", device, str(folder)], check=True)
        try:
            yield Volume(device, folder)
        finally:
            subprocess.run(["umount", str(folder)], check=True)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def _run(study: Path, results: Path, group: Path) -> Path:
    """The results folder of one run, whose processes belong to the group."""
    command = [sys.executable, "-m", "fsgauge", "run", str(study), "--results", str(results)]

    def join() -> None:
        (group / "cgroup.procs").write_text(f"{os.getpid()}\n")

    begin = time.monotonic()
    # The load is direct: emptying the machine's caches would slow others only.
    environment = {**os.environ, "FSGAUGE_KEEP_CACHES": "1"}
    with subprocess.Popen([*command, "--quiet"], env=environment, preexec_fn=join) as child:
        try:
            child.wait()
        except BaseException:
            child.send_signal(signal.SIGINT)  # it cleans up, and its engine lets go of the volumes
            child.wait()
            raise
    if child.returncode:
        raise Failed(f"fsgauge run ended with {child.returncode}")
    (made,) = results.iterdir()
    print(f"    {results.name}: {time.monotonic() - begin:.0f} s", flush=True)
    return made


def _gate(folder: Path, *words: str) -> int:
    """The exit code of the gate, whose first line is shown."""
    command = [sys.executable, "-m", "fsgauge", "gate", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    print(f"    gate {words[0]}: {said.splitlines()[0]} (exit {done.returncode})", flush=True)
    return done.returncode
