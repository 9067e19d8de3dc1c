"""A study of connections from its words to its records, with an engine that does no I/O."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.store import read_results
from fsgauge.store.abandon import whole_blocks
from tests.synthetic.setting import result_of

from .conftest import Run, in_a_folder, is_planned

CELLS = ["write", "read", "backup-fill", "backup-directory", "backup-inode"]


@pytest.fixture
def study(place: Path) -> Path:
    """Four clients in a folder, small."""
    return in_a_folder(
        place,
        """kind = "connections"
clients = 4
file_sizes = ["4 KiB", "64 KiB"]
backup_file_size = "64 KiB"
backup_orders = ["directory", "inode"]""",
    )


def folder_of(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "results").iterdir()
    return found


def runs_of(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("records/*/[0-9]*.json"))
    return [json.loads(path.read_text()) for path in files]


def test_every_turn_has_the_tests_in_one_order(fsgauge: Run, study: Path, tmp_path: Path) -> None:
    done = fsgauge("run", str(study), "--quiet")
    assert done.returncode == 0, done.stderr
    folder = folder_of(tmp_path)
    runs = runs_of(folder)
    assert [run["cell"]["id"] for run in runs] == CELLS * 4
    for run in runs:
        job, cell = run["job"], run["cell"]["factors"]
        backup = cell["test"] in ("backup", "backup fill")
        assert job["kind"] == "clients"
        assert job["target"]["directory"].endswith("/backup" if backup else "/files")
        assert job["clients"] == (1 if cell["test"] == "backup" else 4) == cell["clients"]
        assert job["files"]["clients"] == 4
        assert result_of(run)["clients"]["bad_records"] == 0
    seeds = {
        (run["block"], run["job"]["target"]["directory"][-5:]): run["job"]["seed"] for run in runs
    }
    assert len(set(seeds.values())) == len(seeds) == 4
    for run in runs:
        place = (run["block"], run["job"]["target"]["directory"][-5:])
        assert run["job"]["seed"] == seeds[place]


def test_nothing_is_laid_out_and_what_was_written_is_scanned(
    fsgauge: Run, study: Path, tmp_path: Path, place: Path
) -> None:
    assert fsgauge("run", str(study), "--quiet").returncode == 0
    stored = read_results(folder_of(tmp_path))
    for turn in stored.turns:
        assert turn.layout is None
        assert turn.target["kind"] == "client_folders"
        assert turn.target["files_per_client"] > turn.target["backup_files_per_client"] > 1
    scans = [(scan.block, scan.turn, scan.when, scan.cell) for scan in stored.scans]
    turns = [(turn.block, turn.turn) for turn in stored.turns]
    cells = ("backup-fill", "write")
    assert scans == [(*turn, "after cell", cell) for turn in turns for cell in cells]
    assert whole_blocks(stored) == {0, 1}
    assert all(
        len(run.result.jobs) == ConnectionsFactors.of(run.cell).clients
        for run in stored.runs
        if run.result
    )
    assert list(place.iterdir()) == []


def test_records_are_asked_by_sql(fsgauge: Run, study: Path, tmp_path: Path) -> None:
    assert fsgauge("run", str(study), "--quiet", mode="bad").returncode in (0, 1)
    folder = str(folder_of(tmp_path))

    def asked(sql: str) -> list[dict[str, Any]]:
        done = fsgauge("query", folder, sql, "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    count = "select operation, sum(operations) as n from {} group by all order by all"
    where = " where latency = 'response'"
    operations = asked(count.format("client_operations"))
    assert [each["operation"] for each in operations] == [
        "close",
        "create",
        "open",
        "read",
        "write",
    ]
    assert asked(count.format(f"(from client_histograms{where})")) == operations
    plain = asked("select distinct operation from histograms order by all")
    assert [each["operation"] for each in plain] == ["read", "write"]
    errors = asked("select operation, kind, sum(count) as n from client_errors group by all")
    assert errors == [{"operation": "open", "kind": "missing", "n": 4}]
    assert asked("select count(*) as n, any_value(first_byte) as at from client_bad_records") == [
        {"n": 4, "at": 4100}
    ]
    assert asked("select distinct moment, cell from scans order by all")[0]["cell"] == "backup-fill"
    assert asked("select sum(clients_gave_up) as n from runs") == [{"n": 0}]


def test_extents_that_nobody_knows_are_recorded_as_that(
    fsgauge: Run, study: Path, tmp_path: Path
) -> None:
    done = fsgauge("run", str(study), "--quiet", mode="refuse")
    assert done.returncode == 0, done.stderr
    stored = read_results(folder_of(tmp_path))
    assert whole_blocks(stored) == {0, 1}
    for scan in stored.scans:
        assert scan.result is None and scan.fault is not None
        assert (scan.fault.what, scan.fault.cause) == ("no", "it is so")


def test_when_most_clients_give_up_the_study_ends(
    fsgauge: Run, study: Path, tmp_path: Path, place: Path
) -> None:
    done = fsgauge("run", str(study), "--quiet", mode="full")
    assert done.returncode == 1, "what is there is not valid, which is graver than how it ended"
    assert '4 of 4 clients gave up in "write" on "here"' in done.stderr
    assert "4 x create: no space, the first at c00000/c00000-f000000" in done.stderr
    assert "next: larger storage, fewer files" in done.stderr
    folder = folder_of(tmp_path)
    (run,) = runs_of(folder)
    assert result_of(run)["clients"]["clients_gave_up"] == 4
    assert whole_blocks(read_results(folder)) == set()
    assert list(place.iterdir()) == []
    again = fsgauge("resume", str(folder), "--quiet")
    assert again.returncode == 0, again.stderr
    assert whole_blocks(read_results(folder)) == {0, 1}


def test_more_files_than_the_storage_holds_are_refused(
    fsgauge: Run, study: Path, tmp_path: Path
) -> None:
    done = fsgauge("run", str(study), "--set", "workload.files_per_connection=1000")
    assert done.returncode == 2
    assert "4 clients with 1000 files each and" in done.stderr
    assert "next: --set workload.files_per_connection=" in done.stderr
    assert not (tmp_path / "results").exists()
    fitting = done.stderr.split("workload.files_per_connection=")[1].split(",")[0]
    words = ["--set", f"workload.files_per_connection={fitting}"]
    assert fsgauge("plan", str(study), *words).returncode == 0


def test_more_clients_than_descriptors_are_refused(fsgauge: Run, study: Path) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] > 3_000_000:
        pytest.skip("this machine lets a process open as many files as anybody wants")
    keys = ("clients=99999", "outstanding=32", "interface=plain", "backup_file_size=4KiB")
    words = [word for key in keys for word in ("--set", f"workload.{key}")]
    words += ["--set", 'workload.file_sizes=["4 KiB"]', "--set", "storage.size=512GiB"]
    done = fsgauge("plan", str(study), *words)
    assert "refused   99,999 clients with 32 open files each are more than" in done.stdout


def test_a_crosscheck_is_refused(fsgauge: Run, study: Path, place: Path) -> None:
    done = fsgauge("crosscheck", str(study), "--with", "fio")
    assert done.returncode == 2
    assert "a study of kind connections cannot be cross-checked" in done.stderr
    assert "it has no clients that create and open files" in done.stderr
    assert "make bench ONLY=clients-tmpfs-fio" in done.stderr
    assert list(place.iterdir()) == []


def test_a_raw_device_is_refused(fsgauge: Run) -> None:
    done = fsgauge("plan", "connections", "--system", "raw")
    assert done.returncode == 2
    assert "clients create, open and close files" in done.stderr


def test_other_systems_stand_beside_the_shipped_baseline(fsgauge: Run) -> None:
    words = ["--system", "xfs", "--system", "btrfs", "--system", "xfs:mount=allocsize=64m"]
    done = fsgauge("plan", "connections", *words, "--verbose")
    assert is_planned(done), done.stderr
    assert "system    ext4 nodelalloc: baseline" in done.stdout
    assert "system    xfs (allocsize=64m): mount allocsize=64m" in done.stdout
    assert "each: write, read, backup-fill, backup-directory" in done.stdout


def test_the_shipped_study_can_be_copied(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("study", "new", "mine2", "--like", "connections")
    assert done.returncode == 0, done.stderr
    assert 'kind = "connections"' in (tmp_path / "mine2.toml").read_text()
