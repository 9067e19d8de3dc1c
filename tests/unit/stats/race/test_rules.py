"""The rules of a race on numbers whose answer is plain; how often they err: tests/known."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from fsgauge.stats.race.rules import (
    Array,
    Interval,
    Left,
    Standing,
    at_most_with,
    failed,
    finalists,
    look,
)

MARGIN = math.log(1.02)


def values(*means: float, blocks: int = 6, noise: float = 0.01, seed: int = 3) -> Array:
    chance = np.random.default_rng(seed)
    drift = chance.normal(0, 0.2, (blocks, 1))
    return np.array(means) + drift + chance.normal(0, noise, (blocks, len(means)))


def looked(
    found: Array, standing: Standing | None = None, weaker: Collection[int] = ()
) -> Standing:
    before = standing or Standing(found.shape[1], frozenset(weaker))
    return look(found, before, margin_log=MARGIN, looks=10)


def test_what_is_surely_slower_leaves_and_what_is_close_stays() -> None:
    standing = looked(values(0.0, -0.01, -0.5))
    assert standing.leader == 0
    assert set(standing.left) == {2}
    left = standing.left[2]
    assert (left.after_block, left.leader) == (6, 0)
    assert left.interval is not None and left.interval.low < -0.5 + 0.05
    assert left.interval.high < 0
    assert standing.in_race == [0, 1]
    assert set(standing.over_leader) == {1}


def test_drift_of_a_whole_block_is_nobodys_loss() -> None:
    slow_block = values(0.0, -0.05)
    slow_block[2] -= 3.0
    assert 1 in looked(slow_block).left


def test_a_rival_that_cannot_be_better_by_the_margin_is_parked() -> None:
    standing = looked(values(0.0, 0.0, blocks=12, noise=0.004))
    assert len(standing.parked) == 1 and standing.in_race == [0, 1]
    assert standing.running == [standing.leader]
    assert standing.settled and standing.at_most <= MARGIN


def test_who_is_parked_comes_back_where_another_one_leads() -> None:
    """It is compared on the blocks that both ran."""
    found = values(0.0, -0.004, 0.05, blocks=8, noise=0.004)
    found[:4, 2] -= 0.05
    found[4:, 1] = np.nan
    standing = looked(found, Standing(3, leader=0, parked=frozenset({1})))
    assert standing.leader == 2
    assert 1 in standing.left or 1 in standing.running
    assert math.isfinite(standing.over_leader.get(1, Interval(0, 0, 0)).low)


def test_a_single_noisy_system_is_judged_by_its_own_spread() -> None:
    found = values(*[0.0] * 12, blocks=5, noise=0.005)
    found[:, 1] += np.array([0.4, -0.5, 0.1, -0.4, 0.1])
    assert 1 not in looked(found).left


def test_a_value_that_is_missing_is_no_loss() -> None:
    found = values(0.0, -0.01, -0.5)
    found[1, 1] = found[3, 0] = math.nan
    standing = looked(found)
    assert standing.leader == 0 and set(standing.left) == {2}
    alone = values(0.0, 0.0, -0.5)
    alone[1:, 1] = math.nan
    standing = looked(alone)
    pair = standing.over_leader.get(1) or standing.over_leader[0]
    assert math.isinf(pair.high), "one shared block tells nothing"


def test_what_gives_up_durability_never_leads() -> None:
    standing = looked(values(0.5, 0.0, -0.01), weaker=[0])
    assert standing.leader == 1
    assert 0 in standing.parked and 0 not in standing.left
    assert standing.at_most < 0.1, "nothing is claimed of it"
    assert 0 in looked(values(-0.5, 0.0, -0.01), weaker=[0]).left


def test_two_failures_in_a_row_take_a_system_out() -> None:
    missed = [[1], [], [1], [1]]
    standing = Standing(2)
    for block in range(3):
        standing = failed(missed[block], [0, 1], block, standing)
        assert not standing.left
    standing = failed(missed[3], [0, 1], 3, standing)
    assert standing.left == {1: Left(4, 1, None)}
    assert standing.in_race == [0]


def test_where_the_leader_fails_the_nearest_one_leads() -> None:
    standing = Standing(
        4,
        frozenset({3}),
        leader=0,
        parked=frozenset({2}),
        misses={0: 1},
        over_leader=behind(-0.2, -0.1, 0.4),
        at_most=0.01,
    )
    left = failed([0], [0, 1, 3], 7, standing)
    assert left.leader == 2 and left.running == [1, 2, 3], "it gives up what the others keep"
    assert math.isinf(left.at_most) and not left.over_leader
    two = Standing(2, frozenset({1}), leader=0, misses={0: 1}, over_leader=behind(0.1))
    assert failed([0], [0], 7, two).leader is None


def behind(*logs: float) -> dict[int, Interval]:
    return {place: Interval(log, log - 1, log + 1) for place, log in enumerate(logs, 1)}


def test_the_baseline_the_winner_and_the_three_nearest_are_confirmed() -> None:
    standing = Standing(7, leader=0, over_leader=behind(-0.1, -0.2, -0.05, -0.3, -0.4, -0.5))
    assert finalists(standing, 6) == [6, 0, 3, 1, 2]
    assert finalists(standing, 0) == [0, 3, 1, 2]
    assert finalists(Standing(3), 0) == []


def test_one_of_those_that_give_up_durability_is_confirmed() -> None:
    near = behind(0.3, 0.2, -0.1, -0.2, -0.3)
    standing = Standing(6, frozenset({1, 2}), leader=0, over_leader=near)
    assert finalists(standing, 0) == [0, 3, 4, 1]


def test_a_baseline_that_wins_alone_is_held_against_who_left_last() -> None:
    gone = {1: Left(3, 0, Interval(-0.3, -0.4, -0.2)), 2: Left(4, 0, Interval(-0.2, -0.3, -0.1))}
    assert finalists(Standing(3, leader=0, left=gone), 0) == [0, 2]


def fresh(*means: float, blocks: int = 8) -> Array:
    """Blocks after a race, in which only those with a mean ran."""
    chance = np.random.default_rng(11)
    return np.array(means) + chance.normal(0, 0.01, (blocks, len(means)))


def test_a_leader_that_stalls_in_a_fresh_block_is_not_sure_of_those_that_left() -> None:
    """They were held against the blocks in which it had not."""
    found = values(0.05, 0.0, -0.01, blocks=12)
    standing = looked(found)
    assert standing.leader == 0 and set(standing.left) == {1, 2} and standing.settled
    after = fresh(0.05, 0.0, math.nan)
    steady = at_most_with(np.vstack([found, after]), standing)
    assert steady == 0.0
    after[3, 0] -= 1.0
    stalled = np.vstack([found, after])
    assert at_most_with(stalled, standing) > MARGIN
    weak = replace(standing, weaker=frozenset({1, 2}))
    assert at_most_with(stalled, weak) == standing.at_most, (
        "nothing is claimed of what gives up durability"
    )


def test_who_left_against_another_one_is_behind_by_both_steps() -> None:
    """The one that it was held against stalled later, and lost the lead."""
    found = values(0.0, 0.05, 0.02, blocks=12)
    gone = {2: Left(12, 1, Interval(-0.03, -0.04, -0.02, 1.0))}
    standing = Standing(3, leader=0, left=gone, over_leader={1: Interval(-0.02, -0.05, 0.01, 1.0)})
    steady = at_most_with(found, standing)
    assert math.isclose(steady, 0.01), "that one may be better than the leader, and 2 is behind it"
    stalled = found.copy()
    stalled[5, 1] -= 1.0
    assert at_most_with(stalled, standing) > 0.1


def test_who_left_against_one_that_failed_is_held_against_its_mean() -> None:
    found = values(0.0, 0.2, 0.0, blocks=6, noise=0.001)
    gone = {
        1: Left(6, 0, None),
        2: Left(3, 1, Interval(-0.15, -0.2, -0.1, 0.1)),
    }
    standing = Standing(3, leader=0, left=gone, at_most=0.0)
    assert 0.05 < at_most_with(found, standing) < 0.15
    assert math.isinf(at_most_with(found, Standing(3)))
