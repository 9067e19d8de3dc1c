"""`fsgauge run` from its words to its exit code."""

from __future__ import annotations

import json
from pathlib import Path

from fsgauge.cli.execution import make_report, primary_ratios, report_in
from tests.synthetic import make_study

from .conftest import Run


def test_the_answer_and_the_report_are_the_last_two_lines(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    done = fsgauge(*small)
    assert done.returncode == 0, done.stderr
    answer, report = done.stdout.splitlines()[-2:]
    assert answer.startswith("answer: ")
    assert (tmp_path / report.removeprefix("report: ")).is_file()


def test_json_is_lines_of_json_only(fsgauge: Run, small: list[str]) -> None:
    done = fsgauge(*small[:-1], "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[0]["event"] == "study_started"
    assert events[-1]["event"] == "answer"
    assert events[-1]["ratios"] == []  # one system is compared with nothing
    assert sum(event["event"] == "run_ended" for event in events) == events[0]["runs"]


def test_plain_lines_name_every_run_on_standard_error(fsgauge: Run, small: list[str]) -> None:
    done = fsgauge(*small[:-1])
    lines = [line for line in done.stderr.splitlines() if line.startswith("block ")]
    assert len(lines) == 3 * 2 * 4
    assert len(done.stdout.splitlines()) == 2


def test_a_fault_of_the_storage_is_recorded_and_reported(fsgauge: Run, small: list[str]) -> None:
    done = fsgauge(*small, mode="fail")
    assert "Traceback" not in done.stderr
    report = Path(done.stdout.splitlines()[-1].removeprefix("report: "))
    assert done.returncode == 3, done.stderr
    assert report.name == "report.html"


def test_an_engine_that_says_nothing_is_the_rigs_failure(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    done = fsgauge(*small, mode="silent")
    assert done.returncode == 3
    assert done.stderr.startswith("error: the engine ended without a result")
    assert not list(tmp_path.glob("results/*"))


def test_an_engine_of_another_version_is_named(fsgauge: Run, small: list[str]) -> None:
    done = fsgauge(*small, mode="garbage")
    assert done.returncode == 3
    assert "different versions" in done.stderr


def test_a_missing_engine_says_where_it_was_looked_for(fsgauge: Run, small: list[str]) -> None:
    done = fsgauge(*small, FSGAUGE_ENGINE="/nowhere/engine")
    assert done.returncode == 3
    assert "tried /nowhere/engine" in done.stderr


def test_wrong_input_touches_nothing(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("run", "demo-user", "--set", "workload.blocksizes=4KiB")
    assert done.returncode == 2
    assert 'did you mean "' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_scratch_folder_is_gone_afterwards(fsgauge: Run, small: list[str], place: Path) -> None:
    fsgauge(*small)
    assert list(place.iterdir()) == []


def test_results_that_cannot_be_written_are_an_error_in_words(
    fsgauge: Run, small: list[str]
) -> None:
    done = fsgauge(*small, "--results", "/proc/results")
    assert done.returncode == 3
    assert "cannot write /proc/results" in done.stderr


def test_a_study_that_asked_ends_when_its_intervals_are_narrow(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    words = [*small, "--system", "a=mounted", "--system", f"b={other}"]
    done = fsgauge(*words, "--set", "plan.blocks=9", "--set", "plan.stop_interval=30 %")
    assert done.returncode == 0, done.stderr
    folder = (tmp_path / done.stdout.splitlines()[-1].removeprefix("report: ")).parent
    found = json.loads((folder / "report.json").read_text())
    assert found["sureness"]["blocks_planned"] == 6
    assert "plan.stopped" in {finding["code"] for finding in found["findings"]}
    assert {path.name[:3] for path in folder.glob("records/0*")} == {f"00{n}" for n in range(6)}


def test_the_primary_ratios_of_every_system(tmp_path: Path) -> None:
    make_study(blocks=3, queue_depths=(1, 32), block_sizes=(4096, 65536)).write(tmp_path)
    answer, page = make_report(tmp_path)
    assert page.is_file()
    ratios = primary_ratios(report_in(tmp_path))
    assert {entry["system"] for entry in ratios} == {"ext4", "xfs"}
    assert {entry["metric"] for entry in ratios} == {"iops"}
    assert len(ratios) == 2 * 3 * 2
    assert all(entry["low"] < entry["ratio"] < entry["high"] for entry in ratios)
    assert answer
