"""Known answers: races of sixty systems of which the truth is planted.

Size: 1,000 races of each truth and noise, seeded, in less than a minute of CPU; `make test` runs
the first 60 of each. The standard error of a rate of 5 % is 0.7 points at 1,000.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from itertools import product
from statistics import fmean

import numpy as np
import pytest

from fsgauge.record.modes import looks_of
from fsgauge.stats.race import rules
from fsgauge.study.settings import OF_A_RACE
from tests.known.simulated_races import (
    BLOCKS,
    MARGIN,
    SYSTEMS,
    Ended,
    Truth,
    close,
    equal,
    factors,
    raced,
    races,
    spread,
    twice_the_best,
)
from tests.long import long_but

NOISES = (0.03, 0.05, 0.10)
FEW = 60
FEW_MISSED = 0.15
"""Of 60 intervals that each miss in 5 of 100, in a dozen tests: 3.5 standard errors more."""
FEW_HIGH = 100
"""Of races with high certainty; 5 of 100 are then up to 12, 3 standard errors more."""
SIZES = [pytest.param(FEW, id="few"), pytest.param(1000, id="all", marks=pytest.mark.long)]
MANY = pytest.param(300, id="many", marks=pytest.mark.long)
MOST_RUNS = 320
"""On average, the baseline's second turns among them, of 60 systems that differ by 15 %, at 5 %
noise; 488 are a full plan of 8 blocks."""


def rate(found: Sequence[Ended], what: Callable[[Ended], bool]) -> float:
    """The share of races of which it is true."""
    return sum(map(what, found)) / len(found)


def missed(found: Sequence[Ended]) -> float:
    """How often the fresh interval of the winner's gain misses the truth."""
    covered = [each.covered for each in found if each.covered is not None]
    return 1 - sum(covered) / len(covered)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("truth", [spread, close, factors])
def test_the_best_one_stays_and_what_the_end_claims_is_true(
    truth: Truth, noise: float, count: int
) -> None:
    found = races(truth, noise, count)
    assert rate(found, lambda each: each.best_left) <= 0.05
    assert rate(found, lambda each: each.is_false_margin) <= 0.05
    assert rate(found, lambda each: each.is_false_at_most) <= 0.05
    assert missed(found) <= (0.07 if count > FEW else FEW_MISSED)


@pytest.mark.parametrize("count", SIZES)
def test_it_takes_two_thirds_of_a_full_plan(count: int) -> None:
    found = races(spread, 0.05, count)
    assert fmean(each.runs + each.beside for each in found) <= MOST_RUNS
    assert rate(found, lambda each: each.worse_by <= MARGIN) >= 0.95


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("noise", long_but([0.05], NOISES))
def test_equal_systems_end_without_a_winner_and_with_a_bound(noise: float, count: int) -> None:
    """None is the better one, and it is said by how much any could be: "no difference above"."""
    found = races(equal, noise, count)
    assert rate(found, lambda each: each.claimed) <= 0.05
    assert rate(found, lambda each: each.best_left) <= 0.05
    assert all(0 < each.at_most < math.inf for each in found)
    assert fmean(each.at_most for each in found) < 0.02 + 2 * noise
    assert fmean(each.left for each in found) < SYSTEMS / 20


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("noise", NOISES)
def test_a_duplicate_of_the_best_does_not_flatter_the_winner(noise: float, count: int) -> None:
    found = races(twice_the_best, noise, count)
    assert missed(found) <= (0.07 if count > FEW else FEW_MISSED)
    assert rate(found, lambda each: each.is_false_margin) <= 0.05


@pytest.mark.parametrize("most", [7, 9, 15])
def test_a_look_at_the_end_of_a_budget_is_in_the_place_of_the_next(most: int) -> None:
    found = [raced(close, 0.05, 1000 * seed + 7, most=most) for seed in range(FEW)]
    assert rate(found, lambda each: each.best_left) <= 0.05
    assert rate(found, lambda each: each.is_false_at_most) <= 0.05
    assert all(each.blocks <= most for each in found)


@pytest.mark.parametrize("count", [pytest.param(200, id="few"), SIZES[1]])
@pytest.mark.parametrize("noise", long_but([0.03], [0.01, *NOISES]))
@pytest.mark.parametrize("rare", [0.3, 0.2])
def test_who_stalls_in_one_run_of_five_does_not_win_falsely(
    rare: float, noise: float, count: int
) -> None:
    """One system is 5 % faster than the best while it is steady, and 5 % slower by the mean that
    every study has. Its first blocks may have no stall; with those that confirm some has."""
    found = races(spread, noise, count, rare=rare)
    assert rate(found, lambda each: each.is_false_margin) <= 0.05
    assert rate(found, lambda each: each.is_false_at_most) <= 0.05


