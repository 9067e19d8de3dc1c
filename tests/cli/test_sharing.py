"""A study of sharing over mounted folders, from its words to its page, with an engine that does no
I/O; and what is refused before anything begins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.synthetic.setting import result_of

from .conftest import Run, is_planned

TESTS = ["write", "read", "putc", "seeks", "create_sequential", "stat_sequential"]
SMALL = ["--set", "storage.size=64MiB", "--set", "plan.blocks=2", "--seed", "7", "--quiet"]
EACH = [
    *("--set", f"workload.tests={json.dumps(TESTS)}"),
    *("--set", "workload.folder_files=50", "--set", "workload.seeks=30"),
]


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    """Two folders, as options: one is called local, the other nfs."""
    found = []
    for name in ("local", "nfs"):
        (tmp_path / name).mkdir()
        found += ["--system", f"{name}={tmp_path / name}"]
    return found


def results(tmp_path: Path, stdout: str) -> Path:
    return (tmp_path / stdout.splitlines()[-1].removeprefix("report: ")).parent


def runs_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in folder.glob("records/*/[0-9]*.json")]


def test_folders_are_measured_to_a_page_with_each_test_and_each_system(
    fsgauge: Run, folders: list[str], tmp_path: Path
) -> None:
    done = fsgauge("run", "sharing", *folders, *SMALL, *EACH)
    assert done.returncode == 0, done.stderr
    folder = results(tmp_path, done.stdout)
    runs = runs_of(folder)
    assert len(runs) == 2 * 3 * len(TESTS)  # blocks, turns of two systems and the first one again
    for run in runs:
        test, result = run["cell"]["factors"]["test"], result_of(run)
        if "sequential" in test:
            assert run["job"]["sync_at_end"] == (test == "create_sequential")
            continue
        assert run["job"]["finish"] == {"fsync": True, "close": True}
        assert result["finish"]["elapsed_ns"] > result["elapsed_ns"]
        assert bool(run["job"]["extend"]) == (test in ("write", "putc"))
    report = json.loads((folder / "report.json").read_text())
    assert report["systems"] == ["local", "nfs"]
    faults = report["own"]["faults"]
    assert [(each["system"], each["counts"]) for each in faults] == [("local", {}), ("nfs", {})]
    assert all(each["reached"] == each["planned"] for each in faults)
    page = (folder / "report.html").read_text(encoding="utf-8")
    for words in ("How systems held", "What each test does", "Output by character, putc"):
        assert words in page
    for name in ("local", "nfs"):
        assert list((tmp_path / name).iterdir()) == []


def test_what_each_program_leaves_out_is_left_out(
    fsgauge: Run, folders: list[str], tmp_path: Path
) -> None:
    words = ["--set", "workload.include_flush=false", "--set", "workload.include_close=false"]
    words += ["--set", 'workload.tests=["write","read"]']
    done = fsgauge("run", "sharing", *folders, *SMALL, *words)
    assert done.returncode == 0, done.stderr
    folder = results(tmp_path, done.stdout)
    assert all(
        run["job"].get("finish") == {"fsync": False, "close": False} for run in runs_of(folder)
    )
    report = json.loads((folder / "report.json").read_text())
    found = {each["code"]: each for each in report["findings"]}
    assert "sharing.cache_test" in found
    (named,) = [each for each in report["cells"] if each["id"].startswith("write")]
    assert named["name"].endswith("(cache test)")


def test_a_test_that_fails_is_in_the_table_and_not_in_a_ratio(
    fsgauge: Run, folders: list[str], tmp_path: Path
) -> None:
    words = ["--set", 'workload.tests=["write","read"]']
    done = fsgauge("run", "sharing", *folders, *SMALL, *words, mode="fail")
    assert "No answer: all 12 runs failed: read of 4096 bytes at 8192 failed" in done.stdout
    report = json.loads((results(tmp_path, done.stdout) / "report.json").read_text())
    assert [(each["reached"], each["planned"]) for each in report["own"]["faults"]] == [
        (0, 8),
        (0, 4),
    ]
    assert report["comparisons"] == []


@pytest.mark.parametrize("study", ["sharing", "two-nodes", "writers-nfs", "sharing-full"])
def test_what_is_in_virtual_machines_is_planned(fsgauge: Run, study: str) -> None:
    done = fsgauge("plan", study)
    assert is_planned(done), done.stderr
    assert "\ncompares  " in done.stdout


def test_the_plan_of_virtual_machines_is_about_their_disks(fsgauge: Run) -> None:
    """It said: loop file in /var/tmp; without root."""
    told = " ".join(fsgauge("plan", "sharing", "--verbose").stdout.split())
    assert "storage disks of 320 MiB of 2 virtual machines, of which node1 serves and 1" in told
    assert "300 IOPS and 8 MiB/s" in told and "gfs2: volume iscsi-lvm" in told
    assert "blocks of 1 KiB, which mkfs takes on a disk of 320 MiB" in told
    assert "loop file" not in told and "without root" not in told


def test_a_way_to_reach_a_file_system_leads_to_the_words_that_ask_for_it(fsgauge: Run) -> None:
    """`--system nfs4` was answered with: did you mean nilfs2?"""
    done = fsgauge("plan", "sharing", "--system", "nfs4")
    told = " ".join(done.stdout.split())
    assert done.returncode == 2 and '"nfs4" is a way to reach a file system' in told
    words = "--system nfs4=ext3 --set system.nfs4.rig.reached_by=nfs4"
    assert words in told and "nilfs2" not in told
    assert "is a way to reach" not in fsgauge("plan", "sharing", *words.split()).stdout


def test_a_system_of_the_virtual_rig_is_said_to_be_one_on_the_host(fsgauge: Run) -> None:
    """The host rig answered with: did you mean nilfs2?"""
    done = fsgauge("run", "sharing", "--rig", "host", "--system", "nfs4")
    assert done.returncode == 2
    assert '"nfs4" is a system of the virtual rig: NFS 4.2' in done.stderr
    words = "--rig vm --system nfs4=ext3 --set system.nfs4.rig.reached_by=nfs4"
    assert f"next: {words}" in done.stderr and "nilfs2" not in done.stderr
    told = fsgauge("plan", "overhead", "--system", "nfs4").stdout
    assert told.count("refused ") == 1 and "--rig vm --set rig.nodes=2 --system nfs4=" in told


def test_files_that_are_written_in_no_time_are_named_in_the_plan_of_folders(
    fsgauge: Run, folders: list[str]
) -> None:
    """The tests of 8 MiB took 10 ms each, and nothing said so."""
    told = " ".join(fsgauge("plan", "sharing", *folders, "--verbose").stdout.split())
    assert "a file of 8 MiB is written in 10 ms on storage that takes 800 MiB/s" in told
    larger = ["--set", 'workload.file_sizes=["1 GiB"]', "--set", "storage.size=2 GiB"]
    assert """--set 'workload.file_sizes=["1 GiB"]' --set 'storage.size=2 GiB'""" in told
    assert "is written in" not in fsgauge("plan", "sharing", *folders, *larger, "--verbose").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--set", "rig.nodes=1"], "needs a server"),
        (["--set", 'workload.file_sizes=["1 GiB"]'], "does not fit"),
        (["--set", 'workload.record_sizes=["16 MiB"]'], "a record is larger than a file"),
        (["--set", 'workload.tests=["wrote"]'], "wrote"),
        (["--set", "workload.seeks=100"], "the test seeks is not among them"),
        (["--system", "raw"], "its tests write files"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(
    fsgauge: Run, tmp_path: Path, words: list[str], says: str
) -> None:
    done = fsgauge("run", "sharing", *words)
    assert done.returncode in (2, 3)  # 3 where the guest is not built either, which is said first
    assert says in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()
