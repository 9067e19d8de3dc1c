"""Files made, found and removed on a real file system, and what is refused before the start."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests import commands
from tests.patience import patience

STUDY = """\
format = 1
question = "How many files a second?"

[storage]
kind = "path"
path = "{place}"
size = "64 MiB"

[[system]]
name = "one"
kind = "mounted"

[[system]]
name = "two"
kind = "mounted"
path = "{other}"

[workload]
kind = "metadata"
operations = [
  "create", "stat", "list", "read", "rename", "unlink", "record write", "record read",
]
clients = 2
folders = ["own", "shared"]
entries = {entries}
file_sizes = "3901 B"
records = 20
{more}

[plan]
blocks = 2
"""


def fsgauge(folder: Path, *arguments: str, expects: tuple[int, ...]) -> str:
    environment = os.environ | {"FSGAUGE_STATE": str(folder / "state")}
    done = commands.fsgauge(
        *arguments, folder=folder, environment=environment, seconds=patience(120)
    )
    assert done.returncode in expects, done.stderr
    return str(done.stdout + done.stderr)


def study(folder: Path, entries: int, more: str = "") -> None:
    for name in ("place", "other"):
        (folder / name).mkdir(exist_ok=True)
    places = {name: str(folder / name) for name in ("place", "other")}
    text = STUDY.format(**places, entries=entries, more=more)
    (folder / "mine.toml").write_text(text, encoding="utf-8")


def measured(folder: Path) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The report, and the runs of each operation."""
    fsgauge(folder, "run", "mine.toml", expects=(0, 1, 4, 5))
    (results,) = (folder / "results").iterdir()
    report = json.loads((results / "report.json").read_text(encoding="utf-8"))
    runs: dict[str, list[dict[str, Any]]] = {}
    for path in results.glob("records/*/*.json"):
        run = json.loads(path.read_text(encoding="utf-8"))
        if "cell" in run and "job" in run:
            runs.setdefault(run["cell"]["factors"]["operation"], []).append(run)
    assert not list((folder / "place").iterdir()), "nothing of the load is left"
    return report, runs


def clients(run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = run["parts"][0]["slices"][0]["result"]["clients"]
    return found


def test_every_operation_is_done_to_every_file(tmp_path: Path) -> None:
    study(tmp_path, 100)
    report, runs = measured(tmp_path)
    assert len(runs["create"]) == 12, "two folders, two blocks of one, one again and two"
    for operation, each in (
        ("create", 100),
        ("stat", 100),
        ("read", 100),
        ("rename", 200),
        ("unlink", 100),
    ):
        assert {clients(run)["files"] for run in runs[operation]} == {each}, operation
    assert {clients(run)["names"] for run in runs["list"]} == {100, 200}, (
        "own folders, and one twice"
    )
    assert all(run["job"]["ranges"] == {"kind": "interleaved"} for run in runs["record write"])
    metrics = {(each["cell"], each["metric"]) for each in report["comparisons"]}
    cell = "create-clients2-shared-files100-3901B"
    assert {(cell, "files"), (cell, "create.mean"), ("record-read-clients2", "iops")} <= metrics
    assert "metadata.folder_size" not in {each["code"] for each in report["findings"]}


def test_a_stonewall_leaves_each_client_as_many_files_and_is_told(tmp_path: Path) -> None:
    study(tmp_path, 12_000, 'stonewall = "100 ms"')
    report, runs = measured(tmp_path)
    walled = [run for run in runs["create"] if clients(run).get("stonewall_ns")]
    for run in walled:
        assert clients(run)["files"] % 2 == 0, "as many of each of two clients"
    by_turn = {
        (run["block"], run["turn"], run["cell"]["factors"]["folder"]): clients(run)["files"]
        for run in runs["create"]
    }
    for run in runs["unlink"]:
        place = (run["block"], run["turn"], run["cell"]["factors"]["folder"])
        assert clients(run)["files"] == by_turn[place], (
            "what follows finds the files that are there"
        )
    codes = {each["code"] for each in report["findings"]}
    assert ("metadata.folder_size" in codes) == bool(walled)


def test_a_folder_that_does_not_fit_is_refused_before_the_start(tmp_path: Path) -> None:
    study(tmp_path, 1_000_000)
    said = fsgauge(tmp_path, "run", "mine.toml", expects=(2,))
    assert "1,000,000 files with their names and inodes take about 4.77 GiB" in said
    assert "--set workload.entries=" in said
    assert not (tmp_path / "results").exists()
