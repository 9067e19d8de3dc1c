"""Known answers: 4000 simulated series, 80 % power, spread s of one paired log ratio."""

import math

import pytest

from fsgauge.plan.power import blocks_needed, detectable_percent, paired_percent


@pytest.mark.parametrize(
    ("spread", "blocks", "percent"),
    [
        (2, 5, 3.4),
        (2, 10, 2.0),
        (2, 20, 1.3),
        (5, 5, 8.8),
        (5, 10, 5.1),
        (5, 20, 3.4),
        (10, 5, 18.3),
        (10, 10, 10.5),
        (10, 20, 6.8),
    ],
)
def test_detectable_effect_agrees_with_simulation(spread, blocks, percent):
    assert detectable_percent(blocks, spread) == pytest.approx(percent, rel=0.04)


@pytest.mark.parametrize("spread", [0.5, 3, 11])
@pytest.mark.parametrize("effect", [1, 2, 5, 50])
def test_blocks_needed_is_the_fewest(spread, effect):
    blocks = blocks_needed(effect, spread)
    assert blocks is not None
    assert detectable_percent(blocks, spread) <= effect
    assert blocks == 2 or detectable_percent(blocks - 1, spread) > effect


def test_an_effect_far_below_the_noise_needs_no_number():
    assert blocks_needed(0.01, 50) is None


def test_two_turns_of_the_baseline_narrow_the_ratio():
    assert paired_percent(10) == pytest.approx(10 * math.sqrt(1.5 / 2))


def test_the_power_is_what_it_says():
    """The effect that 8 blocks show with 80 % power is seen in about 80 % of random series."""
    import numpy as np
    from scipy.stats import ttest_1samp

    effect = math.log1p(detectable_percent(8, 5) / 100)
    series = np.random.default_rng(1).normal(effect, 0.05, size=(20_000, 8))
    seen = (ttest_1samp(series, 0, axis=1).pvalue < 0.05).mean()
    assert seen == pytest.approx(0.80, abs=0.01)
