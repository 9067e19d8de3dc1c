"""Known answers: two results folders, limits that fail a build, and histories.

Size: 2000 pairs of folders a case, 1000 histories a case, 600 commands a case; all seeded. The
standard error of a rate of 5 % from 2000 is 0.5 points, from 1000 0.7 points.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtr

from fsgauge.plan.levels import ALPHA, LEVEL
from fsgauge.stats.folders.change_points import change_points
from fsgauge.stats.welch import Welch, interval, welch
from tests.known.planted import Simulated, Values, simulate

PAIRS = 2000
HISTORIES = 1000
PLANTED = math.log(0.94)


def folders(
    blocks: tuple[int, int],
    *,
    seed: int,
    log_effect: float = 0.0,
    sigma: tuple[float, float] = (0.03, 0.03),
    drift: float = 0.0,
) -> tuple[Simulated, Simulated]:
    a = simulate(studies=PAIRS, blocks=blocks[0], seed=seed, sigma=sigma[0], drift=drift)
    b = simulate(
        studies=PAIRS, blocks=blocks[1], seed=seed + 1, sigma=sigma[1], log_effect=log_effect
    )
    return a, b


def ratios(a: Values, b: Values) -> list[Welch]:
    found = (welch(list(x), list(y)) for x, y in zip(a, b, strict=True))
    return [each for each in found if each is not None]


def share_that_hold(found: list[Welch], truth: float) -> float:
    held = [
        each.low is not None and each.high is not None and each.low <= truth <= each.high
        for each in found
    ]
    return float(np.mean(held))


CASES = [
    pytest.param((5, 5), (0.03, 0.03), id="5 blocks"),
    pytest.param((8, 8), (0.03, 0.03), id="8 blocks"),
    pytest.param((20, 20), (0.03, 0.03), id="20 blocks"),
    pytest.param((5, 20), (0.03, 0.03), id="5 and 20 blocks"),
    pytest.param((8, 8), (0.01, 0.04), id="B four times as noisy"),
    pytest.param((6, 12), (0.04, 0.01), id="few and noisy, many and quiet"),
]


@pytest.mark.parametrize(("blocks", "sigma"), CASES)
def test_intervals_hold_the_planted_ratio_as_often_as_they_promise(
    blocks: tuple[int, int], sigma: tuple[float, float]
) -> None:
    a, b = folders(blocks, seed=sum(blocks), log_effect=PLANTED, sigma=sigma)
    assert 0.93 <= share_that_hold(ratios(a.system, b.system), 0.94) <= 0.97
    assert 0.93 <= share_that_hold(ratios(a.log_ratios(), b.log_ratios()), 0.94) <= 0.97


@pytest.mark.parametrize(("blocks", "sigma"), CASES)
def test_equal_folders_are_called_different_one_time_in_twenty(
    blocks: tuple[int, int], sigma: tuple[float, float]
) -> None:
    """100 000 pairs of folders, standard error 0.07 points; all at once, and like `welch`."""
    chance = np.random.default_rng(sum(blocks))
    a = chance.normal(0, sigma[0], (100_000, blocks[0]))
    b = chance.normal(0, sigma[1], (100_000, blocks[1]))
    p_values = all_at_once(a, b)
    for x, y, p in zip(a[:50], b[:50], p_values, strict=False):
        found = welch(list(x), list(y))
        assert found is not None and found.p == pytest.approx(p, rel=1e-9)
        assert found.low is not None and found.high is not None
        assert (found.low > 1 or found.high < 1) == (p < ALPHA)
    assert 0.03 <= np.mean(p_values < ALPHA) <= 0.06


def all_at_once(a: Values, b: Values) -> Values:
    """p values of Welch's test for each row."""
    parts = a.var(axis=1, ddof=1) / a.shape[1], b.var(axis=1, ddof=1) / b.shape[1]
    total = parts[0] + parts[1]
    weight = parts[0] ** 2 / (a.shape[1] - 1) + parts[1] ** 2 / (b.shape[1] - 1)
    strength = np.abs(b.mean(axis=1) - a.mean(axis=1)) / np.sqrt(total)
    return np.asarray(2 * stdtr(total**2 / weight, -strength))


def test_another_machine_cancels_in_the_ratio_of_ratios_and_only_there() -> None:
    """B's machine is 30 % faster: the direct ratio sees the machine, the other one does not."""
    a, b = folders((8, 8), seed=5)
    faster = math.log(1.3)
    assert share_that_hold(ratios(a.system, b.system + faster), 1.0) < 0.01
    moved = Simulated(b.earlier + faster, b.later + faster, b.system + faster)
    assert 1 - share_that_hold(ratios(a.log_ratios(), moved.log_ratios()), 1.0) <= 0.06


