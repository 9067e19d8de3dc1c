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
MOST_FILES = 8
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
    *("--set", "workload.warm_up=20ms", "--set", "workload.duration=100ms"),
    *("--set", "plan.blocks=2"),
]
TRIES = 3
"""A study that is not valid says so in the place of its kind's sentence."""
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
        path = kinds / "commits" / name
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
    study = ["commits", *SMALL]
    for name in ("one", "two"):
        (work / name).mkdir()
        study += ["--system", f"{name}={work / name}"]
    planned = ask("plan", *study)
    for results in (f"results{number}" for number in range(TRIES)):
        ask("run", *study, "--results", results)
        (folder,) = (work / results).iterdir()
        found = Measured(folder, ask, planned, before)
        if found.report()["sureness"]["valid"]:
            break
    return found


def test_it_is_eight_files() -> None:
    names = set(files_of_the_guide())
    assert 0 < len(names) <= MOST_FILES
    assert GUIDE.read_text("utf-8").count("\n```\n") == len(names), "each block has its file's name"


def test_the_package_itself_has_no_such_kind() -> None:
    named = [path for path in package() if b"CommitsWorkload" in path.read_bytes()]
    assert named == [] and not (PACKAGE / "kinds" / "commits").exists()


def test_a_plan_says_what_its_method_says(measured: Measured) -> None:
    assert "one buffered write and fdatasync, then the next" in measured.planned
    assert "12 runs in 2 blocks" in measured.planned
    assert "not shown what group commit gains" in measured.planned


def test_each_run_synced_after_every_write(measured: Measured) -> None:
    runs = measured.runs()
    assert len(runs) == 12 and all(run["fault"] is None for run in runs)
    for run in runs:
        writes, syncs = (
            result_of(run)["write"]["operations"],
            result_of(run)["sync"]["calls"],
        )
        assert writes > 0 and abs(writes - syncs) <= 1


def test_its_own_results_are_those_of_its_records(measured: Measured) -> None:
    report = measured.report()
    own = {(each["cell"], each["system"]): each for each in report["own"]["commits"]}
    assert set(own) == {(c, s) for c in ("commit-512B", "commit-4KiB") for s in ("one", "two")}
    rates = {
        (each["cell"], each["system"]): each["value"]
        for each in report["measurements"]
        if each["metric"] == "iops"
    }
    for place, each in own.items():
        assert each["mean_ns"]["value"] == pytest.approx(1e9 / rates[place])
        runs = [run for run in measured.runs() if (run["cell"]["id"], run["system"]) == place]
        slowest_ns = max(result_of(run)["sync"]["latency"]["max_ns"] for run in runs)
        assert each["slowest_sync_ns"] == slowest_ns


def test_its_finding_is_there_where_a_sync_took_long(measured: Measured) -> None:
    report = measured.report()
    names = {cell["id"]: cell["name"] for cell in report["cells"]}
    long = {
        f"{each['system']}, {names[each['cell']]}"
        for each in report["own"]["commits"]
        if each["slowest_sync_ns"] >= 10 * each["mean_ns"]["value"]
    }
    found = [each for each in report["findings"] if each["code"] == "commits.long_wait"]
    assert {where for each in found for where in each["where"]} == long


def test_the_page_has_its_sentence_and_its_section(measured: Measured) -> None:
    sentence = measured.report()["answer"]
    if sentence.startswith("Not valid: the baseline differs from itself"):
        pytest.skip(f"so short a study, {TRIES} times on a busy machine: {sentence}")
    assert re.fullmatch(r"A commit of 512 B takes .* on one .* and .* on two .*\.", sentence)
    page = (measured.folder / "report.html").read_text("utf-8")
    assert sentence in page
    section = page.partition('<section id="commits">')[2].partition("</section>")[0]
    assert "<h2>How long a commit takes</h2>" in section
    assert section.count("<tr><td>commit ") == 4


def test_a_report_is_made_again_from_its_records(measured: Measured) -> None:
    before = measured.report()
    (measured.folder / "report.html").unlink()
    assert before["answer"] in measured.ask("report", str(measured.folder))
    assert measured.report() == before
    assert '<section id="commits">' in (measured.folder / "report.html").read_text("utf-8")


def test_its_keys_are_explained(measured: Measured) -> None:
    said = measured.ask("explain", "workload.sizes")
    assert "Bytes of one commit" in said and '["512 B", "4 KiB", "16 KiB"]' in said


def test_sql_has_its_size_in_its_role(measured: Measured) -> None:
    asked = "SELECT block_size_bytes, count(*) AS runs FROM runs GROUP BY ALL ORDER BY ALL"
    said = measured.ask("query", str(measured.folder), "--csv", asked)
    assert said.split() == ["block_size_bytes,runs", "512,6", "4096,6"]


def test_no_file_of_the_package_was_changed(measured: Measured) -> None:
    assert measured.package_before and package() == measured.package_before
