"""One run's fluctuation: the coefficient of variation, and what counting leaves open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fsgauge.kinds.overhead.analysis import fluctuations, reading_of, series_of
from fsgauge.stats.samples import Samples
from tests.synthetic import make_study

RATES = np.array([90.0, 110.0] * 20)


def test_with_many_operations_it_is_the_coefficient_of_variation() -> None:
    reading = reading_of(RATES * 1e6, (RATES * 1e6).astype(np.int64))
    assert reading is not None
    assert reading.value == pytest.approx(0.1 * math.sqrt(40 / 39), rel=1e-4)
    assert reading.reach < 1e-4


@pytest.mark.parametrize("mean", [50, 400, 10_000])
def test_operations_at_random_times_reach_from_what_is_seen_down_to_nothing(mean: int) -> None:
    """What varies by counting alone must not look like a value that is known."""
    counts = np.random.default_rng(7).poisson(mean, 200)
    reading = reading_of(counts.astype(float), counts)
    assert reading is not None
    seen = counts.std(ddof=1) / counts.mean()
    assert reading.value * math.exp(reading.reach) == pytest.approx(seen)
    assert reading.value * math.exp(-reading.reach) < 0.5 * seen


def test_what_varies_more_than_counting_lies_between_both_readings() -> None:
    chance = np.random.default_rng(8)
    counts = chance.poisson(400 * np.exp(chance.normal(0, 0.1, 4000)))
    reading = reading_of(counts.astype(float), counts)
    assert reading is not None
    low, high = (reading.value * math.exp(sign * reading.reach) for sign in (-1, 1))
    assert low * 0.95 < 0.1 < high and low == pytest.approx(0.1, rel=0.05)


def test_a_rate_that_never_varies_or_is_none_has_no_logarithm() -> None:
    assert reading_of(np.full(20, 5.0), np.full(20, 5)) is None
    assert reading_of(np.zeros(20), np.zeros(20, dtype=np.int64)) is None


def test_warm_up_and_the_last_interval_do_not_count() -> None:
    made = make_study(patterns=("randread",), block_sizes=(4096,), duration_s=30, blocks=2)
    series = series_of(made.runs[0])
    assert series is not None and len(series.rates) == 29
    assert made.runs[0].result is not None
    measured = [each for each in made.runs[0].result.intervals if not each.warm_up]
    assert series.operations.tolist() == [
        each.read.operations + each.write.operations for each in measured[:-1]
    ]


def test_all_runs_of_a_block_give_as_many_intervals() -> None:
    made = make_study(
        systems={"raw": "raw", "ext4": "ext4"},
        patterns=("randread",),
        block_sizes=(4096,),
        queue_depths=(1,),
        duration_s=30,
        blocks=2,
    )
    short, runs = made.runs[0], []
    for run in made.runs:
        if run is short:
            (part,) = run.parts
            (whole,) = part.slices
            cut = whole.result.model_copy(update={"intervals": whole.result.intervals[:-9]})
            slices = [whole.model_copy(update={"result": cut})]
            run = run.model_copy(update={"parts": [part.model_copy(update={"slices": slices})]})
        runs.append(run)
    found = fluctuations(Samples(made.study.plan), runs, 3.0)
    assert {each.intervals for each in found} == {20}
