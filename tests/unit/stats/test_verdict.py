"""The four words, and how they depend on margin, direction and number of comparisons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.verdict import Verdict, benjamini_hochberg, judge, log_margin

THREE_PERCENT = log_margin(3, None, None)


def ratio(centre: float, spread: float, n: int = 8) -> Ratio:
    logs = [centre + spread * (-1) ** block for block in range(n)]
    found = ratio_of_blocks(logs)
    assert found is not None
    return found


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


def test_the_margin_widens_to_the_noise_floor_only() -> None:
    assert log_margin(3, 0.99, 1.01) == THREE_PERCENT
    assert log_margin(3, 0.95, 1.01) == pytest.approx(0.0513, abs=1e-4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_correction_is_the_published_one(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == pytest.approx(list(false_discovery_control(p_values)))


def test_no_comparison_needs_no_correction() -> None:
    assert benjamini_hochberg([]) == []
