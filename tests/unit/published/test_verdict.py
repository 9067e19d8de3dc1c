"""The rules: what an interval lets one say of a published claim, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.published.observe import Observation
from fsgauge.published.trial import Trial
from fsgauge.published.verdict import judged, numbers, together


def trial(rule: str) -> Trial:
    return Trial.model_validate({"study": "s", "words": "w", "rule": rule, "system": "a"})


def seen(low: float | None, high: float | None, cell: str = "cell", **more: Any) -> Observation:
    value = 1.0 if low is None or high is None else (low * high) ** 0.5
    return Observation(
        **{
            "cell": cell,
            "system": "a",
            "over": "b",
            "value": value,
            "low": low,
            "high": high,
            "n": 8,
            **more,
        }
    )


def test_cells_that_vary_what_a_claim_does_not_name_have_to_agree() -> None:
    """A study of 1 and 2 jobs ended with "too many values to unpack" in place of its page."""
    alike = [seen(0.35, 0.45, "1 job"), seen(0.3, 0.5, "2 jobs")]
    found = judged(trial("below"), 0.4, alike)
    assert found.word == "confirmed" and found.words == "1 job: 0.40 (0.35 to 0.45)"
    mixed = [*alike, seen(1.1, 1.2, "4 jobs")]
    assert judged(trial("below"), 0.4, mixed).word == "undecided"


@pytest.mark.parametrize(
    ("rule", "published", "low", "high", "word"),
    [
        ("below", 0.4, 0.35, 0.45, "confirmed"),
        ("below", 0.4, 0.55, 0.65, "direction confirmed"),
        ("below", 0.4, 0.2, 0.3, "direction confirmed"),
        ("below", 0.4, 0.3, 1.1, "undecided"),
        ("below", 0.4, 1.01, 1.1, "refuted"),
        ("below", None, 0.5, 0.6, "confirmed"),
        ("below", 0.4, 0.19, 0.6, "direction confirmed"),
        ("above", 1.51, 1.02, 3.9, "direction confirmed"),
        ("above", 1.37, 1.3, 1.4, "confirmed"),
        ("above", 1.37, 1.1, 1.2, "direction confirmed"),
        ("above", 1.37, 0.9, 1.4, "undecided"),
        ("above", 1.37, 0.8, 0.9, "refuted"),
        ("no gain", 0.98, 0.9, 1.02, "confirmed"),
        ("no gain", 0.98, 0.5, 0.6, "confirmed"),
        ("no gain", 0.98, 0.9, 1.2, "undecided"),
        ("no gain", 0.98, 1.01, 1.2, "refuted"),
        ("no gain", 0.98, 1.001, 1.003, "confirmed"),
        ("same", 1.0, 0.98, 1.03, "confirmed"),
        ("same", 1.0, 0.7, 1.3, "undecided"),
        ("same", 1.0, 1.2, 1.3, "refuted"),
        ("same", 1.0, 1.01, 1.06, "undecided"),
        ("same", 1.0, 0.94, 0.99, "undecided"),
        ("any below", None, 0.8, 0.9, "confirmed"),
        ("any below", None, 0.9, 0.98, "undecided"),
        ("any below", None, 0.96, 0.98, "refuted"),
        ("any below", None, 1.2, 1.3, "refuted"),
        ("any differs", None, 1.2, 1.3, "confirmed"),
        ("any differs", None, 0.8, 0.9, "confirmed"),
        ("any differs", None, 1.02, 1.2, "undecided"),
        ("any differs", None, 0.98, 1.02, "refuted"),
    ],
)
def test_one_interval(
    rule: str, published: float | None, low: float, high: float, word: str
) -> None:
    assert judged(trial(rule), published, [seen(low, high)]).word == word


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (2.3, 2.6, "confirmed"),
        (2.9, 3.4, "confirmed"),
        (3.2, 3.4, "direction confirmed"),
        (1.2, 1.4, "direction confirmed"),
    ],
)
def test_a_range_that_is_printed_is_met_anywhere_in_it(low: float, high: float, word: str) -> None:
    """ "2-3 times" (F-26) was held against as 2."""
    of_range = trial("above").model_copy(update={"up_to": 3.0})
    assert judged(of_range, 2.0, [seen(low, high)]).word == word


@pytest.mark.parametrize(
    "rule",
    ["below", "above", "no gain", "same", "all below", "at least", "any below", "any differs"],
)
def test_one_block_decides_nothing(rule: str) -> None:
    assert judged(trial(rule), 0.5, [seen(None, None)]).word == "undecided"


@pytest.mark.parametrize("rule", ["below", "most above", "at least"])
def test_nothing_observed_is_not_yet(rule: str) -> None:
    assert judged(trial(rule), 0.5, []).word == "not yet"


@pytest.mark.parametrize(
    ("intervals", "word"),
    [
        ([(0.8, 0.9), (0.5, 0.6)], "confirmed"),
        ([(0.8, 0.9), (0.9, 1.1)], "undecided"),
        ([(0.8, 0.9), (1.1, 1.2)], "refuted"),
    ],
)
def test_all_below(intervals: list[tuple[float, float]], word: str) -> None:
    outcome = judged(trial("all below"), None, [seen(*each) for each in intervals])
    assert outcome.word == word and outcome.words.split(" below")[0].endswith(" of 2 are")


def test_one_of_many_that_chance_explains_does_not_refute_all() -> None:
    many = [seen(0.8, 0.9, p=0.001), seen(1.01, 1.2, p=0.2)]
    assert judged(trial("all below"), None, many).word == "undecided"
    assert judged(trial("all below"), None, [many[0], seen(1.1, 1.2, p=0.01)]).word == "refuted"


def test_any_is_the_one_that_is_furthest_and_not_one_that_chance_explains() -> None:
    many = [seen(0.9, 1.1, "a"), seen(1.2, 1.3, "b"), seen(1.5, 1.6, "c")]
    assert judged(trial("any differs"), None, many).words.startswith("2 of 3; c: 1.55")
    chance = [seen(0.8, 0.9, p=0.2), seen(0.99, 1.01)]
    assert judged(trial("any differs"), None, chance).word == "undecided"


@pytest.mark.parametrize(
    ("intervals", "word"),
    [
        ([(1.1, 1.2), (1.1, 1.2), (0.5, 0.6)], "confirmed"),
        ([(1.1, 1.2), (0.9, 1.2)], "undecided"),
        ([(0.5, 0.6), (0.5, 0.6), (1.1, 1.2)], "refuted"),
    ],
)
def test_most_above(intervals: list[tuple[float, float]], word: str) -> None:
    assert judged(trial("most above"), None, [seen(*each) for each in intervals]).word == word


@pytest.mark.parametrize(
    ("intervals", "word"),
    [
        ([(0.45, 0.55), (0.9, 1.0)], "confirmed"),
        ([(0.7, 0.8)], "direction confirmed"),
        ([(0.2, 0.3)], "direction confirmed"),
        ([(0.2, 0.6)], "direction confirmed"),
        ([(0.9, 1.1)], "undecided"),
    ],
)
def test_a_loss_up_to_is_never_refuted_by_its_size(
    intervals: list[tuple[float, float]], word: str
) -> None:
    assert judged(trial("loss up to"), 0.5, [seen(*each) for each in intervals]).word == word


@pytest.mark.parametrize(
    ("intervals", "word"),
    [
        ([(0.9, 0.95), (0.97, 1.0)], "confirmed"),
        ([(0.85, 0.95)], "undecided"),
        ([(0.9, 0.95), (0.5, 0.6)], "refuted"),
    ],
)
def test_at_least(intervals: list[tuple[float, float]], word: str) -> None:
    outcome = judged(trial("at least"), 0.89, [seen(*each) for each in intervals])
    assert outcome.word == word and "against 0.89" in outcome.words
    of_ours = trial("at least").model_copy(update={"threshold": 0.89})
    assert "against our threshold 0.89" in judged(of_ours, 0.89, [seen(*intervals[0])]).words


def test_numbers_in_words() -> None:
    assert numbers(seen(0.25, 0.36)) == "0.30 (0.25 to 0.36)"
    assert numbers(seen(0.01, 0.01)) == "0.0100 (the same in all blocks)"
    assert numbers(seen(0.04996, 0.05009)) == "0.0500 (0.0500 to 0.0501)"
    assert numbers(seen(None, None)) == "1.00 (one block, no interval)"


def test_a_claim_holds_as_far_as_each_trial_does() -> None:
    assert together(["confirmed", "confirmed"]) == "confirmed"
    assert together(["confirmed", "direction confirmed"]) == "direction confirmed"
    assert together(["direction confirmed", "undecided"]) == "undecided"
    assert together(["undecided", "not yet"]) == "not yet"
    assert together(["not yet", "refuted"]) == "refuted"
