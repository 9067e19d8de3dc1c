"""The virtual rig with real machines: measured on, killed, panicking. No test needs root.

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
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.progress import Progress
from fsgauge.report.write import write_report
from fsgauge.rig.vm.messages import Order
from fsgauge.rig.vm.rig import VmRig
from fsgauge.rig.vm.session import VmSession
from fsgauge.run import run_study
from fsgauge.stats.curve.model import CurveResults
from fsgauge.stats.read import read_stored
from fsgauge.store import read_results
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.rigs.virtual import COMMAND, SMALL, fsgauge, machines

pytestmark = pytest.mark.usefixtures("guest")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Path]:
    """A folder for disks that must be empty in the end."""
    (tmp_path / "disks").mkdir()
    yield tmp_path
    assert machines(tmp_path) == []
    assert list((tmp_path / "disks").iterdir()) == []


@pytest.mark.long
def test_a_program_of_the_guest_is_timed_in_it(scene: Path) -> None:
    """And one that only this machine has is refused before a machine is started."""
    common = (
        *("run", "command", "--rig", "vm", "--system", "ext4", "--system", "xfs", "--yes"),
        *("--storage", "loop:320MiB", "--set", f"storage.directory={scene / 'disks'}"),
        *("--set", "plan.blocks=2", "--seed", "1", "--results", str(scene / "results")),
    )
    copying = (
        "--prepare",
        "seq 1 20000 > numbers",
        "--",
        "sh",
        "-c",
        "sort -r numbers > out; sync",
    )
    done = fsgauge(*common, *copying)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (scene / "results").iterdir()
    stored = read_results(folder)
    assert stored.study.rig == "vm" and len(stored.runs) == 6
    for run in stored.runs:
        assert run.fault is None and run.command is not None and run.result is not None
        assert run.command.exit_code == 0 and run.result.elapsed_ns > 0
        assert run.command.found is not None and run.command.found.files == 1
    refused = fsgauge(*common, "--", "pgbench")
    assert refused.returncode == 2
    assert "there is no pgbench in the virtual machine" in refused.stderr


@pytest.mark.long
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
    machine, below = stored.before.machines
    assert below.role == "host" and below.storage is None
    assert machine.virtual_machine is not None and "QEMU" in machine.virtual_machine
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "inside a virtual machine (QEMU" in page
    assert "limited to 200 IOPS" in page


@pytest.mark.long
def test_a_load_curve_is_searched_on_a_disk_whose_limit_is_known(scene: Path) -> None:
    """Each block's rates are decided here, from what the guest measured in the blocks before."""
    done = fsgauge(
        *("run", "capacity", "--rig", "vm", "--system", "ext4", "--system", "xfs", *SMALL),
        *("--set", f"storage.directory={scene / 'disks'}", "--set", "storage.iops=300 IOPS"),
        *("--set", "plan.quantile=p50", "--set", "plan.latency_limit=100 ms"),
        *("--results", str(scene / "results")),
    )
    assert done.returncode in (0, 4, 5), done.stdout + done.stderr
    (folder,) = (scene / "results").iterdir()
    stored = read_results(folder)
    assert stored.study.rig == "vm" and all(run.fault is None for run in stored.runs)
    assert {run.block for run in stored.runs if run.cell.pace is None} == {0}
    rates = {run.cell.pace.rate for run in stored.runs if run.cell.pace and run.block == 2}
    assert len(rates) > 10 and all(rates)
    found = CurveResults.of(read_stored(stored))
    assert found is not None
    for each in found.capacities:
        rate = each.number.value if each.number is not None else each.bound
        assert rate is not None and 30 < rate < 400, each


RACE = """\
format = 1
question = "Does noatime matter?"
[storage]
kind = "loop"
size = "64 MiB"
directory = "{disks}"
[[system]]
name = "ext4"
vary = {{ "mount.noatime" = [false, true], "mkfs.-I" = ["default", 100] }}
[workload]
patterns = ["randread"]
block_sizes = ["4 KiB"]
queue_depths = [8]
duration = "1 s"
warm_up = "100 ms"
files = 2
[plan]
mode = "race"
blocks = 3
confirm = 3
seed = 1
"""


@pytest.mark.long
def test_a_race_in_a_machine_goes_from_its_plan_to_the_lines_to_copy(scene: Path) -> None:
    """What mkfs refuses in the guest leaves before the start, as on a host."""
    (scene / "race.toml").write_text(RACE.format(disks=scene / "disks"))
    words = ("choose", "race.toml", "--rig", "vm", "--yes")
    planned = fsgauge(*words, "--plan", cwd=scene)
    assert planned.returncode == 0, planned.stderr
    assert "ext4 the baseline; " in planned.stdout and "2 % better" in planned.stdout
    done = fsgauge(*words, cwd=scene)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed    ext4 (-I 100) and 1 more: " in done.stderr
    (folder,) = (scene / "results").iterdir()
    stored = read_results(folder)
    plan = stored.study.plan
    assert stored.study.rig == "vm" and plan.systems == ["ext4", "ext4 (noatime)"]
    assert all(run.fault is None for run in stored.runs)
    assert {run.block for run in stored.runs} >= {0, 1, 2, 3}
    assert "mkfs.ext4 /dev/DEVICE" in done.stdout


