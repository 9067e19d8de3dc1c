"""A system that changes in mid-study: planted, and in numbers that only scatter."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fsgauge.stats import Results, read_study
from fsgauge.stats.turning_point import TurningPoint, turning_point
from tests.synthetic import make_study
from tests.synthetic.idle import did
from tests.unit.stats.one_run import ONE_CELL


def results_of(share: float, noise: float = 0.05) -> Results:
    made = make_study(**{**ONE_CELL, "blocks": 8}, noise=noise, seed=3)
    runs = [did(run, share) if run.system == "xfs" and run.block > 3 else run for run in made.runs]
    return read_study(made.turns, runs, made.study, made.before, made.after)


def test_a_system_that_changes_half_way_is_told_with_both_ratios() -> None:
    """c was 1.13 of a in four blocks and 0.52 in four: "too noisy" was all that was said."""
    (found,) = [each for each in results_of(0.55).findings if each.code == "system.moved"]
    assert found.sentence.startswith(
        "xfs changed while the study ran: in operations per second it was at "
    )
    assert "in blocks 1 to 4, " in found.sentence
    assert found.sentence.endswith("in blocks 5 to 8.")


def test_nothing_is_told_of_systems_that_stay_as_they_were() -> None:
    assert not [each for each in results_of(1.0).findings if each.code == "system.moved"]


def test_the_planted_blocks() -> None:
    found = turning_point(list(np.log([1.11, 0.98, 1.47, 1.03, 0.58, 0.68, 0.36, 0.50])))
    assert found is not None and found.before == 4 and found.p < 0.05
    assert found.change == pytest.approx(-0.787, abs=0.01)


@pytest.mark.parametrize("number", [6, 8, 20])
@pytest.mark.parametrize("tail", ["normal", "heavy"])
def test_scatter_is_called_a_change_in_one_of_twenty_at_most(number: int, tail: str) -> None:
    chance = random.Random(number)

    def drawn() -> float:
        wide = tail == "heavy" and chance.random() < 0.1
        return chance.gauss(0, 4.0 if wide else 1.0)

    found = [turning_point([drawn() for _ in range(number)]) for _ in range(1000)]
    assert sum(each is not None and each.p <= 0.05 for each in found) <= 50 + 3 * 7


@pytest.mark.parametrize("logs", [[0.0] * 5, [0.0] * 8, [0.1, -0.1] * 4])
def test_too_few_or_equal_numbers_have_none(logs: list[float]) -> None:
    assert turning_point(logs) is None


def test_a_change_without_scatter_is_one() -> None:
    assert turning_point([0.0] * 4 + [1.0] * 4) == TurningPoint(4, 1.0, 1 / 2001)
