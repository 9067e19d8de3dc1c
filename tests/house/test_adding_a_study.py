"""The kind of study of the guide, taken from it as it stands: measured, reported, asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.house.shape import PACKAGE
from tests.synthetic.setting import result_of

GUIDE = Path(__file__).parents[2] / "docs" / "adding-a-study.md"
MOST_FILES = 5
MOST_LINES = 150
"""Of Python; beside it there is the study's own file."""
WITH_THE_KIND = """\
import sys
import fsgauge.kinds
fsgauge.kinds.__path__.append(sys.argv.pop(1))
from fsgauge.cli import main
main()
"""
"""The union of all [workload] models is made when the study's model is imported: not before."""
SMALL = [
    *("--seed", "7", "--set", "storage.size=16MiB"),
    *("--set", 'workload.sizes=["512 B", "4 KiB"]'),
    *("--set", 'workload.syncs=["fdatasync", "fsync"]'),
    *("--set", "workload.warm_up=20ms", "--set", "workload.duration=100ms"),
    *("--set", "plan.blocks=2"),
]
TRIES = 3
"""A study that is not valid, or decides nothing, says so in the place of its kind's sentence."""
NOT_ITS_OWN = ("Not valid", "Too noisy", "Undecided")
Ask = Callable[..., str]


@dataclass(frozen=True)
class Measured:
    """A results folder of the toy's study, and how fsgauge is called with the toy in it."""

    folder: Path
    ask: Ask
    planned: str
    package_before: dict[Path, str]

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "report.json").read_text("utf-8"))
        return found

    def runs(self) -> list[dict[str, Any]]:
        return [
            json.loads(path.read_text("utf-8"))
            for path in self.folder.glob("records/*/[0-9][0-9]-*.json")
        ]


def files_of_the_guide() -> dict[str, str]:
    """Each code block whose line before it is a file's name."""
    blocks = re.findall(
        r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```$", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return dict(blocks)


def package() -> dict[Path, str]:
    """Every file of the package by what is in it; not what Python compiles."""
    return {
        path: sha256(path.read_bytes()).hexdigest()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    kinds = tmp_path_factory.mktemp("kinds")
    for name, text in files_of_the_guide().items():
        path = kinds / "saves" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    work = tmp_path_factory.mktemp("work")

    def ask(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", WITH_THE_KIND, str(kinds), *words],
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    before = package()
    study = ["saves", *SMALL]
    for name in ("one", "two"):
        (work / name).mkdir()
        study += ["--system", f"{name}={work / name}"]
    planned = ask("plan", *study, "--verbose")
    for results in (f"results{number}" for number in range(TRIES)):
        ask("run", *study, "--results", results)
        (folder,) = (work / results).iterdir()
        found = Measured(folder, ask, planned, before)
        if not found.report()["answer"].startswith(NOT_ITS_OWN):
            break
    return found


def test_it_is_five_files_of_python_and_a_study() -> None:
    files = files_of_the_guide()
    python = {name: text for name, text in files.items() if name.endswith(".py")}
    assert 0 < len(python) <= MOST_FILES
    assert sum(len(text.splitlines()) for text in python.values()) <= MOST_LINES
    assert set(files) - set(python) == {"studies/saves.toml"}
    assert GUIDE.read_text("utf-8").count("\n```\n") == len(files), "each block has its file's name"


def test_the_package_itself_has_no_such_kind() -> None:
    named = [path for path in package() if b"SavesWorkload" in path.read_bytes()]
    assert named == [] and not (PACKAGE / "kinds" / "saves").exists()


def test_a_plan_says_what_its_method_says(measured: Measured) -> None:
    assert "one buffered write and its sync, then the next" in measured.planned
    assert "24 runs in 2 blocks" in measured.planned
    assert "not shown what group save gains" in measured.planned


def test_each_run_synced_after_every_write(measured: Measured) -> None:
    runs = measured.runs()
    assert len(runs) == 24 and all(run["fault"] is None for run in runs)
    for run in runs:
        writes, syncs = (
            result_of(run)["write"]["operations"],
            result_of(run)["sync"]["calls"],
        )
        assert writes > 0 and abs(writes - syncs) <= 1


def test_its_own_results_are_those_of_its_records(measured: Measured) -> None:
    report = measured.report()
    own = {(each["cell"], each["system"]): each["value"] for each in report["own"]["measured"]}
    cells = {f"{sync}-{size}" for sync in ("fdatasync", "fsync") for size in ("512B", "4KiB")}
    assert set(own) == {(cell, system) for cell in cells for system in ("one", "two")}
    rates = {
        (each["cell"], each["system"]): each["value"]
        for each in report["measurements"]
        if each["metric"] == "iops"
    }
    for place, each in own.items():
        assert each["value"] == pytest.approx(1e9 / rates[place])


def test_the_page_has_its_sentence_and_its_section(measured: Measured) -> None:
    sentence = measured.report()["answer"]
    if sentence.startswith(NOT_ITS_OWN):
        pytest.skip(f"so short a study, {TRIES} times on a busy machine: {sentence}")
    assert re.search(r"A save of 512 B takes .* on one and .* on two\.", sentence)
    page = (measured.folder / "report.html").read_text("utf-8")
    assert all(line in page for line in measured.report()["lines"])
    section = page.partition('<section id="measured">')[2].partition("</section>")[0]
    assert "<h2>Time of a save</h2>" in section
    assert section.count("<tr><td>fdatasync ") == section.count("<tr><td>fsync ") == 4
    assert '<figure id="figure-measured">' in section


def test_a_report_is_made_again_from_its_records(measured: Measured) -> None:
    before = measured.report()
    (measured.folder / "report.html").unlink()
    assert before["answer"] in measured.ask("report", str(measured.folder))
    assert measured.report() == before
    assert '<section id="measured">' in (measured.folder / "report.html").read_text("utf-8")


def test_its_keys_are_explained(measured: Measured) -> None:
    said = measured.ask("explain", "workload.sizes")
    assert "Bytes of one save" in said and '["512 B", "4 KiB", "16 KiB"]' in said


def test_sql_has_its_size_in_its_role(measured: Measured) -> None:
    asked = "SELECT block_size_bytes, count(*) AS runs FROM runs GROUP BY ALL ORDER BY ALL"
    said = measured.ask("query", str(measured.folder), "--csv", asked)
    assert said.split() == ["block_size_bytes,runs", "512,12", "4096,12"]


def test_no_file_of_the_package_was_changed(measured: Measured) -> None:
    assert measured.package_before and package() == measured.package_before
