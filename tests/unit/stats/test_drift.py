"""Drift of a whole study: found, sized, not made of noise; and said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fsgauge.stats.drift import SURE, drift_of
from fsgauge.stats.results import Finding
from tests.synthetic import make_study


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