def test_a_machine_that_drifts_during_one_folder_makes_no_difference() -> None:
    """A rises by 16 % from its first turn to its last; in the ratio of ratios that cancels."""
    a, b = folders((8, 8), seed=6, drift=0.16)
    assert 1 - share_that_hold(ratios(a.log_ratios(), b.log_ratios()), 1.0) <= 0.06


def test_swapping_the_folders_inverts_the_ratio_exactly() -> None:
    a, b = folders((5, 9), seed=8, log_effect=PLANTED)
    for x, y in zip(a.system[:200], b.system[:200], strict=True):
        there, back = welch(list(x), list(y)), welch(list(y), list(x))
        assert there is not None and back is not None
        assert there.low is not None and there.high is not None
        assert back.low is not None and back.high is not None
        assert there.ratio * back.ratio == pytest.approx(1, rel=1e-14)
        assert there.low * back.high == pytest.approx(1, rel=1e-12)
        assert there.high * back.low == pytest.approx(1, rel=1e-12)
        assert there.p == pytest.approx(back.p, rel=1e-9)
        assert there.robust.ratio * back.robust.ratio == pytest.approx(1, rel=1e-12)


def test_scaling_both_folders_changes_nothing() -> None:
    a, b = folders((5, 9), seed=9, log_effect=PLANTED)
    for x, y in zip(a.system[:200], b.system[:200], strict=True):
        plain = welch(list(x), list(y))
        scaled = welch(list(x + math.log(1000)), list(y + math.log(1000)))
        assert plain is not None and scaled is not None
        assert scaled.ratio == pytest.approx(plain.ratio, rel=1e-12)
        assert (scaled.low, scaled.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


@pytest.mark.parametrize("cells", [1, 12])
@pytest.mark.parametrize("blocks", [5, 8])
def test_a_gate_on_many_cells_fails_a_good_build_less_than_one_time_in_forty(
    cells: int, blocks: int
) -> None:
    """Every cell lies exactly at its limit, the worst that may not fail: at most 2.5 %."""
    commands = 600
    level = 1 - ALPHA / cells
    limit = 0.95
    chance = np.random.default_rng(cells * 100 + blocks)
    a = chance.normal(0, 0.03, (commands, cells, blocks))
    b = chance.normal(math.log(limit), 0.03, (commands, cells, blocks))
    alarms = [
        any(_below(x, y, limit, level) for x, y in zip(a[k], b[k], strict=True))
        for k in range(commands)
    ]
    assert np.mean(alarms) <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / commands)


def test_a_gate_finds_a_real_drop() -> None:
    """15 % less in one of 12 cells, 8 blocks that differ by 3 %."""
    chance = np.random.default_rng(17)
    level = 1 - ALPHA / 12
    found = [
        _below(chance.normal(0, 0.03, 8), chance.normal(math.log(0.85), 0.03, 8), 0.95, level)
        for _ in range(300)
    ]
    assert np.mean(found) > 0.95


def _below(a: Values, b: Values, limit: float, level: float) -> bool:
    ratio = welch(list(a), list(b))
    assert ratio is not None and ratio.error is not None and ratio.freedom is not None
    assert level >= LEVEL
    return interval(ratio.ratio, ratio.error, ratio.freedom, level)[1] < limit


@pytest.mark.parametrize("count", [6, 12, 40])
@pytest.mark.parametrize("series", [1, 6])
def test_a_history_without_steps_shows_one_in_at_most_one_of_twenty(
    count: int, series: int
) -> None:
    chance = np.random.default_rng(count * 10 + series)
    alarms = [
        any(
            change_points(list(chance.normal(0, 0.02, count)), series=series) for _ in range(series)
        )
        for _ in range(HISTORIES)
    ]
    assert np.mean(alarms) <= ALPHA


def test_a_planted_step_is_found_where_it_is() -> None:
    """From folder 10 of 20 on, where equal folders differ by 2 %: minus 12 % nearly always, 8 %
    in 85 of 100 (in more than 95 before a random walk was held to 6 false steps of 100)."""
    assert share_found(0.88) > 0.95
    assert share_found(0.92) > 0.80


def share_found(level: float) -> float:
    chance = np.random.default_rng(3)
    hits = []
    for _ in range(300):
        logs = chance.normal(0, 0.02, 20)
        logs[10:] += math.log(level)
        steps = change_points(list(logs))
        hits.append(len(steps) == 1 and abs(steps[0].index - 10) <= 1)
    return float(np.mean(hits))


def test_a_step_that_was_undone_is_found_too() -> None:
    """Minus 10 % in folders 10 to 19 of 30: the mean of the whole hardly moves."""
    chance = np.random.default_rng(4)
    hits = []
    for _ in range(300):
        logs = chance.normal(0, 0.02, 30)
        logs[10:20] += math.log(0.90)
        places = [step.index for step in change_points(list(logs))]
        hits.append(len(places) == 2 and abs(places[0] - 10) <= 1 and abs(places[1] - 20) <= 1)
    assert np.mean(hits) > 0.9
