"""`fsgauge gate` from its words to its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.stats.gate.folders import study

from .conftest import Run


def folder(place: Path, number: int, **changes: object) -> str:
    """The results folder of day `number`."""
    return str(study(number, **changes).write(place / f"day-{number}"))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Six runs of equal builds."""
    place = tmp_path_factory.mktemp("accepted")
    return [folder(place, number) for number in range(1, 7)]


def test_a_gate_from_its_first_run_to_a_failed_build(
    fsgauge: Run, accepted: list[str], tmp_path: Path
) -> None:
    few = fsgauge("gate", "accept", *accepted[:2])
    assert few.returncode == 0, few.stderr
    assert few.stdout.startswith("too few runs: 2 of at least 5\n")
    assert "next: accept 3 more runs: fsgauge gate accept DIR" in few.stdout

    same = folder(tmp_path, 20)
    early = fsgauge("gate", "check", same)
    assert early.returncode == 5
    assert early.stdout.startswith("too noisy: too few accepted runs")
    assert "next: accept 3 more runs" in early.stdout

    ready = fsgauge("gate", "accept", *accepted[1:])
    assert ready.returncode == 0, ready.stderr
    assert "already accepted, and not counted twice: day-2" in ready.stdout
    assert "ready: sees a loss of " in ready.stdout
    assert "learnt from 6 runs in 6 sittings" in ready.stdout

    passed = fsgauge("gate", "check", same)
    assert passed.returncode == 0, passed.stdout
    assert passed.stdout.startswith("pass: no loss in 6 lines; one of 10 % would have been seen\n")

    slow = folder(tmp_path, 21, slower={"xfs": 0.85})
    failed = fsgauge("gate", "check", slow)
    assert failed.returncode == 1
    first, head, worst = failed.stdout.splitlines()[:3]
    assert first == "fail: 2 lines are worse"
    assert head.split() == ["accepted", "new", "ratio", "to", "raw", "runs", "differ", "by", "sees"]
    assert ", xfs, iops" in worst and worst.endswith("worse") and worst.count(" to ") == 2
    assert "next: look at what changed" in failed.stdout


def test_every_exit_code(fsgauge: Run, accepted: list[str], tmp_path: Path) -> None:
    assert fsgauge("gate", "check", accepted[0]).returncode == 2, "no file yet"
    made = fsgauge("gate", "accept", *accepted, "--file", "mine.json")
    assert made.returncode == 0 and not (tmp_path / "fsgauge-gate.json").exists()
    file = ("--file", "mine.json")
    assert fsgauge("gate", "check", accepted[0], *file).returncode == 2

    slower = folder(tmp_path, 20, slower=dict.fromkeys(("raw", "ext4", "xfs"), 0.8))
    undecided = fsgauge("gate", "check", slower, *file)
    assert undecided.returncode == 4
    assert "worse, but not relative to raw" in undecided.stdout
    let_through = fsgauge("gate", "check", slower, *file, "--on-undecided", "pass")
    assert let_through.returncode == 0
    assert let_through.stderr == "warning: undecided, which passes (--on-undecided)\n"

    noisy = folder(tmp_path, 21, noise=0.6)
    assert fsgauge("gate", "check", noisy, *file).returncode == 5

    same = folder(tmp_path, 22)
    kept = fsgauge("gate", "accept", *file, "--limit", "p99(read) < 1 us")
    assert kept.returncode == 0, kept.stderr
    broken = fsgauge("gate", "check", same, *file)
    assert broken.returncode == 1
    assert "broken     p99(read) < 1 us" in broken.stdout
    assert fsgauge("gate", "accept", *file, "--limit", "none").returncode == 0
    as_json = fsgauge("gate", "check", same, *file, "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)["verdict"]) == (0, "pass")

    text = (tmp_path / "mine.json").read_text()
    (tmp_path / "mine.json").write_text(
        text.replace('"loss_percent": 10.0', '"loss_percent": 50.0')
    )
    changed = fsgauge("gate", "check", same, *file)
    assert changed.returncode == 3 and "was changed after it was written" in changed.stderr


def test_a_reader_that_leaves_early_changes_no_exit_code(
    fsgauge: Run, accepted: list[str], tmp_path: Path
) -> None:
    """`fsgauge gate check DIR | head -1` of an equal build said "pass" and ended with 1."""
    assert fsgauge("gate", "accept", *accepted).returncode == 0
    for number, slower, code in ((20, {}, 0), (21, {"xfs": 0.85}, 1)):
        checked = folder(tmp_path, number, slower=slower)
        command = ["gate", "check", checked]
        assert fsgauge(*command).returncode == code
        assert closed_at_once(command, tmp_path) == code
    assert closed_at_once(["explain"], tmp_path) == 0


def closed_at_once(words: list[str], place: Path) -> int:
    """The exit code of a command whose output nothing reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "fsgauge", *words]
        return subprocess.run(command, cwd=place, stdout=writing, check=False).returncode
    finally:
        os.close(writing)


def test_too_noisy_is_said_at_accept_with_what_to_do(fsgauge: Run, tmp_path: Path) -> None:
    noisy = [folder(tmp_path, number, noise=0.25) for number in range(1, 7)]
    done = fsgauge("gate", "accept", *noisy)
    assert done.returncode == 5
    assert done.stdout.startswith("too noisy to see 10 %: the smallest loss that it sees")
    assert "next: " in done.stdout
    assert (tmp_path / "fsgauge-gate.json").exists()
    assert fsgauge("gate", "accept", "--loss", "90 %").returncode == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--loss", "10"], "has no unit"),
        (["--loss", "100 %"], "below 100 %"),
        (["--limit", "p99(write) < 5"], "has no unit"),
        (["--metric", "iop"], 'no accepted run has the metric "iop"'),
        (["--despite", "kernle"], 'did you mean "kernel"?'),
    ],
)
def test_wrong_words_end_in_two(
    fsgauge: Run, accepted: list[str], tmp_path: Path, more: list[str], said: str
) -> None:
    done = fsgauge("gate", "accept", accepted[0], *more)
    assert done.returncode == 2
    assert said in done.stderr and "next: " in done.stderr
    assert not (tmp_path / "fsgauge-gate.json").exists()
