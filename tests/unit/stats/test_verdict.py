"""The words, and how they depend on margin, direction and number of comparisons."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.verdict import (
    Verdict,
    benjamini_hochberg,
    claimed,
    judge,
    log_margin,
    thresholds,
)

THREE_PERCENT = log_margin(3)


def ratio(centre: float, spread: float, n: int = 8) -> Ratio:
    logs = [centre + spread * (-1) ** block for block in range(n)]
    found = ratio_of_blocks(logs)
    assert found is not None
    return found


def test_the_more_others_are_different_the_less_one_has_to_show() -> None:
    """Of four: 1 to 4 times 5 % / 4."""
    assert thresholds([0.001, 0.02, 0.03, 0.5]) == pytest.approx([0.0375, 0.0375, 0.0375, 0.05])
    assert thresholds([0.4, 0.5]) == pytest.approx([0.025, 0.025])


@pytest.mark.parametrize(
    ("centre", "spread", "higher_is_better", "expected"),
    [
        (-0.10, 0.01, True, "worse"),
        (-0.10, 0.01, False, "better"),
        (0.10, 0.01, True, "better"),
        (0.10, 0.01, False, "worse"),
        (0.0, 0.01, True, "equivalent"),
        (0.012, 0.01, True, "equivalent"),
        (0.0, 0.10, True, "undecided"),
        (-0.04, 0.10, True, "undecided"),
    ],
)
def test_each_verdict(
    centre: float, spread: float, higher_is_better: bool, expected: Verdict
) -> None:
    found = ratio(centre, spread)
    verdict = judge(
        found,
        log_margin=THREE_PERCENT,
        p_adjusted=found.p,
        higher_is_better=higher_is_better,
    )
    assert verdict == expected


@pytest.mark.parametrize(
    ("found", "alone", "interval", "said"),
    [
        ("better", "better", (1.1, 1.2), "better"),
        ("better", "undecided", (1.1, 1.2), "better"),
        ("equivalent", "equivalent", (0.99, 1.01), "equivalent"),
        ("undecided", "undecided", (0.5, 2.0), "undecided"),
        ("undecided", "worse", (0.5, 2.0), "too noisy"),
        ("undecided", "equivalent", (0.5, 2.0), "too noisy"),
        ("better", "better", (1.3, 1515.0), "too noisy"),
        ("worse", "worse", (0.01, 0.099), "worse"),
        ("worse", "worse", (0.01, 0.101), "too noisy"),
        ("worse", "worse", (None, None), "too noisy"),
    ],
)
def test_what_may_be_said(
    found: Verdict,
    alone: Verdict,
    interval: tuple[float | None, float | None],
    said: Verdict,
) -> None:
    low, high = interval
    assert claimed(found, alone=alone, low=low, high=high) == said


def test_nothing_is_too_noisy_where_a_difference_that_matters_would_have_shown() -> None:
    """A row said "too noisy (4 % would have shown)" below "no difference above 4 %"."""
    assert claimed("undecided", alone="worse", low=0.97, high=1.03, shows=True) == "undecided"
    assert claimed("worse", alone="worse", low=0.01, high=1.03, shows=True) == "too noisy"


def test_two_blocks_decide_nothing() -> None:
    found = ratio(-0.5, 1e-9, n=2)
    assert found.p < 0.05
    verdict = judge(found, log_margin=THREE_PERCENT, p_adjusted=found.p, higher_is_better=True)
    assert verdict == "undecided"


def test_many_comparisons_can_undecide_one() -> None:
    found = ratio(-0.10, 0.10, n=9)
    assert found.high is not None and found.high < 1
    verdicts = [
        judge(found, log_margin=THREE_PERCENT, p_adjusted=p, higher_is_better=True)
        for p in (found.p, 0.2)
    ]
    assert verdicts == ["worse", "undecided"]


def test_the_margin_is_a_fall_by_so_many_percent() -> None:
    assert math.exp(-log_margin(3)) == pytest.approx(0.97)


def test_noise_never_makes_systems_equivalent() -> None:
    """A demo on a busy machine once said "equal within 71 %": the A/A interval was the margin."""
    wide = ratio(0.26, 0.55, 6)
    assert wide.high is not None and wide.high > 1.7
    verdict = judge(wide, log_margin=THREE_PERCENT, p_adjusted=wide.p, higher_is_better=True)
    assert verdict == "undecided"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_correction_is_the_published_one(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == pytest.approx(list(false_discovery_control(p_values)))


def test_no_comparison_needs_no_correction() -> None:
    assert benjamini_hochberg([]) == []
