"""Several virtual machines that measure together. No test needs root.

Emulated, two machines are up in half a minute on a busy host, so there are few tests, each of
several things.
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

from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.recipe import tables
from fsgauge.rig.vm.rig import VmRig
from fsgauge.store import read_results
from fsgauge.study.parse import load_study
from tests.rigs.virtual import COMMAND, fsgauge, machines

pytestmark = pytest.mark.usefixtures("guest")
SMALL = [
    *("--storage", "loop:320MiB", "--seed", "1", "--yes", "--baseline", "gfs2"),
    *("--system", "gfs2", "--set", "rig.nodes=2"),
    *("--set", 'workload.patterns=["randread"]', "--set", "workload.queue_depths=[8]"),
    *("--set", "workload.duration=1s", "--set", "workload.warm_up=100ms"),
    *("--set", "workload.files=2", "--set", "plan.blocks=2"),
]
SENT = "cat /sys/class/net/eth0/statistics/tx_packets"


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[Path]:
    """A folder that must be empty in the end, with no QEMU that has a file in it."""
    folder = tmp_path / "disks"
    folder.mkdir()
    yield folder
    assert machines(folder) == []
    assert list(folder.iterdir()) == []


@pytest.mark.long
def test_two_nodes_measure_together_on_one_disk(disks: Path, tmp_path: Path) -> None:
    """GFS2 with its cluster: what a study takes that the hosts of a fleet do not have."""
    done = fsgauge(
        *("run", "overhead", "--rig", "vm", *SMALL, "--set", f"storage.directory={disks}"),
        *("--set", "storage.iops=200 IOPS", "--results", str(tmp_path / "results")),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (tmp_path / "results").iterdir()
    stored = read_results(folder)
    roles = [(each.name, each.role) for each in stored.before.machines]
    assert roles[:2] == [("node1", "load"), ("node2", "load 2")]
    assert roles[2][1] == "host"
    runs = [run for run in stored.runs if run.fault is None]  # a busy host may miss a start
    assert len(stored.runs) == 4 and len(runs) >= 2
    for run in runs:
        assert [part.machine for part in run.parts] == ["node1", "node2"]
        assert [start.machine for start in run.starts] == ["node1", "node2"]
        for part in run.parts:
            result = part.slices[0].result
            assert result.read is not None
            rate = result.read.operations / (result.elapsed_ns / 1e9)
            assert 0 < rate < 150, "half of the disk's 200 IOPS, and what a pause has saved"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "of one another (median" in page, "the skew is on the first screen"
    assert "a private network" in page


@pytest.mark.long
def test_nothing_of_several_nodes_outlives_a_killed_fsgauge(disks: Path, tmp_path: Path) -> None:
    command = [*COMMAND, "run", "overhead", "--rig", "vm", *SMALL]
    command += ["--set", f"storage.directory={disks}", "--results", str(tmp_path / "results")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
        ends = time.monotonic() + 300
        while len(machines(disks)) < 2 and time.monotonic() < ends and run.poll() is None:
            time.sleep(0.1)
        started = machines(disks)
        os.kill(run.pid, signal.SIGKILL)
    assert len(started) == 2
    ends = time.monotonic() + 60
    while machines(disks) and time.monotonic() < ends:
        time.sleep(0.1)
    assert machines(disks) == []
    done = fsgauge("rig", "list")
    assert "left by an earlier run" in done.stderr


def test_a_study_that_cannot_be_is_refused_before_anything_boots(disks: Path) -> None:
    done = fsgauge(
        *("plan", "overhead", "--rig", "vm", "--baseline", "ext4", "--system", "ext4"),
        *("--storage", "loop:320MiB", "--set", f"storage.directory={disks}", "--json"),
        *("--set", "rig.nodes=2", "--set", "system.ext4.rig.volume=shared"),
    )
    assert done.returncode == 2
    (refusal,) = json.loads(done.stdout)["refusals"]
    assert "2 nodes would mount it at once" in refusal["what"]


@pytest.mark.long
def test_nodes_reach_one_another_by_name_and_a_cut_link_heals(disks: Path) -> None:
    """The same file system on each of them is one of its own. Until it is asked to, a node sends
    nothing: a run on a local disk once had the 70 bytes of a request for IPv6 routers."""
    overrides = ["rig.nodes=2", f"storage.directory={disks}", "rig.network.delay=20 ms"]
    study = load_study("overhead", overrides, ["ext4"], "loop:320MiB", 1, baseline="ext4")
    with VmRig().started(study) as session, session.standing(study.systems[0]) as stood:
        assert stood.group.switch is not None
        assert stood.run_on((0, 1), SENT, 60) == {0: "0\n", 1: "0\n"}
        said = stood.run(0, "ping -c 3 -W 20 node2")
        assert "64 bytes from 10.9.0.2" in said
        assert _round_trip_ms(said) >= 40, "a delay of 20 ms each way"
        stood.group.switch.cut(1)
        said = stood.run(0, "ping -c 2 -W 2 node2 || true")
        assert " 0 packets received" in said or " 0 received" in said
        stood.group.switch.cut(1, is_cut=False)
        assert "64 bytes from" in stood.run(1, "ping -c 1 -W 20 node1")
        assert stood.room_bytes() > 200 << 20
        _each_has_its_own(stood)


@pytest.mark.long
def test_what_one_node_writes_another_one_reads_over_nfs(disks: Path, tmp_path: Path) -> None:
    """A server and two that drive the load: by hand, and as a study on the same files."""
    if "nfs4" not in tables().reached_by:
        pytest.skip("NFS is not in the guest yet")
    served = ["system.v3.rig.reached_by=nfs3", "system.v4.rig.reached_by=nfs4"]
    systems = ["v3=ext4", "v4=ext4"]
    overrides = ["rig.nodes=3", f"storage.directory={disks}", *served]
    study = load_study("overhead", overrides, systems, "loop:320MiB", 1, baseline="v3")
    with VmRig().started(study) as session:
        for system, version in zip(study.systems, ("vers=3,", "vers=4.2,"), strict=True):
            with session.standing(system) as stood:
                stood.run(1, 'echo "from $NODE" > "$FOLDER/file"; sync')
                assert stood.run(2, 'cat "$FOLDER/file"') == "from node2\n"
                assert version in stood.run(2, 'grep " $FOLDER " /proc/mounts')
                assert "file" in stood.run(0, 'ls "$BELOW"'), "it is the server's own folder"
    small = [*SMALL[SMALL.index("--set") + 2 :], "--seed", "1", "--yes", "--baseline", "v3"]
    small += ["--storage", "loop:320MiB", *(f"--system={each}" for each in systems)]
    small += [word for each in overrides for word in ("--set", each)]
    small += ["--set", "workload.hosts=[2]", "--set", 'workload.host_files=["same"]']
    done = fsgauge("run", "overhead", "--rig", "vm", *small, "--results", str(tmp_path / "r"))
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (tmp_path / "r").iterdir()
    stored = read_results(folder)
    roles = [(each.name, each.role) for each in stored.before.machines]
    assert roles[:3] == [("node2", "load"), ("node3", "load 2"), ("node1", "server")]
    assert len(stored.runs) == 6
    assert {turn.facts.details["set up"] for turn in stored.turns} == {
        f"ext4 on a disk of its own, reached by {title}" for title in ("NFS 3", "NFS 4.2")
    }


def _each_has_its_own(stood: SystemOverNodes) -> None:
    stood.run(0, 'echo mine > "$FOLDER/file"; sync')
    said = stood.run_on((0, 1), 'ls "$FOLDER"', 60)
    assert "file" in said[0] and "file" not in said[1]


def _round_trip_ms(said: str) -> float:
    """The fastest that ping saw: min/avg/max."""
    line = next(line for line in said.splitlines() if "min/avg/max" in line)
    return float(line.partition("=")[2].split("/")[0])