@pytest.mark.parametrize(
    ("rare", "noise", "count"),
    [
        *[pytest.param(*each, 60, id=f"{each} few") for each in product([0.1, 0.05], [0.01, 0.05])],
        pytest.param(0.05, 0.05, 500, id="many", marks=pytest.mark.long),
    ],
)
def test_rarer_stalls_are_missed_as_the_answer_says(rare: float, noise: float, count: int) -> None:
    """A winner that has not stalled yet looks like one that never does, to every estimator. So the
    answer says how rare stalls are that may have been missed, and nothing else in it is false."""
    found = races(spread, noise, count, rare=rare)
    assert all(each.stalled == 0 for each in found if each.is_false_margin)
    assert rate(found, lambda each: each.is_false_as_said) <= 0.05


@pytest.mark.parametrize("count", [SIZES[0], MANY])
@pytest.mark.parametrize("truth", long_but([close], [spread, close, factors]))
def test_where_every_system_stalls_the_best_one_stays(truth: Truth, count: int) -> None:
    """One run in 20 of each takes three times as long."""
    found = races(truth, 0.05, count, usual=(0.05, math.log(3)))
    assert rate(found, lambda each: each.best_left) <= 0.05
    assert rate(found, lambda each: each.is_false_margin) <= 0.05
    assert rate(found, lambda each: each.is_false_at_most) <= 0.05


@pytest.mark.parametrize("count", [pytest.param(FEW_HIGH, id="few"), MANY])
def test_a_high_certainty_goes_on_until_it_is_proven(count: int) -> None:
    """Its blocks have some of the stalls of one run in 20 as well."""
    high = OF_A_RACE["high"]
    keys = {"blocks": high["blocks"], "confirming": high["confirm"]}
    found = races(spread, 0.05, count, **keys)
    assert rate(found, lambda each: each.worse_by <= MARGIN) >= 0.99
    assert rate(found, lambda each: each.claimed) >= 0.8
    assert fmean(each.runs for each in found) <= 500
    stalling = races(spread, 0.05, count, rare=0.05, **keys)
    assert rate(stalling, lambda each: each.is_false_margin) <= (0.05 if count > FEW_HIGH else 0.12)


def test_a_run_that_is_not_steady_counts_or_who_stalls_would_win() -> None:
    """Where runs that stall are missing, who stalls in each fifth is claimed to be the best."""
    missing = races(spread, 0.03, FEW, rare=0.2, missing=True)
    assert rate(missing, lambda each: each.is_false_margin) > 0.4


def test_a_run_that_is_not_steady_counts_or_a_busy_machine_would_take_the_best_out() -> None:
    """One of seven runs of all is called unsteady and loses nothing by it."""
    left = {
        missing: rate(
            races(spread, 0.03, FEW, usual=(0.15, 0.0), missing=missing),
            lambda each: each.best_left,
        )
        for missing in (False, True)
    }
    assert left[True] > 0.1
    assert left[False] <= 0.05


def test_looks_without_a_correction_would_lose_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation can fail: each look at 5 % by itself, as races elsewhere have it."""
    monkeypatch.setattr(rules, "of_look", lambda *_: 0.90)
    assert rate(races(close, 0.10, FEW), lambda each: each.best_left) > 0.1


def test_one_noisy_system_is_not_judged_by_the_others() -> None:
    """With the error of all alone, a best one of ten times their noise would leave by bad luck."""
    left = 0
    for seed in range(200):
        chance = np.random.default_rng(seed)
        values = chance.normal(0, 0.01, (5, 20))
        values[:, 0] = chance.normal(0.02, 0.10, 5)
        standing = rules.look(
            values, rules.Standing(20), margin_log=MARGIN, looks=len(looks_of(BLOCKS))
        )
        left += 0 in standing.left
    assert left <= 10


def test_a_look_is_a_matter_of_milliseconds() -> None:
    """Counted in calls of Python: a few hundred for 200 systems, none for each value."""
    values = np.random.default_rng(1).normal(0, 0.05, (BLOCKS, 200))
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        rules.look(values, rules.Standing(200), margin_log=MARGIN, looks=len(looks_of(BLOCKS)))
    finally:
        sys.setprofile(None)
    assert calls < 10 * 200
