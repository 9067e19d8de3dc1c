"""The virtual rig with real machines: built, tried, measured on, killed. No test needs root.

Each machine is emulated where KVM does not work, and takes ten seconds to be up: this is slow for
what it does, and so there are few tests, each of several things.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.store import read_results
from tests.rigs.virtual import COMMAND, SMALL, fsgauge, machines

pytestmark = pytest.mark.usefixtures("guest")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Path]:
    """A folder for disks that must be empty in the end."""
    (tmp_path / "disks").mkdir()
    yield tmp_path
    assert machines(tmp_path) == []
    assert list((tmp_path / "disks").iterdir()) == []


def test_a_file_system_is_made_mounted_and_filled_in_the_guest() -> None:
    """All systems are tried in test_vm_systems.py."""
    done = fsgauge("rig", "test", "f2fs")
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith("f2fs  made, mounted and filled, in ")


def test_a_study_is_measured_and_its_page_says_what_was_emulated(scene: Path) -> None:
    done = fsgauge(
        *("run", "overhead", "--rig", "vm", "--system", "nilfs2", *SMALL),
        *("--set", f"storage.directory={scene / 'disks'}", "--set", "storage.iops=200 IOPS"),
        *("--results", str(scene / "results")),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (scene / "results").iterdir()
    stored = read_results(folder)
    assert stored.study.rig == "vm" and stored.study.plan.side_by_side
    assert len(stored.runs) == 6 and all(run.fault is None for run in stored.runs)
    for run in stored.runs:
        result = run.parts[0].slices[0].result
        assert result.read is not None
        rate = result.read.operations / (result.elapsed_ns / 1e9)
        assert 0 < rate < 260, "a disk of 200 IOPS"
    assert {turn.facts.kind for turn in stored.turns} == {"raw", "nilfs2"}
    machine, below = stored.environment_before.machines
    assert below.role == "host" and below.storage is None
    assert machine.virtual_machine is not None and "QEMU" in machine.virtual_machine
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "inside a virtual machine (QEMU" in page
    assert "limited to 200 IOPS" in page


@pytest.mark.skipif(os.environ.get("FSGAUGE_TEST_RIG") != "1", reason="a minute: make test-rig")
def test_a_machine_that_dies_makes_its_block_void_and_the_study_goes_on(scene: Path) -> None:
    done, said = run_and_strike(scene, signal.SIGKILL, of_qemu=True)
    assert done == 0, said
    assert said.count("node1 is up after") == 2
    assert "the machine node1" in said
    (folder,) = (scene / "results").iterdir()
    assert len(read_results(folder).runs) == 6


def test_nothing_outlives_a_killed_fsgauge(scene: Path) -> None:
    code, said = run_and_strike(scene, signal.SIGKILL, of_qemu=False)
    assert code == -signal.SIGKILL, said
    ends = time.monotonic() + 60
    while machines(scene) and time.monotonic() < ends:
        time.sleep(0.05)
    assert machines(scene) == []
    assert list((scene / "disks").iterdir()) != []
    assert "left by an earlier run" in fsgauge("rig", "list").stderr


def test_a_prompt_is_typed_at_and_turned_off() -> None:
    done = fsgauge("rig", "shell", input="echo $((6 * 7)) of $(uname -s)\n")
    assert done.returncode == 0, done.stderr
    assert "42 of Linux" in done.stdout


def run_and_strike(scene: Path, number: int, *, of_qemu: bool) -> tuple[int, str]:
    """Run a study, and send a signal once it has begun; gives exit code and words."""
    words = ["run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL, "--json"]
    words += ["--set", f"storage.directory={scene / 'disks'}", "--set", "workload.duration=5s"]
    words += ["--results", str(scene / "results")]
    said = scene / "said"
    with said.open("w") as errors:
        process = subprocess.Popen(
            [*COMMAND, *words],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "FSGAUGE_VM_ACCELERATOR": "tcg"},
        )
    assert process.stdout is not None
    struck = False
    try:
        for line in process.stdout:
            if not struck and json.loads(line).get("event") == "study_started":
                struck = True
                for pid in machines(scene) if of_qemu else [process.pid]:
                    os.kill(pid, number)
        return process.wait(500), said.read_text()
    finally:
        process.kill()
        process.wait(60)
