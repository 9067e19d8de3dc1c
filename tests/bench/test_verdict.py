"""A row is met or missed only where its whole interval says so."""

import math

import pytest

from ratio import Ratio, ratio_of
from verdict import MET, MISSED, UNDECIDED, pairs_to_decide, verdict_of


def at_least_one(ratio: float) -> bool:
    return ratio >= 1


def alike(ratio: float) -> bool:
    return 0.97 <= ratio <= 1.03


@pytest.mark.parametrize(
    ("low", "high", "meets", "verdict"),
    [
        (1.01, 1.2, at_least_one, MET),
        (0.8, 0.99, at_least_one, MISSED),
        (0.97, 1.00, at_least_one, UNDECIDED),
        (0.98, 1.02, alike, MET),
        (1.05, 1.2, alike, MISSED),
        (0.5, 2.0, alike, UNDECIDED),
        (1.02, 1.10, alike, UNDECIDED),
        (0.046, 48.092, alike, UNDECIDED),
        (0.001, 20000.0, alike, UNDECIDED),
    ],
)
def test_all_of_the_interval(low, high, meets, verdict) -> None:
    assert verdict_of(Ratio(math.sqrt(low * high), low, high), meets) == verdict


def test_pairs_that_would_decide_grow_with_the_square() -> None:
    """An interval of 0.9 to 1.6 around 1.2 has to be 1.58 times narrower."""
    ratio = Ratio(1.2, 1.2 / (4 / 3), 1.2 * (4 / 3))
    wanted = (math.log(4 / 3) / math.log(1.2)) ** 2 * 6
    assert wanted == pytest.approx(pairs_to_decide(ratio, 6, at_least_one), rel=0.1)
    assert pairs_to_decide(Ratio(1.0, 0.9, 1 / 0.9), 6, at_least_one) is None


def test_it_agrees_with_real_pairs() -> None:
    ours = [1.1, 0.9, 1.15, 0.95, 1.2, 0.98]
    ratio = ratio_of(ours, [1.0] * 6)
    assert verdict_of(ratio, at_least_one) == UNDECIDED
    count = pairs_to_decide(ratio, 6, at_least_one)
    assert count is not None
    repeated = ratio_of(ours * math.ceil(count / 6), [1.0] * 6 * math.ceil(count / 6))
    assert verdict_of(repeated, at_least_one) == MET
