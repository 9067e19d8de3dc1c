"""A quiet baseline among systems that vary: the sentence says who varies."""

from __future__ import annotations

import math
import random

import pytest

from fsgauge.record.records import Cell
from fsgauge.stats.quiet_baseline import baseline_aside
from fsgauge.stats.results import NoiseFloor
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
    start = "Too noisy to tell ext4 and xfs from raw here (raw's own runs agree within 1 %)"
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
