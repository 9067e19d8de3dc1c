"""The noise of a pilot, against noise that was planted."""

import pytest

from fsgauge.errors import InputError
from fsgauge.stats.pilot import pilot_noise
from tests.synthetic import make_study


def test_planted_noise_is_found():
    # Runs of deviation 4 %: two of them differ by 4 % x sqrt(2).
    study = make_study(blocks=60, noise=0.04, seed=3, queue_depths=(1, 32), block_sizes=(4096,))
    found = pilot_noise(study.study, study.runs)
    assert found.noise_percent == pytest.approx(4 * 2**0.5, rel=0.12)
    assert found.worst_percent >= found.noise_percent
    assert found.blocks == 60


def test_a_steady_drift_between_turns_is_no_noise():
    shape = {"blocks": 30, "noise": 0.01, "seed": 3, "queue_depths": (1,), "block_sizes": (4096,)}
    still, moving = make_study(**shape), make_study(**shape, later_effect=0.8)
    noise = pilot_noise(still.study, still.runs).noise_percent
    assert pilot_noise(moving.study, moving.runs).noise_percent == pytest.approx(noise, rel=0.05)


def test_two_blocks_say_nothing():
    study = make_study(blocks=2)
    with pytest.raises(InputError, match="fewer than 3 whole blocks"):
        pilot_noise(study.study, study.runs)
