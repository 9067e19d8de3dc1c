"""A quiet baseline among systems that vary: the sentence says who varies.

Runs with too few operations for the latency that judges them: the page says what is missing.
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from fsgauge.record.records import Cell
from fsgauge.stats import Results, read_study
from fsgauge.stats.histogram import quantile_of
from fsgauge.stats.noise_floor import NoiseFloor
from fsgauge.stats.sentence import baseline_aside, ends, operations_needed, shortest
from tests.synthetic import SyntheticStudy, histogram_of, make_study
from tests.unit.stats.test_nothing_decided import read


def floor(low: float, high: float, state: str = "quiet") -> NoiseFloor:
    return NoiseFloor.model_validate(
        {
            "metric": "iops", "ratio": 1.0, "low": low, "high": high, "n": 3, "cells": [],
            "state": state, "drift": 1.0, "drifts": False, "bands": [],
        }
    )  # fmt: skip


def test_too_noisy_beside_a_quiet_floor_says_that_the_others_vary() -> None:
    """A page had "Too noisy to tell nfs from ext3" beside a noise floor of 0.99 to 1.01."""
    chance = random.Random(1)

    def effect(system: str, cell: Cell) -> float:
        return 1.0 if system == "raw" else math.exp(chance.gauss(0, 0.5))

    results = read(effect, noise=0.001)
    start = (
        "Too noisy to tell ext4 and xfs from raw in operations per second (raw's own runs agree"
        " within 1 %)"
    )
    assert results.answer.startswith(start), results.answer


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (floor(0.99, 1.01), " (ext3's own runs agree within 2 %)"),
        (floor(0.8, 1.25), ""),
        (floor(0.99, 1.01, "wide"), ""),
        (None, ""),
    ],
)
def test_nothing_is_said_of_a_floor_that_is_as_wide_as_the_rest(
    of: NoiseFloor | None, said: str
) -> None:
    entry = read(lambda system, cell: 1.0, noise=0.2).comparisons[0]
    undecided = [entry.model_copy(update={"detectable_percent": 40.0})]
    assert baseline_aside("ext3", of, undecided) == said


def test_a_floor_as_wide_as_the_ratios_says_nothing() -> None:
    results = read(lambda system, cell: 1.0, noise=0.3)
    assert "own runs agree" not in results.answer


SLOW: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (1,),
    "duration_s": 10,
}


def read_whole(study: SyntheticStudy) -> Results:
    return read_study(study.turns, study.runs, study.study, study.before, study.after)


@pytest.mark.parametrize(("metric", "quantile"), [("read.p99", 0.99), ("write.p999", 0.999)])
def test_as_many_are_needed_as_a_quantile_takes(metric: str, quantile: float) -> None:
    needed = operations_needed(metric)
    assert needed is not None
    assert quantile_of(histogram_of({100: needed}), quantile) is not None
    assert quantile_of(histogram_of({100: needed - 1}), quantile) is None
    assert operations_needed("iops") is None


@pytest.mark.parametrize("systems", [{"raw": "raw", "xfs": "xfs"}, {"xfs": "xfs"}])
def test_the_answer_names_the_metric_what_is_needed_and_the_next_step(
    systems: dict[str, str],
) -> None:
    results = read_whole(make_study(**SLOW, rate=20.0, systems=systems))
    runs = 8 * (len(systems) + 1)
    missing = (
        "The read p99 latency needs 1,000 operations in a run, and"
        f" {runs} of {runs} runs had fewer: 200."
    )
    assert results.answer.startswith(f"No answer. {missing} Measure longer")
    assert "workload.rate" in results.answer and len(results.answer.split()) <= 60
    found = {each.code: each.sentence for each in results.findings}
    assert found["operations.few"] == missing and "noise.unknown" not in found


def test_enough_operations_are_no_finding() -> None:
    results = read_whole(make_study(**SLOW, rate=200.0))
    assert "p99" in results.answer and not results.answer.startswith("No answer")
    assert "operations.few" not in {each.code for each in results.findings}


def test_a_study_that_was_cut_short_lacks_blocks_and_not_operations() -> None:
    results = read_whole(make_study(**SLOW, rate=200.0, paused_after_runs=1))
    assert "operations" not in results.answer
    assert "noise.unknown" in {each.code for each in results.findings}


def test_the_longest_sentence_that_has_fewer_words_than_the_limit_is_said() -> None:
    long, short, shorter = (" ".join(["word"] * number) for number in (60, 59, 3))
    assert shortest([long, short, shorter]) == short
    assert shortest([long, long + " more"]) == long + " more"
    assert shortest([]) == ""


def test_of_more_than_are_named_the_most_and_the_least_are() -> None:
    assert ends([2.0, 3.0, 1.0], float) == [2.0, 3.0, 1.0]
    assert ends([2.0, 4.0, 1.0, 3.0], float) == [4.0, 1.0]
    assert ends([2.0, 4.0, 1.0, 3.0], float, least_first=True) == [1.0, 4.0]
    assert ends([2.0, 4.0], float, named=1, least_first=True) == [2.0]
