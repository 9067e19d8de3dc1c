"""The commands that measure nothing, and what every command has in common."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.cli import _COMMANDS
from tests.synthetic import make_study

from .conftest import Run, is_planned


@pytest.mark.parametrize("command", ["", *_COMMANDS])
def test_every_command_has_help(fsgauge: Run, command: str) -> None:
    done = fsgauge(*command.split(), "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["nosuch"], "No such command"),
        (["run"], "Missing argument 'STUDY'"),
        (["run", "nosuch"], 'there is no study "nosuch"'),
        (["plan", "overhead", "--nosuch"], "No such option"),
        (["run", "overhead", "--discard-unknown-data"], "no device is named"),
        (["report", "nowhere"], "there is no folder nowhere"),
        (["explain", "nosuch"], 'there is no number and no key "nosuch"'),
    ],
)
def test_wrong_words_end_in_two_with_the_next_command(
    fsgauge: Run, words: list[str], part: str
) -> None:
    done = fsgauge(*words)
    assert done.returncode == 2
    assert part in done.stderr
    assert "next: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("create.mean", "# Mean latency"),
        ("read.p99", "# p99 latency"),
        ("plan.blocks", "plan.blocks"),
    ],
)
def test_numbers_of_an_operation_and_keys_are_explained(
    fsgauge: Run, name: str, first: str
) -> None:
    done = fsgauge("explain", name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == first


def test_a_wrong_number_of_an_operation_gets_the_nearest(fsgauge: Run) -> None:
    done = fsgauge("explain", "create.meen")
    assert done.returncode == 2
    assert 'did you mean "mean"?' in done.stderr


def test_plan_prints_order_time_bytes_and_effect(fsgauge: Run) -> None:
    done = fsgauge("plan", "overhead", "--seed", "1")
    assert is_planned(done)
    for word in ("order ", "time ", "written ", "destroyed nothing", "shows "):
        assert word in done.stdout


@pytest.mark.parametrize(
    "refused", [["--system", "ext4:mount=nosuch"], ["--storage", "loop:900000GiB"]]
)
def test_a_plan_that_would_be_refused_ends_as_the_run_would(
    fsgauge: Run, refused: list[str]
) -> None:
    words = ["overhead", "--set", "plan.blocks=3", *refused]
    planned, run = fsgauge("plan", *words), fsgauge("run", *words, "--quiet")
    assert "\nrefused " in planned.stdout
    assert planned.returncode == run.returncode != 0


def test_a_plan_of_what_is_left_alone_ends_with_2(fsgauge: Run) -> None:
    done = fsgauge("plan", "overhead", "--system", "ext4:mkfs=-Q")
    assert 'refused   "-Q" is not known to be safe as root' in done.stdout
    assert done.returncode == 2


def test_plan_as_json_is_the_same_plan(fsgauge: Run) -> None:
    first, second = (
        json.loads(fsgauge("plan", "overhead", "--seed", "1", "--json").stdout) for _ in range(2)
    )
    assert first == second
    assert first["plan"]["seed"] == 1


def test_plan_takes_the_noise_from_a_pilot(fsgauge: Run, tmp_path: Path) -> None:
    pilot = make_study(blocks=5, queue_depths=(1, 32), block_sizes=(4096,)).write(tmp_path / "a")
    done = fsgauge("plan", "overhead", "--pilot", str(pilot))
    assert is_planned(done)
    assert "cells in 5 blocks; equal runs differed by" in done.stdout
    assert "the noisiest," in done.stdout
    twice = fsgauge("plan", "overhead", "--pilot", str(pilot), "--noise", "3 %")
    assert twice.returncode == 2
    assert "--noise and --pilot both say what the noise is" in twice.stderr


def test_plan_takes_the_time_from_a_pilot_of_the_same_work(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    done = fsgauge(*small)
    assert done.returncode == 0, done.stderr
    pilot = str((tmp_path / done.stdout.splitlines()[-1].removeprefix("report: ")).parent)
    words = ["plan", *[word for word in small[1:] if word != "--quiet"], "--pilot", pilot]
    planned = fsgauge(*words)
    assert planned.returncode == 0, planned.stderr
    assert "a block, the same work: the time is taken from it" in planned.stdout
    assert "the time is the pilot's" in planned.stdout
    found = json.loads(fsgauge(*words, "--json").stdout)
    assert found["pilot_time"]["used"]
    assert found["pilot_time"]["blocks"] == 3
    per_block = found["description"]["expected_seconds"] / 3
    around = per_block - found["pilot_time"]["block_seconds"]
    assert 0 < around < found["plan"]["expected_seconds"] / 3
    other = fsgauge(*words, "--set", "workload.queue_depths=[2]")
    assert "of other cells, systems or storage: the time is not taken from it" in other.stdout


def test_a_new_study_can_be_planned_at_once_and_is_never_overwritten(
    fsgauge: Run, tmp_path: Path
) -> None:
    assert fsgauge("study", "new", "mine").returncode == 0
    assert (tmp_path / "mine.toml").is_file()
    assert is_planned(fsgauge("plan", "mine.toml"))
    assert fsgauge("study", "new", "mine").returncode == 2


def test_a_report_can_be_made_again_elsewhere(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    page = tmp_path / fsgauge(*small).stdout.splitlines()[-1].removeprefix("report: ")
    moved = tmp_path / "moved"
    page.parent.rename(moved)
    before = (moved / "report.html").read_text()
    done = fsgauge("report", str(moved), FSGAUGE_ENGINE="/nowhere")
    assert done.returncode == 0, done.stderr
    assert (moved / "report.html").read_text() == before


def test_a_record_that_was_cut_short_afterwards_is_named(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    page = tmp_path / fsgauge(*small).stdout.splitlines()[-1].removeprefix("report: ")
    victim = next(page.parent.glob("records/*/0*.json"))
    victim.write_text(victim.read_text()[:100])
    done = fsgauge("report", str(page.parent))
    assert done.returncode == 3
    assert victim.name in done.stderr
    done = fsgauge("report", str(page.parent), "--accept-changed")
    assert done.returncode == 2
    assert f"{victim.name} is not complete JSON" in done.stderr


def test_a_record_of_a_newer_version_says_so(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    page = tmp_path / fsgauge(*small).stdout.splitlines()[-1].removeprefix("report: ")
    victim = page.parent / "study.json"
    victim.write_text(json.dumps(json.loads(victim.read_text()) | {"format": 99}))
    done = fsgauge("report", str(page.parent))
    assert done.returncode == 2
    assert "format 99" in done.stderr
