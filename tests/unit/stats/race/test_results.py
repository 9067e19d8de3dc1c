"""A race as results: what is said of the winner, and when it is something to copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.report.write import read_report
from fsgauge.stats.race.replay import replayed
from fsgauge.stats.race.results import with_race
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy, read_results
from tests.synthetic_race import measure


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measure(tmp_path_factory.mktemp("race")).directory


@pytest.fixture(scope="module")
def stored(directory: Path) -> StoredStudy:
    return read_results(directory)


def commands(stored: StoredStudy, results: Results, runs: list[RunRecord]) -> list[str]:
    """Where all systems are XFS."""
    systems = [{"name": name, "kind": "xfs"} for name in stored.study.plan.systems]
    study = stored.study.model_copy(update={"study": {**stored.study.study, "system": systems}})
    found = replayed(study, runs)
    assert found is not None
    race = with_race(results, study, runs, found).race
    assert race is not None
    return race.commands


def test_only_the_best_of_a_valid_race_that_is_over_is_to_copy(
    directory: Path, stored: StoredStudy
) -> None:
    results = read_report(directory).results
    assert commands(stored, results, stored.runs)[0] == "mkfs.xfs /dev/DEVICE"
    begun = [run for run in stored.runs if run.block < 3]
    assert commands(stored, results, begun) == []
    sureness = results.sureness.model_copy(update={"valid": False})
    assert commands(stored, results.model_copy(update={"sureness": sureness}), stored.runs) == []
