"""Known answers of commits: a delay planted in the sync, and flushes planted at the device."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.kinds.commits.analysis import CommitsResults
from fsgauge.kinds.commits.factors import CommitsFactors
from fsgauge.progress.tally import outcome
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import RunRecord
from fsgauge.report.write import read_report
from fsgauge.stats import Results
from fsgauge.stats.traffic import operations_of
from tests.synthetic import SyntheticStudy
from tests.synthetic_commits import make_commits

STUDIES = 16
FEWEST = 13
"""Of 16 that are held with 95 % each: P(fewer) is below 0.001."""
COMMIT_S = 2e-3
ONCE = {"ext4": 1, "xfs": 1}
CELL = CommitsFactors(
    sync="fdatasync", size_bytes=8192, committers=1, log="overwrite", together=1
).cell_named_by("sync", "size_bytes", "committers")


def results(delay_s: float, *, seed: int = 4, flushes: int = 1, noise: float = 0.02) -> Results:
    """Of ext4 and of one whose sync returns later, and flushes so often."""
    rates = {"ext4": 1 / COMMIT_S, "xfs": 1 / (COMMIT_S + delay_s)}
    made = make_commits(rates, seed=seed, noise=noise)
    return of_commits(made, {"ext4": 1, "xfs": flushes}).results()


def of_commits(made: SyntheticStudy, flushes: dict[str, int]) -> SyntheticStudy:
    """The same records as a study of this kind, with what the device counted."""
    workload = {"kind": "commits", "duration": 10_000_000_000}
    document = {**made.study.study, "name": "commits", "workload": workload}
    turns = [turn.model_copy(update={"cells": [CELL.id]}) for turn in made.study.plan.turns]
    plan = made.study.plan.model_copy(
        update={"study": "commits", "cells": [CELL], "turns": turns, "primary": [CELL.id]}
    )
    study = made.study.model_copy(update={"plan": plan, "study": document})
    runs = [_counted(run, flushes[run.system]) for run in made.runs]
    return replace(made, study=study, runs=runs)


def _counted(run: RunRecord, flushes: int) -> RunRecord:
    commits = int(operations_of(run))
    device = DeviceRun(
        name="loop0",
        read_requests=0,
        read_bytes=0,
        write_requests=commits * (1 + flushes),
        write_bytes=commits * 8192,
        discard_requests=0,
        discard_bytes=0,
        flush_requests=commits * flushes,
    )
    return run.model_copy(update={"cell": CELL, "device": device})


@pytest.mark.parametrize("delay_s", [0.0, 0.2e-3, 1e-3, 18e-3])
def test_a_delay_of_the_sync_comes_out_with_its_size(delay_s: float) -> None:
    truth, held, decided = COMMIT_S / (COMMIT_S + delay_s), 0, 0
    for seed in range(STUDIES):
        (found,) = [
            each for each in results(delay_s, seed=seed).comparisons if each.metric == "iops"
        ]
        assert found.low is not None and found.high is not None
        held += found.low <= truth <= found.high
        decided += found.verdict == "worse"
        assert found.verdict != "better" or delay_s == 0
    assert held >= FEWEST
    # Of equal ones 3 of 16 at 5 %: more in fewer than one of 100.
    assert decided == STUDIES if delay_s else decided <= 3


def test_the_answer_has_the_commit_and_its_delay_in_milliseconds() -> None:
    answer = results(18e-3, noise=0.001).answer
    assert "take 2 ms on ext4" in answer
    assert "20 ms on xfs" in answer


def test_rates_are_in_commits_while_it_runs_and_in_the_tables(tmp_path: Path) -> None:
    """ "461 IOPS" was printed of commits, of this kind and of writers that sync."""
    made = make_commits({"ext4": 500.0}, noise=0.001)
    for name, each in {"commits": of_commits(made, ONCE), "writers": made}.items():
        assert outcome(each.runs[0]).endswith(" commits/s"), name
        said = read_report(each.write(tmp_path / name)).markdown()
        assert " commits/s | " in said and "IOPS" not in said, name


def test_flushes_of_a_commit_are_counted_for_each_system() -> None:
    own = results(0.0, flushes=2).own
    assert isinstance(own, CommitsResults)
    found = {each.system: each for each in own.asked}
    assert found["ext4"].flushes is not None and found["xfs"].flushes is not None
    assert found["ext4"].flushes.value == pytest.approx(1.0)
    assert found["xfs"].flushes.value == pytest.approx(2.0)
    assert found["xfs"].size_bytes.value == pytest.approx(8192)


FSYNC = CommitsFactors(
    sync="fsync", size_bytes=8192, committers=1, log="overwrite", together=1
).cell_named_by("sync", "size_bytes", "committers")


def answer_with_two_syncs(noise: float) -> str:
    """fsync at half of fdatasync's rate, on both systems."""
    usual, twice = (
        of_commits(make_commits(dict.fromkeys(("ext4", "xfs"), rate), noise=noise, seed=seed), ONCE)
        for rate, seed in ((500.0, 4), (250.0, 5))
    )
    cells = [CELL, FSYNC]
    turns = [
        each.model_copy(update={"cells": [c.id for c in cells]}) for each in usual.study.plan.turns
    ]
    plan = usual.study.plan.model_copy(update={"cells": cells, "turns": turns})
    runs = [*usual.runs, *(run.model_copy(update={"cell": FSYNC}) for run in twice.runs)]
    study = usual.study.model_copy(update={"plan": plan})
    return replace(usual, study=study, runs=runs).results().answer


def test_another_way_of_syncing_is_told_with_what_it_costs() -> None:
    """`fsgauge run commits` asks which sync method, and the answer named neither."""
    answer = answer_with_two_syncs(0.01)
    assert re.match(r"Commits of 8 KiB with fdatasync take (1\.9\d|2|2\.0\d) ms on ext4", answer)
    assert re.search(r"With fsync, a commit on ext4 takes (1\.9|2\.0)\d times as long \(", answer)
    assert re.search(r", a commit on xfs takes (1\.9|2\.0)\d times as long \(", answer)


def test_ways_that_are_lost_in_noise_are_one_sentence() -> None:
    """ "on ext4 the noise is too large to say, on xfs the noise is too large to say", for each."""
    answer = answer_with_two_syncs(3.0)
    assert answer.endswith("Too noisy to tell fsync from fdatasync.")
    assert "With fsync" not in answer
