"""A small sweep from its study to its page, by the real engine: whole, cut short, failed.

Each point is a run of its own in a process of its own, which is what is tested: some seconds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner

from fsgauge.cli.report import command as report
from fsgauge.cli.sweeping import of_sweep, resume_sweep, run_sweep, sweep_lines
from fsgauge.errors import InputError, Interrupted, RigError
from fsgauge.plan.preview import PlanDescription
from fsgauge.rig.registry import rig_named
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.points import points_of
from fsgauge.sweep.folder import is_sweep, new_sweep, read_sweep
from fsgauge.sweep.running import run_points

FILE = """\
format = 1
question = "How long do reads stay fast?"
[storage]
kind = "simulated"
size = "128 MiB"
[[system]]
name = "ext4-6.18"
[[system]]
name = "block-at-a-time"
[workload]
kind = "churn"
fills = ["80 %"]
tests = ["read"]
[sweep]
years = [2, 0]
rewrites_a_year = 0.5
profiles = ["median_size=64 KiB", "median_size=256 KiB; size_sigma=1"]
[plan]
blocks = 3
seed = 7
"""


def study(text: str = FILE) -> Study:
    return parse_study(text, "years.toml", "years")


def test_a_point_is_a_study_of_its_own_with_the_years_in_its_age() -> None:
    whole = study()
    assert whole.sweep is not None
    points = points_of(whole, whole.sweep)
    assert [(each.years, each.study.workload.storage_age) for each in points] == [
        *((0, 1.0), (2, 2.0)),
        *((0, 1.0), (2, 2.0)),
    ]
    assert points[3].study.workload.size_sigma == 1
    assert all(each.study.sweep is None and each.study.plan.seed == 7 for each in points)
    assert sweep_lines(whole)[0].startswith("sweep     after 0, 2 years; 2 profiles; 4 points of 9")


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('kind = "churn"', 'kind = "connections"', "has no years"),
        ('kind = "simulated"', 'kind = "loop"', "years are simulated"),
        ("years = [2, 0]", "years = [-1]", "years"),
        ("years = [2, 0]", "years = [1, 1]", "twice"),
        ("median_size=64 KiB", "median_size=4 bananas", "bananas"),
        ("median_size=64 KiB", "median_size=4 PiB", "median_size must be at most 1 TiB"),
        ("median_size=64 KiB", "tail_percent=120 %", "tail_percent must be at most 100 %"),
        ("median_size=64 KiB", "median_sise=4 KiB", 'no such key: "median_sise=4 KiB"'),
        ("median_size=64 KiB", "bananas=4", '"bananas=4"; there are: age_time_limit, '),
        ("median_size=64 KiB", "median_size", '"median_size" has no value'),
        ("median_size=64 KiB", "storage_age=4", "storage_age would be ignored: it is what years"),
        ("median_size=64 KiB", "kind=aging", 'no such key: "kind=aging"'),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_where_it_stands(
    before: str, after: str, says: str
) -> None:
    text = FILE.replace(before, after)
    if "connections" in after:
        text = text.replace('fills = ["80 %"]\ntests = ["read"]\n', "")
    with pytest.raises(InputError) as refused:
        study(text)
    assert says in refused.value.what
    assert refused.value.location is not None


def test_a_key_that_is_nearly_one_is_answered_with_it() -> None:
    """All keys stood in one line, and the one that was meant among them."""
    with pytest.raises(InputError) as refused:
        study(FILE.replace("median_size=64 KiB", "median_siz=64 KiB"))
    assert refused.value.what == 'the workload has no such key: "median_siz=64 KiB"'
    assert refused.value.location is not None
    assert refused.value.location.hint == 'did you mean "median_size"?'


def test_what_a_point_cannot_be_is_underlined_in_the_sweep() -> None:
    """A profile out of range was refused in the words of pydantic, without a line; and so were
    years that are more than a tree can be rewritten."""
    with pytest.raises(InputError) as refused:
        study(FILE.replace("size_sigma=1", "size_sigma=11"))
    found = refused.value.location
    assert found is not None
    assert refused.value.what == "size_sigma must be at most 10"
    assert found.text[found.column - 1 :][: found.width] == "size_sigma=11"
    assert refused.value.next == "fsgauge explain workload.size_sigma"
    with pytest.raises(InputError) as refused:
        study(FILE.replace("[2, 0]", "[100, 0]").replace("a_year = 0.5", "a_year = 1000"))
    found = refused.value.location
    assert found is not None
    assert found.text == "years = [100, 0]"
    assert refused.value.details == ("100 years of 1000 rewrites each make it 100001",)


def test_another_rig_has_no_years(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--rig host has none") as refused:
        run_sweep(study(), rig_named("host"), tmp_path)
    assert "--rig simulator" in refused.value.next
    assert list(tmp_path.iterdir()) == []


def test_years_follow_every_system_and_none_leaves_in_a_race(tmp_path: Path) -> None:
    """Systems that had left were in no answer, each year another one."""
    raced = load_study("years", ["plan.mode=race"])
    for refused in (
        lambda: run_sweep(raced, rig_named("simulator"), tmp_path),
        lambda: of_sweep(cast(PlanDescription, None), raced, rig_named("simulator")),
    ):
        with pytest.raises(InputError, match="systems leave a race"):
            refused()
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_is_whole_after_a_cut_and_its_page_says_simulated_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = FILE.replace(', "median_size=256 KiB; size_sigma=1"', "")
    assert run_sweep(study(one), rig_named("simulator"), tmp_path) == 0
    (directory,) = tmp_path.iterdir()
    assert is_sweep(directory)
    said = capsys.readouterr().out.splitlines()
    start = "answer: Simulated, not measured. After 2 years, reads of the aged tree have "
    assert said[0].startswith(start)
    # What was there before the first year is not the years' doing.
    assert re.search(r" [KM]iB/s on ext4-6.18, \d+ % of year 0's rate \(", said[0])
    page = (directory / "sweep.html").read_text()
    line = page.split('<p class="simulated" id="simulated">')[1].split("</p>")[0]
    assert line.startswith("<b>Simulated, not measured, by model 3 on disks-8+2-2012.</b>")
    assert "agrees with Linux 6.18 in 62 of 62 checkpoints" in line
    found = json.loads((directory / "sweep.json").read_text())
    assert len(found["panels"]) == 2  # aged and fresh
    for panel in found["panels"]:
        for line in panel["lines"]:
            assert [point["years"] for point in line["points"]] == [0, 2]
            assert all(point["lives"] == 3 for point in line["points"])
            assert all(point["low"] <= point["value"] <= point["high"] for point in line["points"])

    # What is whole is not simulated again; what is gone is.
    first, *others = read_sweep(directory).points
    kept = {each.directory: each.results for each in others}
    shutil.rmtree(first.results or tmp_path / "none")
    before = (directory / "sweep.json").read_text()
    assert resume_sweep(directory) == 0
    again = read_sweep(directory)
    assert {each.directory: each.results for each in again.points[1:]} == kept
    rates = [[line["points"] for line in panel["lines"]] for panel in json.loads(before)["panels"]]
    after = json.loads((directory / "sweep.json").read_text())["panels"]
    assert [[[p["value"] for p in points] for points in panel] for panel in rates] == [
        [[p["value"] for p in line["points"]] for line in panel["lines"]] for panel in after
    ]


def test_the_page_of_a_sweep_is_made_again_from_the_points_that_are_whole(tmp_path: Path) -> None:
    """`fsgauge report` of a sweep's folder looked for the records of a single study."""
    sweep = new_sweep(study(FILE.replace(', "median_size=256 KiB; size_sigma=1"', "")), tmp_path)
    shown = CliRunner().invoke(report, [str(sweep.directory)])
    assert shown.exit_code == 0, shown.output
    assert "answer: No point is whole yet." in shown.output
    assert "not simulated yet" in (sweep.directory / "sweep.html").read_text()
    refused = CliRunner().invoke(report, [str(sweep.directory), "--set", "workload.disk.window=3"])
    assert isinstance(refused.exception, InputError)
    assert "--set is for one study" in refused.exception.what


