"""A study of writers from its words to its records, with an engine that does no I/O."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.synthetic.setting import result_of

from .conftest import Run, in_a_folder, is_planned


@pytest.fixture
def study(place: Path) -> Path:
    """Writers of one file and of own files in a folder, small."""
    words = ('kind = "writers"', "writers = [2]", 'ranges = ["shared", "own files"]', "readers = 1")
    return in_a_folder(place, "\n".join(words))


def test_records_say_who_wrote_where(fsgauge: Run, study: Path, tmp_path: Path) -> None:
    done = fsgauge("run", str(study), "--quiet")
    assert done.returncode == 0, done.stderr
    folder = (tmp_path / done.stdout.splitlines()[-1].removeprefix("report: ")).parent
    runs = [json.loads(path.read_text()) for path in folder.glob("records/*/[0-9]*.json")]
    assert len(runs) == 2 * 2 * 2
    for run in runs:
        cell, job, result = (
            run["cell"]["factors"],
            run["job"],
            result_of(run),
        )
        own = cell["ranges"] == "own files"
        assert job["ranges"]["kind"] == ("own_files" if own else "shared")
        assert job["target"]["count"] == (cell["writers"] if own else 1)
        assert (job["passes"], job["verify"], job["measure_limits"]) == (1, True, True)
        assert len(result["jobs"]) == cell["writers"]
        assert all(each["elapsed_ns"] for each in result["jobs"])
        assert [each["role"] for each in result["companions"]] == ["reader"]
        assert result["integrity"]["lost_blocks"] == 0
        assert result["limits"]["null_operations_per_second"] > 0
    turns = [json.loads(path.read_text()) for path in folder.glob("records/*/turn.json")]
    assert all(turn["target"]["count"] == 2 for turn in turns)


def test_a_plan_names_what_would_run(fsgauge: Run) -> None:
    done = fsgauge("plan", "writers", "--full", "--verbose")
    assert is_planned(done), done.stderr
    assert "write-8KiB-writers8" in done.stdout
    assert "one file that fills" in done.stdout
    assert "each writer makes 1 pass over its part" in done.stdout


def test_a_crosscheck_is_refused_before_anything(fsgauge: Run, study: Path, place: Path) -> None:
    done = fsgauge("crosscheck", str(study), "--with", "fio")
    assert done.returncode == 2
    assert "a study of kind writers cannot be cross-checked" in done.stderr
    assert "so far, fsgauge cross-checks only studies of kind overhead" in done.stderr
    assert "make bench ONLY=writers-psync-2" in done.stderr
    assert "next: fsgauge crosscheck overhead" in done.stderr
    assert list(place.iterdir()) == []


def test_more_writers_than_places_are_refused(fsgauge: Run, study: Path, tmp_path: Path) -> None:
    words = ["--set", 'workload.ranges=["segmented"]', "--set", 'workload.block_sizes=["16 MiB"]']
    done = fsgauge("run", str(study), *words)
    assert done.returncode == 2
    assert "the file is too small for 2 writers with segmented ranges" in done.stderr
    assert not (tmp_path / "results").exists()


def test_a_block_below_the_alignment_is_refused(fsgauge: Run, study: Path) -> None:
    words = ["--set", 'workload.block_sizes=["1 KiB"]']
    done = fsgauge("run", str(study), *words, FSGAUGE_FAKE_ENGINE_ALIGNMENT="4096")
    assert done.returncode == 2
    assert "does direct I/O in whole blocks of 4 KiB, and an operation" in done.stderr
    assert 'next: a block size of "4 KiB"' in done.stderr


def test_a_file_system_without_direct_io_is_refused(fsgauge: Run, study: Path) -> None:
    done = fsgauge("run", str(study), FSGAUGE_FAKE_ENGINE_ALIGNMENT="none")
    assert done.returncode == 2
    assert '"here" has no direct I/O' in done.stderr
    assert "--set 'workload.access=[\"buffered\"]'" in done.stderr


def test_a_shipped_study_can_be_copied(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("study", "new", "mine2", "--like", "writers")
    assert done.returncode == 0, done.stderr
    assert 'kind = "writers"' in (tmp_path / "mine2.toml").read_text()
