"""Lost data in a results folder: the first words of every command and page, and its exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.spoiled import noisy, with_lost_files, with_wrong_blocks
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study
from tests.synthetic_churn import make_churn

from .conftest import Run

SMALL: dict[str, Any] = {**ONE_CELL, "blocks": 6}
LOST = "Not valid: xfs did not keep what was written: in the only run read back, 2 torn, 1 lost"


def stored(folder: Path, made: SyntheticStudy, *, day: int = 0) -> str:
    started = made.study.started_unix_ns + day * 86_400 * 10**9
    study = made.study.model_copy(update={"started_unix_ns": started})
    return str(replace(made, study=study).write(folder))


def lost(seed: int) -> SyntheticStudy:
    return with_wrong_blocks(noisy(make_study(**SMALL, seed=seed)), "xfs")


def test_answer_page_and_document_begin_with_what_was_lost(fsgauge: Run, tmp_path: Path) -> None:
    folder = Path(stored(tmp_path / "a", lost(1)))
    done = fsgauge("report", str(folder))
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(f"answer: {LOST}")
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert document["answer"].startswith(LOST)
    assert document["sureness"]["data_lost"] is True
    assert document["findings"][0]["code"] == "integrity"
    assert f'<p class="answer invalid">{LOST}' in (folder / "report.html").read_text("utf-8")


def test_a_study_of_churn_tells_of_files_that_are_gone(fsgauge: Run, tmp_path: Path) -> None:
    """It counted a failed operation, and its answer was about rates."""
    folder = stored(tmp_path / "a", with_lost_files(make_churn(fills=(95,), blocks=3), "xfs"))
    done = fsgauge("report", folder)
    assert done.stdout.startswith("answer: Not valid: xfs lost what was written, or another")


@pytest.mark.parametrize("spoiled", ["a", "b"])
def test_a_comparison_begins_with_the_side_that_lost_data(
    spoiled: str, fsgauge: Run, tmp_path: Path
) -> None:
    """No ratio of a folder that is not valid crosses a limit; a gate that passed would hide it."""
    made = {label: make_study(**SMALL, seed=seed) for label, seed in (("a", 1), ("b", 2))}
    made[spoiled] = lost(3)
    folders = [stored(tmp_path / label, each) for label, each in made.items()]
    done = fsgauge("compare", *folders, "--fail-if", "ratio(iops) < 2")
    assert done.returncode == 1, done.stderr
    said = LOST.replace("Not valid: ", f"Not valid: {spoiled}: ")
    assert done.stdout.startswith(said)
    assert "undecided  ratio(iops) < 2" in done.stdout and "crossed" not in done.stdout
    page = (tmp_path / "b" / "comparison.html").read_text("utf-8")
    assert f'<p class="answer invalid">{said}' in page
    document = json.loads((tmp_path / "b" / "comparison.json").read_text("utf-8"))
    assert document[spoiled]["data_lost"] and "did not keep" in document[spoiled]["invalid_reason"]


def test_a_history_begins_with_the_folder_that_lost_data(fsgauge: Run, tmp_path: Path) -> None:
    folders = [
        stored(tmp_path / f"day-{day}", make_study(**SMALL, seed=60 + day), day=day)
        for day in range(2)
    ]
    folders.append(stored(tmp_path / "last", lost(9), day=2))
    done = fsgauge("history", *folders)
    assert done.returncode == 1, done.stderr
    said = LOST.replace("Not valid: ", "Not valid: last: ")
    assert done.stdout.startswith(said)
    page = (tmp_path / "last" / "history.html").read_text("utf-8")
    assert f'<p class="answer invalid">{said}' in page
