"""Studies of mounted folders from their words to the page, with an engine that does no I/O."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .conftest import Run

SMALL = ["--set", "storage.size=64MiB", "--set", "plan.blocks=2", "--seed", "7", "--quiet"]


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    """Two folders of one file system, as options; one has a blank and = in its name."""
    found = [tmp_path / "old", tmp_path / "new one=2"]
    for folder in found:
        folder.mkdir()
    return [word for folder in found for word in ("--system", str(folder))]


def results(tmp_path: Path, stdout: str) -> Path:
    return (tmp_path / stdout.splitlines()[-1].removeprefix("report: ")).parent


@pytest.mark.parametrize(
    ("study", "more"),
    [
        ("overhead", ["--set", "workload.queue_depths=[1]"]),
        ("writers", []),
        ("connections", ["--set", "workload.clients=4"]),
        ("churn", ["--set", 'workload.tests=["write"]', "--set", "workload.new_file_size=64KiB"]),
    ],
)
def test_nothing_speaks_of_a_raw_device(
    fsgauge: Run, folders: list[str], tmp_path: Path, study: str, more: list[str]
) -> None:
    words = [study, *folders, *SMALL[:-1], *more]
    planned = fsgauge("plan", *words, "--verbose")
    assert planned.returncode == 0, planned.stdout + planned.stderr
    done = fsgauge("run", *words, "--quiet")
    assert done.returncode == 0, done.stderr
    folder = results(tmp_path, done.stdout)
    page = re.sub(r"<(script|style)>.*?</\1>", "", (folder / "report.html").read_text(), flags=re.S)
    report = json.loads((folder / "report.json").read_text())
    assert report["systems"] == ["old", "new one=2"]
    said = json.dumps([report["answer"], report["question"], report["findings"]])
    for text in (planned.stdout, said, page):
        assert not re.search(r"\braw\b|bare device|device alone", text)
    assert "are on one file system" in said
    for option in folders[1::2]:
        assert option in page and option in planned.stdout
        assert list(Path(option).iterdir()) == []


def test_all_that_is_refused_is_in_one_list(fsgauge: Run, folders: list[str]) -> None:
    """A folder that was not there was refused alone."""
    gone = [f"{folders[1]}/gone", f"{folders[3]}/gone too"]
    words = ["overhead", folders[1], *gone, "--set", "storage.size=900TiB"]
    for command in ("plan", "run"):
        done = fsgauge(command, *words)
        said = done.stdout + done.stderr
        assert done.returncode == 2
        assert all(f"there is no folder {each}" in said for each in gone), said
        assert "free, and the study uses up to 900 TiB" in said, said


def test_folders_of_one_file_system_are_said_to_be(fsgauge: Run, folders: list[str]) -> None:
    """It was a note of --verbose, and a finding of the report."""
    done = fsgauge("plan", "overhead", folders[1], folders[3])
    assert "note: old and new one=2 are on one file system" in done.stderr


def test_a_folder_that_is_gone_is_refused_before_anything(
    fsgauge: Run, folders: list[str], tmp_path: Path
) -> None:
    Path(folders[3]).rmdir()
    for command in ("plan", "run"):
        done = fsgauge(command, "overhead", *folders)
        assert done.returncode == 2
        assert f"there is no folder {folders[3]}" in done.stdout + done.stderr
    assert not (tmp_path / "results").exists()


def test_a_baseline_by_its_folder(fsgauge: Run, folders: list[str]) -> None:
    done = fsgauge("plan", "overhead", *folders, "--baseline", folders[3])
    assert "compares  new one=2 (baseline)" in done.stdout


def test_folders_stay_folders_where_a_parameter_is_given(fsgauge: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    folders = [str(tmp_path / name) for name in ("a", "b")]
    done = fsgauge("plan", "command-git-status", *folders, "-P", "folders=10")
    assert folders[1] in done.stdout, done.stderr
