"""The noise floor: a baseline that differs from itself either way, and how wide a cell is."""

from __future__ import annotations

import math
import statistics

import pytest
from scipy import stats

from fsgauge.record.records import Cell
from fsgauge.stats.noise import Noise, pooled_noise
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.samples import Samples, collect
from fsgauge.stats.verdict import log_margin
from tests.synthetic import make_study
from tests.unit.stats.one_run import ONE_CELL

SCATTER = (-0.004, -0.002, 0.0, 0.002, 0.004)


def ratio_at(log: float) -> Ratio:
    """Five blocks that lie closely around one log ratio."""
    found = ratio_of_blocks([log + each for each in SCATTER])
    assert found is not None
    return found


def noise_at(labelled: float, in_time: float = 0.0) -> Noise:
    bands = {"a": 0.01}
    return Noise("iops", ratio_at(labelled), ratio_at(in_time), ["a"], bands, log_margin(3.0))


@pytest.mark.parametrize("side", [1, -1])
def test_a_baseline_that_differs_from_itself_makes_a_study_not_valid_either_way(side: int) -> None:
    assert noise_at(side * 0.1).state == "differs"
    assert noise_at(side * 0.02).state == "quiet"


@pytest.mark.parametrize("side", [1, -1])
def test_a_rig_drifts_whether_the_later_turn_is_above_or_below(side: int) -> None:
    assert noise_at(0.0, side * 0.1).drifts
    assert noise_at(0.0, side * 0.1).state == "quiet"
    assert not noise_at(0.0, side * 0.02).drifts


def aa(blocks: int) -> tuple[Samples, Cell]:
    study = make_study(**{**ONE_CELL, "blocks": blocks}, noise=0.05)
    return collect(study.study.plan, study.runs), study.study.plan.cells[0]


def test_a_band_is_the_t_interval_of_a_system_equal_to_the_baseline() -> None:
    """A/A has the variance 2 v of two runs; a system over the mean of both turns has 1.5 v."""
    samples, cell = aa(blocks=6)
    noise = pooled_noise(samples, "iops", [cell.id], 3.0)
    logs = list(samples.twin_log_ratios("iops", cell.id).values())
    half = stats.t.ppf(0.975, 5) * statistics.stdev(logs) / math.sqrt(6) * math.sqrt(1.5 / 2)
    assert noise is not None
    assert noise.half_widths == {cell.id: pytest.approx(half)}
    assert noise.typical == pytest.approx(half)


def test_two_blocks_give_no_band_and_no_state() -> None:
    samples, cell = aa(blocks=2)
    noise = pooled_noise(samples, "iops", [cell.id], 3.0)
    assert noise is not None
    assert (noise.half_widths, noise.state) == ({}, "unknown")


@pytest.mark.parametrize(("half", "state"), [(0.05, "quiet"), (0.5, "wide")])
def test_a_typical_band_wider_than_what_is_asked_is_too_noisy(half: float, state: str) -> None:
    found = Noise("iops", ratio_at(0.0), ratio_at(0.0), ["a"], {"a": half}, log_margin(3.0))
    assert found.state == state
