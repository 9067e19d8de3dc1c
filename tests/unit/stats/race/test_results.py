"""A race as results: what is said of the winner, and when it is something to copy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fsgauge.engine.wire import EngineFault
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
    """Where all systems but "four" are XFS."""
    names = stored.study.plan.systems
    systems = [{"name": name, "kind": "ext4" if name == "four" else "xfs"} for name in names]
    study = stored.study.model_copy(update={"study": {**stored.study.study, "system": systems}})
    found = replayed(study, runs)
    assert found is not None
    race = with_race(results, study, runs, found).race
    assert race is not None
    assert bool(race.commands) == bool(race.chosen)
    return race.commands


def test_only_the_best_of_a_valid_race_that_is_over_is_to_copy(
    directory: Path, stored: StoredStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = read_report(directory).results
    assert commands(stored, results, stored.runs)[0] == "mkfs.xfs /dev/DEVICE"
    begun = [run for run in stored.runs if run.block < 3]
    assert commands(stored, results, begun) == []
    sureness = results.sureness.model_copy(update={"valid": False})
    assert commands(stored, results.model_copy(update={"sureness": sureness}), stored.runs) == []
    other = SimpleNamespace(system="four")
    monkeypatch.setattr("fsgauge.stats.race.results.overtaking", lambda *_: other)
    said = commands(stored, results, stored.runs)[0]
    assert said == "mkfs.ext4 /dev/DEVICE", "it did better than the leader in the fresh blocks"


def test_a_quantile_of_few_does_not_hide_that_runs_failed(
    directory: Path, stored: StoredStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that were measured alone it was said that they were too short."""
    monkeypatch.setattr("fsgauge.stats.race.results.few_operations", lambda *_: "Few.")
    begun = [run for run in stored.runs if run.block < 2]
    found = replayed(stored.study, begun)
    assert found is not None
    found, results = replace(found, ended="budget"), read_report(directory).results
    fault = EngineFault(what="it failed", cause="", next="", code="x")
    for runs, said in (
        (begun, "Few."),
        ([begun[0].model_copy(update={"fault": fault}), *begun[1:]], "All failed, or did nothing."),
    ):
        first = with_race(results, stored.study, runs, found).lines[0]
        assert first == f"No system is left in the race. {said}"
