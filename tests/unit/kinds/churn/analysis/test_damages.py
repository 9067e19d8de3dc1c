"""Aged over fresh: planted damage comes out, of reads and writes apart, and none where is none."""

import math

import pytest

from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.stats.verdict import OPEN
from tests.synthetic_churn import BASELINE, make_churn
from tests.synthetic_churn import kept as planted


def damages(**changes):
    found = make_churn(**changes).results().own
    assert found is not None
    return found


@pytest.fixture(scope="module")
def churn():
    return damages()


def test_planted_damage_comes_out(churn):
    study = make_churn().study
    cells = {
        (ChurnFactors.of(c).side, ChurnFactors.of(c).fill_percent): c
        for c in study.plan.cells
        if ChurnFactors.of(c).wear == "aged"
    }
    assert len(churn.damages) == 2 * 3 * 3
    for damage in churn.damages:
        true = planted(damage.system, cells[damage.side, damage.fill_percent])
        assert damage.ratio == pytest.approx(true, rel=0.02)
        assert damage.low < damage.ratio < damage.high
        assert damage.n == 6
        assert len(damage.blocks) == 6


def test_verdicts_are_about_ageing(churn):
    assert churn.damage("btrfs", "read", 95).verdict == "worse"
    assert churn.damage("ext4", "write", 95).verdict == "worse"
    assert churn.damage("xfs", "write", 95).verdict == "equivalent"


def test_the_ratio_is_the_mean_of_ratios_inside_blocks(churn):
    damage = churn.damage("xfs", "read", 80)
    logs = [math.log(value) for _, value in damage.blocks]
    assert math.log(damage.ratio) == pytest.approx(sum(logs) / len(logs))
    assert damage.ratio == pytest.approx(damage.aged.value / damage.fresh.value)


def test_damage_against_the_baseline_is_inside_blocks_too(churn):
    damage, own = churn.damage("btrfs", "read", 95), churn.damage(BASELINE, "read", 95)
    assert damage.against_baseline.ratio == pytest.approx(damage.ratio / own.ratio)
    assert damage.against_baseline.verdict == "worse"
    assert churn.damage("xfs", "read", 95).against_baseline.verdict == "better"
    assert own.against_baseline is None


def test_without_damage_nothing_is_called_worse():
    churn = damages(kept=lambda system, cell: 1.0, noise=0.03, seed=5)
    assert all(damage.verdict in (*OPEN, "equivalent") for damage in churn.damages)


def test_noise_is_that_of_the_baseline_against_itself(churn):
    assert set(churn.noise) == {"read", "write"}
    for noise in churn.noise.values():
        assert noise.n == 6
        assert noise.value == pytest.approx(1.0, abs=0.02)


def test_a_drift_between_turns_is_in_no_noise_of_one_cell():
    """Later over earlier is taken cell by cell: each has two turns of the baseline in a block."""
    study = make_churn(fills=[80], blocks=2)
    turns = [t for t in study.study.plan.turns if t.system == BASELINE and t.block == 0]
    assert len(turns) == 4
    assert study.results().own.noise["read"].n == 2


def test_a_block_without_its_fresh_copy_is_left_out():
    churn = damages(
        faults=lambda turn, cell: (turn.block, turn.system, cell.id) == (2, "xfs", "fresh-80-read")
    )
    assert churn.damage("xfs", "read", 80).left_out == [2]
    assert churn.damage("xfs", "read", 80).n == 5
    assert churn.damage("xfs", "write", 80).left_out == []


def test_one_side_alone():
    churn = damages(tests=["write"], fills=[80], blocks=3)
    assert churn.sides == ["write"]
    assert {damage.side for damage in churn.damages} == {"write"}
