"""Every command that tells of a study ends with what the study came to."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import EngineFault
from tests.spoiled import with_wrong_blocks
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study
from tests.synthetic.setting import with_result

from .conftest import Run

SMALL: dict[str, Any] = {**ONE_CELL, "blocks": 6, "seed": 1}
FAULT = EngineFault(what="read failed", cause="the disk", next="dmesg", errno=5, code="io.read")


def failed(made: SyntheticStudy, *systems: str) -> SyntheticStudy:
    """With every run of these systems failed."""
    runs = [
        run.model_copy(update={"parts": [], "fault": FAULT}) if run.system in systems else run
        for run in made.runs
    ]
    return replace(made, runs=runs)


def apart(made: SyntheticStudy) -> SyntheticStudy:
    """With a baseline whose second turn of a block is the slower one, whatever the order."""
    runs = []
    for run in made.runs:
        assert run.result is not None
        longer = {"elapsed_ns": round(1.4 * run.result.elapsed_ns)}
        slow = with_result(run, run.result.model_copy(update=longer))
        runs.append(slow if run.again else run)
    return replace(made, runs=runs)


def fine() -> SyntheticStudy:
    return make_study(**SMALL)


def of_all(made: SyntheticStudy) -> SyntheticStudy:
    return failed(made, *made.study.plan.systems)


STUDIES = {
    "fine": (fine(), 0),
    "lost data": (with_wrong_blocks(fine(), "xfs"), 1),
    "not valid": (apart(fine()), 1),
    "all failed": (of_all(fine()), 3),
    "baseline failed": (failed(fine(), fine().study.plan.baseline), 3),
    "one of several failed": (failed(fine(), "xfs"), 0),
    "lost data, the rest failed": (failed(with_wrong_blocks(fine(), "xfs"), "raw"), 1),
}


@pytest.mark.parametrize("name", STUDIES)
def test_report_ends_with_what_the_study_came_to(name: str, fsgauge: Run, tmp_path: Path) -> None:
    made, code = STUDIES[name]
    assert fsgauge("report", str(made.write(tmp_path / "a"))).returncode == code


def test_several_folders_end_with_the_gravest(fsgauge: Run, tmp_path: Path) -> None:
    folders = {
        name: str(made.write(tmp_path / str(number)))
        for number, (name, (made, _)) in enumerate(STUDIES.items())
    }
    assert fsgauge("report", folders["fine"], folders["all failed"]).returncode == 3
    both = fsgauge("report", folders["lost data"], folders["all failed"], folders["fine"])
    assert both.returncode == 1


def test_a_run_of_which_nothing_could_be_measured_fails_and_says_why(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    done = fsgauge(*small, mode="fail")
    assert done.returncode == 3
    (folder,) = (tmp_path / "results").iterdir()
    again = fsgauge("resume", str(folder))
    assert again.returncode == 3 and "nothing is left to measure" in again.stderr
    error = done.stderr[done.stderr.index("error: nothing of what") :]
    assert "cause: the device returned an error\nnext: dmesg | tail\n" in error


def test_no_advice_to_go_on_where_every_run_was_made(fsgauge: Run, tmp_path: Path) -> None:
    """It said "let the study run to its end, or go on with resume", which had nothing to do."""
    folder = of_all(fine()).write(tmp_path / "a")
    fsgauge("report", str(folder))
    findings = json.loads((folder / "report.json").read_text("utf-8"))["findings"]
    said = {each["code"]: each["advice"] for each in findings}
    assert "mend what made runs fail" in said["noise.unknown"]
    assert not any("resume DIR" in advice for advice in said.values())


def test_advice_to_go_on_where_runs_were_never_made(fsgauge: Run, tmp_path: Path) -> None:
    folder = make_study(**SMALL, paused_after_runs=1).write(tmp_path / "a")
    assert fsgauge("report", str(folder)).returncode == 3
    findings = json.loads((folder / "report.json").read_text("utf-8"))["findings"]
    said = {each["code"]: each["advice"] for each in findings}
    assert said["noise.unknown"] == "fsgauge resume DIR runs the rest."


@pytest.mark.parametrize("name", ["lost data", "not valid"])
def test_a_comparison_with_such_a_side_is_a_finding(
    name: str, fsgauge: Run, tmp_path: Path
) -> None:
    """Without limits as with them: before, only a limit made it tell."""
    a = str(fine().write(tmp_path / "a"))
    b = str(STUDIES[name][0].write(tmp_path / "b"))
    assert fsgauge("compare", a, b).returncode == 1
    limit = ("--fail-if", "ratio(iops) < 0.5")
    assert fsgauge("compare", b, a, *limit, "--on-undecided", "pass").returncode == 1


def test_folders_that_have_nothing_in_common_are_no_success(fsgauge: Run, tmp_path: Path) -> None:
    a = str(fine().write(tmp_path / "a"))
    b = str(of_all(fine()).write(tmp_path / "b"))
    despite = ("--despite", "engine", "--despite", "engine-profile")
    done = fsgauge("compare", a, b, *despite)
    assert done.returncode == 3, done.stderr


def test_a_history_of_folders_without_any_ratio_is_no_success(fsgauge: Run, tmp_path: Path) -> None:
    """ "3 folders are too few to see a step in", and exit code 0."""
    folders = [str(of_all(fine()).write(tmp_path / str(number))) for number in range(3)]
    done = fsgauge("history", *folders)
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("Nothing can be followed")
