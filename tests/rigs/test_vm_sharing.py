"""The README's `fsgauge run sharing` with real machines, one of its systems beyond setting up.

No test needs root. Emulated, each turn boots two machines, so there is one run of few turns.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.store import read_results
from tests.house.test_readme import commands
from tests.rigs.virtual import fsgauge, machines

pytestmark = pytest.mark.usefixtures("guest")
SYSTEMS = ("ext3", "nfs", "cachefs")
FILE_BYTES = 2 << 20
SMALL = [
    *(word for name in ("unionfs", "gfs2", "ocfs2") for word in ("--without", name)),
    *("--set", "plan.blocks=2", "--set", 'workload.tests=["write", "read"]'),
    *("--set", 'workload.file_sizes=["2 MiB"]', "--set", "storage.size=96 MiB"),
    *("--set", "rig.remount=true"),
]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_nfs_is_counted_and_what_cannot_be_set_up_is_classed(tmp_path: Path) -> None:
    (line,) = [line for line in commands() if line.startswith("fsgauge run sharing")]
    disks = tmp_path / "disks"
    disks.mkdir()
    done = fsgauge(
        *(*line.split()[1:], *SMALL, "--set", "system.cachefs.mount=journal_ioprio=99", "--yes"),
        *("--set", f"storage.directory={disks}", "--results", str(tmp_path / "results")),
        seconds=800,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert machines(disks) == []
    assert list(disks.iterdir()) == []
    (folder,) = (tmp_path / "results").iterdir()
    stored = read_results(folder)
    by_system = {name: [run for run in stored.runs if run.system == name] for name in SYSTEMS}
    assert {name: len(runs) for name, runs in by_system.items()} == {
        "ext3": 2 * 2 * 2,  # blocks, turns as the baseline, tests
        "nfs": 2 * 2,
        "cachefs": 2 * 2,
    }
    for run in by_system["cachefs"]:
        assert run.fault is not None and run.fault.code == "system.not_set_up"
        assert 'mount failed for the system "cachefs"' in run.fault.what
    for run in by_system["ext3"]:
        assert run.fault is None
        assert _counted(run)["network_packets"] == 0, "nodes send nothing by themselves"
    for run in by_system["nfs"]:
        assert run.fault is None, run.fault
        assert "unmounted and mounted again" in run.caches
        counted = _counted(run)
        assert counted["network_bytes"] > FILE_BYTES > counted["network_bytes"] / 1.2
        assert counted["disk_bytes"] > 0.9 * FILE_BYTES, "the server's cache was empty"
        (operations,) = [each.parts for each in run.traffic if each.name == "nfs_operations"]
        calls = operations["WRITE" if run.cell.id.startswith("write") else "READ"]
        assert FILE_BYTES / (1 << 20) <= calls <= FILE_BYTES / (64 << 10)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "not set up" in page and "Traffic for each operation" in page


def _counted(run: RunRecord) -> dict[str, int]:
    return {each.name: each.count for each in run.traffic}
