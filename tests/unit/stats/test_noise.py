"""The noise floor: on which side a study is not valid, and how wide a cell's band is."""

from __future__ import annotations

import math

import pytest

from fsgauge.stats.noise import Noise, describe_noise, pooled_noise
from fsgauge.stats.ratio import ratio_of_blocks, t_quantile
from fsgauge.stats.samples import Samples
from tests.synthetic import make_study

METRIC, MARGIN_PERCENT = "iops", 3.0


def noise(twin: float, scatter: float = 0.001, blocks: int = 8) -> Noise:
    """Of a baseline whose later turn is `twin` above its earlier one, as logs, give or take."""
    plan = make_study(queue_depths=(1,), block_sizes=(4096,), patterns=("randread",), blocks=blocks)
    samples = Samples(plan.study.plan)
    cell = samples.plan.cells[0].id
    for turn in samples.plan.turns:
        value = (twin + scatter * (-1) ** turn.block) if turn.again else 0.0
        samples.put(METRIC, cell, turn, value)
    found = pooled_noise(samples, METRIC, [cell], MARGIN_PERCENT)
    assert found is not None
    return found


@pytest.mark.parametrize("twin", [0.2, -0.2])
def test_a_baseline_that_differs_from_itself_is_not_valid_on_either_side(twin: float) -> None:
    assert noise(twin).state == "differs"
    assert noise(twin).ratio.ratio == pytest.approx(math.exp(twin))


@pytest.mark.parametrize("twin", [0.02, -0.02, 0.0])
def test_within_the_margin_it_is_quiet(twin: float) -> None:
    assert noise(twin).state == "quiet"


def test_two_blocks_say_nothing() -> None:
    assert noise(0.2, blocks=2).state == "unknown"
    assert noise(0.2, blocks=3).state == "differs"


@pytest.mark.parametrize(("half", "state"), [(0.05, "quiet"), (0.5, "wide")])
def test_a_band_wider_than_what_is_asked_is_too_noisy(half: float, state: str) -> None:
    assert noise(0.0, scatter=half / t_quantile(7) * math.sqrt(8)).state == state


@pytest.mark.parametrize("scatter", [0.01, 0.04])
def test_a_cells_band_is_that_of_a_system_paired_with_the_mean_of_two_turns(scatter: float) -> None:
    """A system's log ratio to that mean has three quarters of the variance of A/A."""
    found = noise(0.0, scatter)
    paired = ratio_of_blocks([math.sqrt(0.75) * scatter * (-1) ** block for block in range(8)])
    assert paired is not None and paired.high is not None
    (band,) = describe_noise(found).bands
    assert band.high == pytest.approx(paired.high)
    assert band.low == pytest.approx(1 / paired.high)
