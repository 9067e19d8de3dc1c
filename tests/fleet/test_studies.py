"""Studies other than plain loads over hosts: one file for all of them, ageing, devices.

Slow for what they check: each starts hosts, which load dask.
"""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.record.records import TurnRecord
from fsgauge.store import read_results
from tests.fleet.conftest import Run, hosts_file, on_one_folder
from tests.fleet.test_run import left_behind, results_of


def writers(file: str, place: str) -> list[str]:
    return [
        *("writers", "--rig", "fleet", "--hosts", file, "--storage", f"path:{place}"),
        *("--system", "mounted", "--set", "storage.size=16MiB", "--set", "plan.blocks=2"),
        *("--set", 'workload.ranges=["segmented"]', "--set", "workload.writers=[3]"),
        *("--set", 'workload.access=["buffered"]', "--set", "workload.verify=false"),
        *("--seed", "7", "--quiet"),
    ]


def test_writers_of_all_hosts_write_one_file(fsgauge: Run, tmp_path: Path) -> None:
    """The second host's file is a link to the first one's, and nothing of either stays."""
    done = fsgauge("run", *writers(*on_one_folder(tmp_path, "a", "b")))
    assert done.returncode == 0, done.stderr
    directory = results_of(tmp_path)
    stored = read_results(directory)
    assert len(stored.runs) == 4
    for run in stored.runs:
        assert [part.machine for part in run.parts] == ["a", "b"]
        assert run.result is not None
        assert [len(part.slices[0].result.jobs) for part in run.parts] == [2, 1]
    turns = sorted(directory.glob("records/*/host-b-turn.json"))
    of_b = TurnRecord.model_validate_json(turns[0].read_text())
    assert any(
        note.startswith("its files are links to those of the first host, in ")
        for note in of_b.notes
    )
    assert all("links to" not in note or note.startswith("b: ") for note in stored.turns[0].notes)
    assert left_behind(tmp_path) == []


def test_one_file_in_two_folders_is_refused(fsgauge: Run, tmp_path: Path) -> None:
    _, place = on_one_folder(tmp_path, "a", "b")
    done = fsgauge("run", *writers(str(hosts_file(tmp_path, "a", "b")), place))
    assert done.returncode == 2
    disks = tmp_path / "disks"
    assert f"{disks}/b of b is not the folder that a has at {disks}/a" in done.stderr
    assert "--set 'workload.ranges=[\"own files\"]'" in done.stderr
    assert not (tmp_path / "results").exists()


def test_too_little_room_for_all_hosts_is_refused_by_plan(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    """Each host alone would have enough; and the size that the plan names is taken."""
    room = os.statvfs(tmp_path)
    size_mib = int(room.f_bavail * room.f_frsize * 0.4) >> 20
    file = str(hosts_file(tmp_path, "a", "b", "c"))
    words = [word for word in small if word != "--quiet"]
    done = fsgauge("plan", *words, "--hosts", file, "--set", f"storage.size={size_mib}MiB")
    assert done.returncode == 2, done.stdout
    assert "free, and 3 hosts use up to" in done.stdout
    assert "--set storage.size=" in done.stdout


def test_hosts_age_one_file_system_at_once(fsgauge: Run, tmp_path: Path) -> None:
    """Each its own tree; the study's records have the sum of both."""
    file, place = on_one_folder(tmp_path, "a", "b")
    keys = (
        *('workload.fills=["50 %"]', 'workload.tests=["read", "write"]'),
        *("workload.clients=3", "workload.new_file_size=64KiB"),
    )
    done = fsgauge(
        *("run", "churn", "--rig", "fleet", "--hosts", file, "--storage", f"path:{place}"),
        *("--system", "mounted", "--set", "storage.size=64MiB", "--set", "plan.blocks=2"),
        *(word for key in keys for word in ("--set", key)),
        *("--seed", "7", "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    stored = read_results(results_of(tmp_path))
    aged = [step for step in stored.steps if step.result is not None]
    assert aged and all(step.size_bytes == 2 * (4 << 20) for step in aged)
    assert stored.scans and all(len(run.parts) == 2 for run in stored.runs)
    assert left_behind(tmp_path) == []
