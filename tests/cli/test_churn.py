"""A study of churn from its words to its plan; what cannot be is refused, nothing made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, is_planned


def test_the_plan_says_what_is_made_anew_and_what_it_costs(fsgauge: Run) -> None:
    done = fsgauge("plan", "churn", "--full", "--verbose")
    assert is_planned(done), done.stderr
    assert "system    ext4: baseline, twice in each block; mkfs -m 0" in done.stdout
    assert "240 runs in 5 blocks" in done.stdout
    assert done.stdout.count("    on a new system: ") == 5
    assert "fresh, the same tree on a newly made system" in done.stdout
    assert "not shown appends to old files" in done.stdout
    order = next(line for line in done.stdout.splitlines() if "block 1:" in line)
    assert order.count("ext4") == 2
    assert order.count(",") == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--system", "raw"], ["is a bare device", "files come and go"]),
        (["--set", "workload.mode=fast"], ["holds no data", 'tests = ["write"]']),
        (["--storage", "loop:64MiB"], ["4 clients have no room", "larger storage"]),
        (["--set", "workload.fills=50"], ["fills"]),
        (["--set", "workload.largest_size=600MiB"], ["a file of 600 MiB does not fit"]),
        (["--set", "workload.files=3"], ['unknown key "files"']),
    ],
)
def test_what_cannot_be_is_refused(fsgauge: Run, words: list[str], said: list[str]) -> None:
    done = fsgauge("plan", "churn", "--full", *words)
    assert done.returncode == 2, done.stdout
    assert all(each in done.stderr for each in said), done.stderr
    assert "Traceback" not in done.stderr


def test_the_shipped_study_can_be_copied_and_explained(fsgauge: Run, tmp_path: Path) -> None:
    assert fsgauge("study", "new", "mine", "--like", "churn").returncode == 0
    assert 'kind = "churn"' in (tmp_path / "mine.toml").read_text()
    for name in ("damage", "workload.storage_age", "workload.fills"):
        assert fsgauge("explain", name).returncode == 0
