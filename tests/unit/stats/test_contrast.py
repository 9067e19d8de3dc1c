"""What may be said of a ratio: not what the baseline against itself contradicts."""

from __future__ import annotations

import math

import pytest

from fsgauge.stats import Results
from fsgauge.stats.contrast import Contrast, ContrastResult, Rig, Value, in_blocks
from fsgauge.stats.ratio import Ratio
from fsgauge.stats.samples import Samples, collect
from fsgauge.stats.verdict import WIDEST_INTERVAL
from tests.synthetic import make_study
from tests.unit.stats.one_run import ONE_CELL

METRIC, BASE = "iops", "raw"
SYSTEMS = {"raw": "raw", "ext4": "ext4"}


def samples_of(
    ratios: list[float], twins: list[float], metric: str = METRIC
) -> tuple[Samples, str]:
    """A system at these log ratios to the baseline's mean, whose two turns differ by `twins`."""
    plan = make_study(**{**ONE_CELL, "systems": SYSTEMS, "blocks": len(ratios)}).study.plan
    samples, cell = Samples(plan), plan.cells[0].id
    for turn in plan.turns:
        half = twins[turn.block] / 2
        value = half if turn.again else -half
        samples.put(metric, cell, turn, ratios[turn.block] if turn.system != BASE else value)
    return samples, cell


def judged(ratios: list[float], twins: list[float]) -> ContrastResult[Ratio]:
    samples, cell = samples_of(ratios, twins)
    contrast = Contrast(Value(METRIC, cell, "ext4"), Value(METRIC, cell, BASE))
    return in_blocks({0: contrast}, samples, 3.0)[0]


CLOSE = [0.31, 0.29, 0.30, 0.30]
EQUAL = [0.002, -0.002, 0.001, -0.001]
QUIET = [0.01, -0.01, 0.01, -0.01]
LOUD = [0.6, -0.6, 0.5, -0.5]


@pytest.mark.parametrize("sign", [1, -1])
def test_what_its_own_blocks_decide_is_too_noisy_where_a_a_differs_as_much(sign: int) -> None:
    ratios = [sign * log for log in CLOSE]
    assert judged(ratios, QUIET).verdict == ("better" if sign > 0 else "worse")
    found = judged(ratios, LOUD)
    assert found.verdict == "too noisy"
    low, high = found.interval
    assert low is not None and high is not None and low < 1 < high


def test_so_is_what_they_call_equal() -> None:
    assert judged(EQUAL, [0.001, -0.001, 0.002, -0.002]).verdict == "equivalent"
    assert judged(EQUAL, LOUD).verdict == "too noisy"


def test_what_its_own_blocks_leave_open_stays_undecided() -> None:
    assert judged([0.4, -0.3, 0.2, -0.1], LOUD).verdict == "undecided"


def test_an_interval_too_wide_to_be_drawn_claims_nothing() -> None:
    """Three blocks of 13, 207 and 34 times the baseline: "44 times (1.31 to 1,515)"."""
    logs = [math.log(each) for each in (12.62, 207.37, 33.65)]
    found = judged(logs, [0.0, 0.0, 0.0])
    low, high = found.interval
    assert low is not None and high is not None
    assert low > 1 and high > WIDEST_INTERVAL * low
    assert found.p_adjusted < 0.05 and found.verdict == "too noisy"


def test_two_blocks_of_a_a_show_nothing_of_the_rig() -> None:
    samples, cell = samples_of([0.3, 0.3], [0.5, -0.5])
    assert Rig(samples).deviation(Value(METRIC, cell, "ext4")) == 0.0


def test_a_rig_scatters_by_its_runs_and_the_baseline_by_two_of_them() -> None:
    """A/A of variance 2 v: v of a system, v / 2 of the baseline's mean, 1.5 v of their ratio."""
    samples, cell = samples_of([0.0] * 4, LOUD)
    variance = (0.6**2 + 0.6**2 + 0.5**2 + 0.5**2) / 3 / 2
    rig, one, base = Rig(samples), Value(METRIC, cell, "ext4"), Value(METRIC, cell, BASE)
    assert rig.deviation(one) == pytest.approx(math.sqrt(variance))
    assert rig.deviation(base) == pytest.approx(math.sqrt(variance / 2))
    assert rig.deviation(Contrast(one, base)) == pytest.approx(math.sqrt(1.5 * variance))
    assert rig.deviation(Contrast(one, one)) == pytest.approx(math.sqrt(2 * variance))


def results_of(noise: float, seed: int) -> Results:
    return make_study(**{**ONE_CELL, "blocks": 4}, noise=noise, seed=seed).results()


def test_a_claim_lies_outside_the_band_that_is_drawn_beside_it() -> None:
    claims = 0
    for seed in range(12):
        results = results_of(0.06, seed)
        for entry in results.comparisons:
            floor = results.noise_of(entry.metric)
            band = floor.band_of(entry.cell) if floor else None
            if band is not None and entry.verdict in ("better", "worse"):
                claims += 1
                assert not band.low <= entry.ratio <= band.high
    assert claims > 10


def test_the_rigs_own_deviation_is_that_of_a_a() -> None:
    made = make_study(**{**ONE_CELL, "blocks": 4}, noise=0.06)
    results = made.results()
    rig = Rig(collect(made.study.plan, made.runs))
    for entry in results.comparisons:
        contrast = Contrast(
            Value(entry.metric, entry.cell, entry.system),
            Value(entry.metric, entry.cell, results.baseline),
        )
        assert entry.rig_deviation == pytest.approx(rig.deviation(contrast))