def test_an_interruption_leaves_nothing_running_and_a_sweep_that_goes_on(tmp_path: Path) -> None:
    text = FILE.replace("128 MiB", "4 GiB").replace("blocks = 3", "blocks = 20")
    sweep = new_sweep(study(text), tmp_path)

    def cut() -> None:
        for _ in range(300):
            if any(each.results for each in sweep.points):
                break
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=cut).start()
    with pytest.raises(Interrupted):
        run_points(sweep, lambda _: None)
    theirs = [
        each.name
        for each in Path("/proc").iterdir()
        if each.name.isdigit() and str(sweep.directory) in _command(each)
    ]
    assert theirs == []
    assert read_sweep(sweep.directory).points[0].report() is None


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def test_a_point_that_fails_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    sweep = new_sweep(study(FILE.replace(', "median_size=256 KiB; size_sigma=1"', "")), tmp_path)
    sweep.points[0].file.write_text("format = 2\n")
    with pytest.raises(RigError, match="1 of 2 points failed") as ended:
        resume_sweep(sweep.directory)
    assert "fsgauge resume" in ended.value.next
    page = (sweep.directory / "sweep.html").read_text()
    assert "not in it: 0 years, median_size=64 KiB:" in page


def test_the_shipped_sweep_has_points() -> None:
    shipped = load_study("years", [], [], None, 1)
    assert shipped.sweep is not None
    assert len(points_of(shipped, shipped.sweep)) == 10


def test_a_target_s_years_are_written_in_turns() -> None:
    """Files written one by one lie alike whatever is set aside for each: 1 and 8 MiB were equal."""
    shipped = load_study("ost-years", [], [], None, 1)
    assert shipped.sweep is not None
    points = points_of(shipped, shipped.sweep)
    assert {each.study.workload.written_in_turns for each in points} == {1 << 20}
    assert [each.study.workload.storage_age for each in points] == [1.0, 2.0, 4.0, 6.0]


def test_records_of_a_point_that_were_changed_are_accepted_where_it_is_said(tmp_path: Path) -> None:
    """Accepted, it changed nothing for a sweep, and what helps was said in a log alone."""
    text = FILE.replace(', "median_size=256 KiB; size_sigma=1"', "").replace("[2, 0]", "[0]")
    sweep = new_sweep(study(text), tmp_path)
    assert run_points(sweep, lambda _: None) == []
    (point,) = sweep.points
    assert point.results is not None
    (point.results / "report.json").unlink()
    scan = next(point.results.glob("records/*/scan-*.json"))
    scan.write_text(scan.read_text().replace("{", "{ ", 1))
    (failed,) = run_points(read_sweep(sweep.directory), lambda _: None)
    assert "changed after" in failed.said and "--despite changed-records" in failed.said
    assert run_points(read_sweep(sweep.directory), lambda _: None, accept_changed=True) == []
