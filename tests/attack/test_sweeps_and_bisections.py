"""Sweeps, bisections and named files that another user laid out: links, pipes, devices.

Before, root's `resume` of another user's sweep appended text of that user's choice to whatever
points/001/log.txt led to, and waited for ever at a pipe.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from fsgauge.bisect.log import FILE as LOG
from fsgauge.bisect.log import Log, read_log, write_bisect
from fsgauge.cli.sweeping import page_of_sweep, resume_sweep
from fsgauge.errors import InputError
from fsgauge.study.parse import parse_study
from fsgauge.sweep.folder import FILE, Sweep, new_sweep, read_sweep
from fsgauge.sweep.running import run_points
from tests.attack.test_results_folder import (
    KINDS,
    given_to,
    in_bounded_time,
    replace,
    victim,
)
from tests.unit.bisect.test_judging import ASKED

__all__ = ["victim"]
STUDY = """\
format = 1
question = "S?"
name = "s"
[storage]
kind = "simulated"
size = "128 MiB"
[[system]]
name = "best-fit"
[[system]]
name = "worst-fit"
[workload]
kind = "churn"
[sweep]
years = [0, 1]
[plan]
blocks = 2
"""


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    return new_sweep(parse_study(STUDY, "s.toml", "s"), tmp_path / "results")


@pytest.mark.parametrize("kind", [*KINDS, "link to nothing"])
@pytest.mark.parametrize("name", [FILE, "points/001", "points/001/log.txt"])
def test_a_sweep_is_read_and_continued_through_no_link(
    sweep: Sweep, victim: Path, name: str, kind: str
) -> None:
    place = sweep.directory / name
    if place.is_dir():
        shutil.rmtree(place)
        if kind == "folder":
            pytest.skip("it is one")
    replace(place, kind, victim)
    said = in_bounded_time(lambda: resume_sweep(sweep.directory))
    assert said[:3] in ("2: ", "3: "), said


def test_a_point_whose_study_is_no_plain_file_fails_alone(sweep: Sweep, victim: Path) -> None:
    replace(sweep.points[0].file, "link to a secret", victim)
    said = in_bounded_time(lambda: resume_sweep(sweep.directory))
    assert said.startswith("3: ") and "1 of 2 points" in said and "it is a link" in said, said
    assert sweep.points[1].report() is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_of_a_point_is_a_plain_file(sweep: Sweep, victim: Path, kind: str) -> None:
    results = sweep.points[1].directory / "s-2026"
    results.mkdir()
    (results / "study.json").write_text("{}")
    replace(results / "report.json", kind, victim)
    for work in (lambda: page_of_sweep(sweep.directory), lambda: resume_sweep(sweep.directory)):
        said = in_bounded_time(work)
        assert said.startswith("2: ") and "report.json" in said, said


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"sureness": 1}',
        "[" * 10**6,
        '{"sureness": {"blocks_complete": 9, "blocks_planned": 1}}',
    ],
)
def test_a_report_of_a_point_that_says_nonsense_is_an_error_in_words(
    sweep: Sweep, content: str
) -> None:
    results = sweep.points[0].directory / "s-2026"
    results.mkdir()
    for name, text in {"study.json": "{}", "report.json": content}.items():
        (results / name).write_text(text)
    said = in_bounded_time(lambda: page_of_sweep(sweep.directory))
    assert said.startswith("2: ") and "next:" in said, said


@pytest.mark.root
@pytest.mark.parametrize("what", ["all", "a point", "a log"])
def test_root_does_not_go_on_with_another_users_sweep(
    sweep: Sweep, tmp_path: Path, victim: Path, what: str
) -> None:
    log = sweep.points[0].directory / "log.txt"
    log.symlink_to(victim)
    if what == "all":
        given_to(sweep.directory)
    else:
        os.lchown(log if what == "a log" else sweep.points[0].file, 65534, 65534)
    said = in_bounded_time(lambda: resume_sweep(sweep.directory))
    assert said.startswith("2: ") and "root does not resume" in said, said
    assert not (sweep.points[1].directory / "log.txt").exists()


@pytest.mark.root
def test_a_page_of_a_sweep_by_root_is_its_owners(sweep: Sweep) -> None:
    given_to(sweep.directory)
    page_of_sweep(sweep.directory)
    assert (sweep.directory / "sweep.html").stat().st_uid == 65534


def test_a_sweep_that_is_exchanged_meanwhile_is_not_gone_on_with(
    sweep: Sweep, tmp_path: Path
) -> None:
    """Its points run in the folder that was checked, or not at all."""
    begun = read_sweep(sweep.directory, to_go_on=True)
    sweep.directory.rename(tmp_path / "moved")
    shutil.copytree(tmp_path / "moved", sweep.directory)
    said = in_bounded_time(lambda: run_points(begun, lambda _: None))
    assert said.startswith("2: ") and "is not the folder whose records were read" in said
    assert not list(sweep.directory.rglob("log.txt"))


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "..", "a/b", "x" * 80, "-rf", "\N{SNOWMAN}"])
def test_the_name_of_a_sweep_leads_nowhere(tmp_path: Path, name: str) -> None:
    """Its folder was made where the name said."""
    place = tmp_path / "deep" / "results"
    made = new_sweep(parse_study(STUDY.replace('"s"', json.dumps(name), 1), "s.toml", "s"), place)
    assert [made.directory] == list(place.iterdir())
    assert [each.name for each in tmp_path.iterdir()] == ["deep"]


@pytest.fixture
def bisection(tmp_path: Path) -> Path:
    folder = tmp_path / "bisection"
    write_bisect(Log(asked=ASKED, kernels=[ASKED.good, ASKED.bad]), folder)
    return folder


@pytest.mark.parametrize("kind", [*KINDS, "device", "link to nothing"])
def test_a_log_of_a_bisection_is_a_plain_file(bisection: Path, victim: Path, kind: str) -> None:
    """A link to nothing was taken for no log."""
    replace(bisection / LOG, kind, victim)
    said = in_bounded_time(lambda: read_log(bisection, ASKED))
    assert said.startswith("2: ") and LOG in said, said


@pytest.mark.parametrize(
    "kernels", [[], [ASKED.bad], [ASKED.good, "curl evil"], [ASKED.good, "x", ASKED.bad, "y"]]
)
def test_kernels_of_a_log_are_those_that_were_asked_for(
    bisection: Path, kernels: list[str]
) -> None:
    """Each is a package that root fetches and starts."""
    found = json.loads((bisection / LOG).read_text()) | {"kernels": kernels}
    (bisection / LOG).write_text(json.dumps(found))
    with pytest.raises(InputError, match="cannot be read as the log of a bisection"):
        read_log(bisection, ASKED)


@pytest.mark.root
def test_root_does_not_go_on_with_another_users_bisection(bisection: Path) -> None:
    given_to(bisection)
    with pytest.raises(InputError, match="root does not resume") as refused:
        read_log(bisection, ASKED)
    assert "ls -la" in refused.value.next
