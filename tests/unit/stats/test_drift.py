"""Drift of a whole study: found, sized, not made of noise; and said."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from fsgauge.stats import Results, read_study
from fsgauge.stats.drift import SURE, TurningPoint, drift_of, turning_point
from fsgauge.stats.results import Finding
from tests.synthetic import make_study
from tests.synthetic.idle import did
from tests.unit.stats.one_run import ONE_CELL


def findings(**changes: object) -> list[Finding]:
    made = make_study(patterns=("randread",), block_sizes=(4096,), seed=3, **changes)
    found = made.results()
    return [each for each in found.findings if each.code == "study.drifted"]


@pytest.mark.parametrize(("drift", "sign"), [(0.3, "+"), (-0.3, "-")])
def test_a_drift_of_the_study_is_said_with_its_size(drift: float, sign: str) -> None:
    (found,) = findings(drift=drift)
    assert f"changed by {sign}" in found.sentence
    (said,) = [float(w) for w in found.sentence.split() if w[0] in "+-" and "(" not in w][:1]
    assert said == pytest.approx(100 * math.expm1(drift), abs=6)


def test_no_drift_and_one_that_does_not_matter_are_not_said() -> None:
    assert findings() == []
    assert findings(drift=0.02, noise=0.0005) == []
    assert findings(drift=0.3, blocks=4) == []


def test_stationary_noise_is_called_a_drift_one_time_in_a_hundred() -> None:
    chance = np.random.default_rng(8)
    for blocks in (5, 8, 20):
        drifts = [drift_of([dict(enumerate(chance.normal(0, 0.05, blocks)))]) for _ in range(4000)]
        share = np.mean([drift is not None and drift.p <= SURE for drift in drifts])
        assert share == pytest.approx(SURE, abs=0.005)


def test_its_interval_holds_what_was_planted() -> None:
    chance = np.random.default_rng(9)
    held = []
    for _ in range(3000):
        levels = chance.normal(0, 1, (3, 1)) + chance.normal(0, 0.05, (3, 8))
        levels += np.linspace(0, 0.2, 8)
        drift = drift_of([dict(enumerate(each)) for each in levels])
        assert drift is not None
        held.append(drift.low <= 0.2 <= drift.high)
    assert 0.935 <= np.mean(held) <= 0.965


def test_blocks_that_lack_a_system_are_left_out() -> None:
    whole = {block: 0.1 * block for block in range(8)}
    lacking = {block: 5 + log for block, log in whole.items() if block != 3}
    drift = drift_of([whole, lacking])
    assert drift is not None and drift.change == pytest.approx(0.7)
    assert drift_of([]) is None


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
