"""Known answers of percentiles: latencies are known to their bucket, and often all to the same one.

Each study has eight blocks of three runs. Runs of a quiet machine fall into one bucket and agree
exactly, so their spread says nothing of where in the bucket the truth is.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from fsgauge.stats.histogram import Quantile, bucket_edges_ns, bucket_middle_ns
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.verdict import Verdict, judge, log_margin
from fsgauge.stats.welch import welch
from tests.known.planted import Values, simulate
from tests.synthetic import bucket_index
from tests.synthetic.histogram import BITS

STUDIES = 400
EFFECTS = (0.0, 0.002, 0.006, 0.011, 0.03)
QUIET, NOISY = 0.0005, 0.03
"""Deviations of a run: far below a bucket's width, and above it."""


def seen(log_latency: float) -> Quantile:
    """A latency as its histogram gives it."""
    index = bucket_index(round(math.exp(log_latency)))
    low, high = bucket_edges_ns(index, BITS)
    return Quantile(bucket_middle_ns(index, BITS), low, high)


def blocks_of(study: tuple[Values, Values, Values]) -> tuple[list[float], float]:
    """Log ratios as stats.samples pairs them, and how far they may be off."""
    earlier, later, system = ([seen(each) for each in turn] for turn in study)
    logs = [
        math.log(s.value_ns) - (math.log(e.value_ns) + math.log(t.value_ns)) / 2
        for e, t, s in zip(earlier, later, system, strict=True)
    ]
    reach = max(q.reach for q in system) + max(q.reach for q in [*earlier, *later])
    return logs, reach


def quantised(effect: float, sigma: float, *, blind: bool = False) -> list[Ratio]:
    """Studies whose latencies lie anywhere in their buckets; `blind` forgets that there are any."""
    made = simulate(studies=STUDIES, blocks=8, seed=21, log_effect=effect, sigma=sigma)
    places = np.random.default_rng(4).uniform(math.log(50e3), math.log(200e3), STUDIES)
    found = []
    for study, place in enumerate(places):
        turns = (made.earlier[study], made.later[study], made.system[study])
        logs, reach = blocks_of(tuple(place + turn for turn in turns))  # type: ignore[arg-type]
        ratio = ratio_of_blocks(logs, reach=0.0 if blind else reach)
        assert ratio is not None
        found.append(ratio)
    return found


def covered(ratios: list[Ratio], effect: float) -> float:
    truth = math.exp(effect)
    return float(np.mean([(r.low or 0) <= truth <= (r.high or 0) for r in ratios]))


def verdicts(ratios: list[Ratio]) -> list[Verdict]:
    return [
        judge(ratio, log_margin=log_margin(0.1), p_adjusted=ratio.p, higher_is_better=False)
        for ratio in ratios
    ]


@pytest.mark.parametrize("sigma", [QUIET, NOISY])
@pytest.mark.parametrize("effect", EFFECTS)
def test_intervals_hold_the_planted_ratio_wherever_it_lies_in_its_bucket(
    effect: float, sigma: float
) -> None:
    assert covered(quantised(effect, sigma), effect) >= 0.95


def test_the_simulation_can_fail() -> None:
    """Without the buckets, the intervals of a quiet machine miss the truth nearly always."""
    assert covered(quantised(0.006, QUIET, blind=True), 0.006) < 0.3


@pytest.mark.parametrize("sigma", [QUIET, NOISY])
def test_equal_systems_on_two_sides_of_an_edge_are_not_called_different(sigma: float) -> None:
    for effect in (0.0, 1e-5):
        said = verdicts(quantised(effect, sigma))
        assert np.mean([word in ("better", "worse") for word in said]) <= 0.05


def test_a_true_effect_is_never_called_its_opposite() -> None:
    for effect in (0.002, 0.006, 0.011):
        assert "better" not in verdicts(quantised(effect, QUIET))


def test_an_effect_of_two_buckets_is_seen() -> None:
    assert verdicts(quantised(0.04, QUIET)).count("worse") == STUDIES


@pytest.mark.parametrize("effect", EFFECTS)
def test_two_folders_hold_the_planted_ratio_too(effect: float) -> None:
    chance = np.random.default_rng(9)
    held = []
    for place in chance.uniform(math.log(50e3), math.log(200e3), STUDIES):
        a = [seen(each) for each in chance.normal(place, QUIET, 6)]
        b = [seen(each) for each in chance.normal(place + effect, QUIET, 6)]
        logs = [[math.log(each.value_ns) for each in side] for side in (a, b)]
        reach = max(each.reach for each in a) + max(each.reach for each in b)
        found = welch(*logs, reach=reach)
        assert found is not None and found.low is not None and found.high is not None
        held.append(found.low <= math.exp(effect) <= found.high)
    assert np.mean(held) >= 0.95