@pytest.mark.long
def test_raw_and_ext4_are_measured_on_one_stripe_of_eight_columns(scene: Path) -> None:
    """The published storage of flash: what a file system takes away from such a volume."""
    on = [f"--set=system.{name}.rig.volume=stripe8" for name in ("raw", "ext4")]
    done = fsgauge(
        *("run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL, *on),
        *("--set", f"storage.directory={scene / 'disks'}", "--results", str(scene / "results")),
    )
    assert done.returncode in (0, 4, 5), done.stdout + done.stderr
    (folder,) = (scene / "results").iterdir()
    stored = read_results(folder)
    assert len(stored.runs) == 6 and all(run.fault is None for run in stored.runs)
    assert {turn.facts.details["set up"] for turn in stored.turns} == {
        f"{name} on a stripe of 8 columns of 1 MiB" for name in ("raw", "ext4")
    }


@pytest.mark.long
def test_a_machine_that_is_killed_makes_its_block_void_and_the_study_goes_on(scene: Path) -> None:
    code, said = run_and_kill_qemu(scene)
    assert code == 0, said
    assert said.count("node1 is up after") == 2
    assert "the machine node1" in said
    (folder,) = (scene / "results").iterdir()
    stored = read_results(folder)
    assert len(stored.runs) == 6
    (lost,) = stored.lost
    assert (lost.block, lost.again) == (0, True) and "QEMU's exit code is -9" in lost.because


@pytest.mark.long
def test_a_kernel_that_panics_is_a_finding_with_the_last_lines_of_its_console(scene: Path) -> None:
    systems = ["ext4"]
    overrides = [each for each in SMALL[SMALL.index("--set") :] if each != "--set"]
    overrides += [f"storage.directory={scene / 'disks'}", "workload.duration=8s"]
    study = load_study("overhead", overrides, systems, "loop:320MiB", 1)
    outcome = run_study(
        study,
        rig=Panicking(),
        results=scene / "results",
        destroy=None,
        command=["fsgauge", "run", "overhead"],
        progress=Progress(),
    )
    assert outcome.ended_by is None
    stored = read_results(outcome.directory)
    assert len(stored.runs) == 6 and all(run.fault is None for run in stored.runs)
    (lost,) = stored.lost
    assert "has ended: QEMU's exit code is 0" in lost.because and lost.during != ""
    panic = "Kernel panic - not syncing: sysrq triggered crash"
    assert panic in lost.lines[0]
    page = write_report(outcome.directory).read_text(encoding="utf-8")
    assert panic in page and "The block was measured again." in page


@pytest.mark.long
def test_a_machine_is_in_a_sandbox_reaches_no_name_and_dies_with_us(scene: Path) -> None:
    """Looked at from outside, before the guest is up; root's machines are nobody's else."""
    words = ["run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL]
    words += ["--set", f"storage.directory={scene / 'disks'}", "--results", str(scene / "results")]
    with subprocess.Popen([*COMMAND, *words], stderr=subprocess.DEVNULL) as process:
        try:
            pid = machine_of(process, scene)
            status = dict(
                line.split(":\t", 1)
                for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            )
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        finally:
            process.kill()
    assert status["Seccomp"].strip() == "2" and status["NoNewPrivs"].strip() == "1"
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
    users = {int(number) for number in status["Uid"].split()}
    if os.geteuid() == 0:
        (user,) = users
        assert 50_000 <= user <= 58_000
        assert "0" not in status["Groups"].split()
    else:
        assert users == {os.geteuid()}
    assert not [word for word in words[1:] if str(scene) in word or "squashfs" in word]
    deadline = time.monotonic() + 20
    while machines(scene) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert machines(scene) == []
    assert fsgauge("plan", "demo").returncode == 0  # and the disks are removed


def machine_of(process: subprocess.Popen[bytes], scene: Path) -> int:
    """The one that it starts, once QEMU has entered its sandbox."""
    while process.poll() is None:
        for pid in machines(scene):
            if "Seccomp:\t2" in Path(f"/proc/{pid}/status").read_text():
                return pid
        time.sleep(0.1)
    raise AssertionError("it ended without a machine")


@pytest.mark.long
def test_a_prompt_is_typed_at_and_turned_off() -> None:
    done = fsgauge("rig", "shell", input="echo $((6 * 7)) of $(uname -s)\n")
    assert done.returncode == 0, done.stderr
    assert "42 of Linux" in done.stdout


class Panicking(VmRig):
    """Its first machine panics while it measures."""

    @contextmanager
    def opened(self, study: Study) -> Iterator[VmSession]:
        with super().opened(study) as session:
            words = {
                "text": "(sleep 15; echo c > /proc/sysrq-trigger) > /dev/null 2>&1 &",
                "environment": {},
                "seconds": 30.0,
            }
            session._group(None).tell_one(0, Order(do="run", words=words), 60.0)
            yield session


def run_and_kill_qemu(scene: Path) -> tuple[int, str]:
    """Run a study, and kill its machine once it has begun; gives exit code and words."""
    words = ["run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL, "--json"]
    words += ["--set", f"storage.directory={scene / 'disks'}", "--set", "workload.duration=5s"]
    words += ["--results", str(scene / "results")]
    said = scene / "said"
    with said.open("w") as errors:
        process = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    struck = False
    try:
        for line in process.stdout:
            if not struck and json.loads(line).get("event") == "study_started":
                struck = True
                for pid in machines(scene):
                    os.kill(pid, signal.SIGKILL)
        return process.wait(500), said.read_text()
    finally:
        process.kill()
        process.wait(60)
