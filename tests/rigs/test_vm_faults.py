"""Faults on purpose and delayed disks, with real machines. No test needs root.

Each machine is emulated where KVM does not work, and a node whose power was off boots again: this
takes minutes for what it does, so there are few tests, each of several things.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.stats.read import read_stored
from fsgauge.stats.struck import struck_of
from fsgauge.store import StoredStudy, read_results
from tests.rigs.virtual import SMALL, fsgauge, machines

pytestmark = [
    pytest.mark.long,
    pytest.mark.usefixtures("guest"),
]
LATENCY_NS = 20_000_000
HEAD = """format = 1
question = "What do faults do?"
[storage]
kind = "loop"
size = "320 MiB"
[workload]
kind = "overhead"
patterns = ["randread", "randwrite"]
block_sizes = ["4 KiB"]
queue_depths = [8]
warm_up = "200 ms"
duration = "6 s"
files = 2
[plan]
blocks = 2
"""
ONE_NODE = """
[[system]]
name = "ext4"
[[fault]]
kind = "slow_disk"
cell = "randread 4 KiB, depth 8"
iops = "50 IOPS"
at = "2 s"
lasts = "2 s"
[[fault]]
kind = "power_off"
cell = "randwrite 4 KiB, depth 8"
at = "2 s"
lasts = "1 s"
loses = "unflushed"
"""
TWO_NODES = """
[rig]
nodes = 2
[[system]]
name = "nfs"
kind = "ext4"
rig.reached_by = "nfs4"
[[fault]]
kind = "link_cut"
node = 2
cell = "randread 4 KiB, depth 8"
at = "2 s"
lasts = "2 s"
[[fault]]
kind = "power_off"
node = 1
cell = "randwrite 4 KiB, depth 8"
at = "2 s"
lasts = "1 s"
"""


def measured(scene: Path, text: str) -> StoredStudy:
    """The study, run; nothing of its machines and disks is left."""
    (scene / "disks").mkdir()
    (scene / "faults.toml").write_text(HEAD + text)
    done = fsgauge(
        *("run", str(scene / "faults.toml"), "--rig", "vm", "--seed", "1", "--yes"),
        *("--set", f"storage.directory={scene / 'disks'}", "--results", str(scene / "results")),
        seconds=2400,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert machines(scene) == [] and list((scene / "disks").iterdir()) == []
    (folder,) = (scene / "results").iterdir()
    return read_results(folder)


def struck(stored: StoredStudy, kind: str) -> RunRecord:
    (found,) = [
        run for run in stored.struck_runs if {each.strike.kind for each in run.struck} == {kind}
    ]
    assert found.struck[0].began_ns is not None and found.struck[0].fault == ""
    return found


@pytest.mark.timeout(2700)
def test_a_slow_disk_is_slow_for_its_time_and_power_takes_what_was_not_flushed(
    tmp_path: Path,
) -> None:
    stored = measured(tmp_path, ONE_NODE)
    (line,) = struck_of([struck(stored, "slow_disk")])
    assert line.before is not None and line.during is not None and line.after is not None
    assert line.during < line.before / 2 and line.after > line.during
    powerless = struck(stored, "power_off")
    assert powerless.fault is not None and "has no power" in powerless.fault.what
    words = powerless.struck[0].words
    assert any("lost" in each and "writes" in each for each in words)
    assert any("mounted again, with 2 files" in each for each in words)
    assert len(stored.runs) == 2 * 2 * 2, "two blocks of ext4 twice, in two cells"
    results = read_stored(stored)
    assert results.sureness.runs_failed == 0, "what was struck is none of them"


@pytest.mark.timeout(2700)
def test_a_server_without_power_comes_back_and_its_client_goes_on(tmp_path: Path) -> None:
    stored = measured(tmp_path, TWO_NODES)
    cut = struck(stored, "link_cut").struck[0]
    assert cut.ended_ns is not None and cut.began_ns is not None
    assert cut.ended_ns - cut.began_ns >= 2 * 10**9
    served = struck(stored, "power_off").struck[0]
    assert served.back_ns is not None, "up, mounted and exported again"
    assert any("mounted in" in each for each in served.words)


@pytest.mark.timeout(1500)
def test_a_delayed_disk_takes_its_latency_and_not_twice_that(tmp_path: Path) -> None:
    done = fsgauge(
        *("run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL),
        *("--set", "workload.queue_depths=[1]", "--set", "storage.latency=20 ms"),
        *("--set", f"storage.directory={tmp_path}", "--results", str(tmp_path / "results")),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (tmp_path / "results").iterdir()
    stored = read_results(folder)
    assert "20 ms or more" in stored.before.storage.sentence
    results = read_stored(stored)
    medians = [each.value for each in results.measurements if each.metric == "read.p50"]
    assert medians and all(LATENCY_NS <= median < 2 * LATENCY_NS for median in medians)
