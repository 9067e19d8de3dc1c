"""Known answers: what the intervals and verdicts do to thousands of studies with planted effects.

Size: 4000 studies a case, seeded. The standard error of a rate of 5 % is then 0.34 points, of a
rate of 95 % the same; limits stand three or more standard errors from what is expected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.verdict import benjamini_hochberg, judge, log_margin
from tests.known.planted import Values, simulate

STUDIES = 4000
PLANTED = math.log(0.94)


def ratios(log_ratios: Values) -> list[Ratio]:
    found = (ratio_of_blocks(list(study)) for study in log_ratios)
    return [ratio for ratio in found if ratio is not None]


def share(hits: Iterable[bool]) -> float:
    return float(np.mean(list(hits)))


def holds(ratio: Ratio, truth: float) -> bool:
    return ratio.low is not None and ratio.high is not None and ratio.low <= truth <= ratio.high


def excludes_one(ratio: Ratio) -> bool:
    return not holds(ratio, 1.0)


@pytest.mark.parametrize("blocks", [5, 8, 20])
def test_intervals_hold_the_planted_ratio_as_often_as_they_promise(blocks: int) -> None:
    studies = simulate(studies=STUDIES, blocks=blocks, seed=blocks, log_effect=PLANTED)
    covered = share(holds(ratio, 0.94) for ratio in ratios(studies.log_ratios()))
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("blocks", [5, 8, 20])
@pytest.mark.parametrize(
    "trouble",
    [{"drift": 0.16}, {"drift": -0.08}, {"autocorrelation": 0.85, "sigma": 0.04}],
    ids=["rises 16 %", "falls 8 %", "autocorrelated"],
)
def test_drift_does_not_make_differences(blocks: int, trouble: dict[str, float]) -> None:
    """Equal systems in randomised blocks; run one after the other, half would be "different"."""
    studies = simulate(studies=STUDIES, blocks=blocks, seed=7, **trouble)
    wrong = share(excludes_one(ratio) for ratio in ratios(studies.log_ratios()))
    assert wrong <= 0.06


def test_the_simulation_can_fail() -> None:
    """The same drift without blocks: all of one system, then all of the other."""
    studies = simulate(studies=1000, blocks=20, seed=7, drift=0.16, turns=4)
    halves = np.split(studies.earlier, 2, axis=1)
    wrong = share(excludes_one(ratio) for ratio in ratios(halves[1] - halves[0]))
    assert wrong > 0.4


def test_the_baselines_mean_is_tighter_than_one_turn_and_apart_from_the_noise() -> None:
    """The reason for pairing with both turns: variance 1.5 v against 2 v, covariance 0."""
    studies = simulate(studies=STUDIES, blocks=8, seed=3)
    to_mean, to_one = studies.log_ratios(), studies.system - studies.earlier
    assert np.var(to_mean) / np.var(to_one) == pytest.approx(0.75, abs=0.03)
    noise = studies.noise_log_ratios().ravel()
    assert abs(np.corrcoef(to_mean.ravel(), noise)[0, 1]) < 0.02
    assert abs(np.corrcoef(to_one.ravel(), noise)[0, 1]) == pytest.approx(0.5, abs=0.03)


def test_a_good_study_is_called_invalid_by_chance_one_time_in_twenty() -> None:
    studies = simulate(studies=STUDIES, blocks=8, seed=11)
    invalid = share(excludes_one(ratio) for ratio in ratios(studies.noise_log_ratios()))
    assert 0.035 <= invalid <= 0.065


def test_a_baseline_that_changes_within_blocks_is_noticed() -> None:
    studies = simulate(studies=1000, blocks=8, seed=12)
    changed = studies.noise_log_ratios() + math.log(1.08)
    assert share(excludes_one(ratio) for ratio in ratios(changed)) > 0.95


def test_of_many_equal_cells_few_studies_call_any_different() -> None:
    """36 equal cells: uncorrected, five of six studies would name one."""
    margin = log_margin(3)
    named, uncorrected = [], []
    for study in range(150):
        cells = simulate(studies=36, blocks=8, seed=1000 + study, sigma=0.05)
        found = ratios(cells.log_ratios())
        adjusted = benjamini_hochberg([ratio.p for ratio in found])
        verdicts = [
            judge(ratio, log_margin=margin, p_adjusted=p, higher_is_better=True)
            for ratio, p in zip(found, adjusted, strict=True)
        ]
        named.append(any(verdict in ("better", "worse") for verdict in verdicts))
        uncorrected.append(any(map(excludes_one, found)))
    assert share(named) <= 0.11
    assert share(uncorrected) > 0.6


@pytest.mark.parametrize("blocks", [8, 20])
def test_equivalent_is_rarely_said_of_a_real_difference(blocks: int) -> None:
    """A loss of exactly the margin is called equivalent in at most 5 of 100 studies."""
    margin = log_margin(3)
    studies = simulate(studies=2000, blocks=blocks, seed=5, log_effect=-margin, sigma=0.01)
    verdicts = [
        judge(ratio, log_margin=margin, p_adjusted=ratio.p, higher_is_better=True)
        for ratio in ratios(studies.log_ratios())
    ]
    assert share(verdict == "equivalent" for verdict in verdicts) <= 0.05
    assert share(verdict == "better" for verdict in verdicts) == 0
