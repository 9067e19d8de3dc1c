"""Layouts in words: intervals where blocks differ, and said to be equal where they are."""

from __future__ import annotations

import pytest

from fsgauge.report.tables import layout_lines, ratio_words
from fsgauge.stats import read_study
from fsgauge.stats.results import LayoutRatio
from tests.unit.stats.test_layouts import scans_of, study


def ratio(low: float | None, high: float | None) -> LayoutRatio:
    return LayoutRatio(
        system="xfs", ratio=2 / 3, low=low, high=high, p_adjusted=0.01, verdict="better", n=3
    )


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.6, 0.75, "0.67 (0.60 to 0.75) ▲ better"),
        (2 / 3, 2 / 3 + 1e-16, "0.67 (the same in all blocks) ▲ better"),
        (None, None, "0.67 (no interval) ▲ better"),
    ],
)
def test_a_ratio_has_its_interval(low: float | None, high: float | None, text: str) -> None:
    assert ratio_words(ratio(low, high)) == text


def test_a_line_a_number_and_system_with_the_ratio_beside_extents() -> None:
    made = study()
    scans = scans_of(made.study.plan, lambda system, block, again, when: 200 + 10 * block)
    lines = layout_lines(
        read_study(made.turns, made.runs, made.study, made.before, made.after, scans)
    )
    first, second, third, *_ = lines
    assert [line.system for line in lines[:4]] == ["ext4", "xfs", "ext4", "xfs"]
    assert first.label == "extents per file" and first.ratio == ""
    assert " to " in first.after_interval
    assert second.ratio.startswith("1.00") and "equivalent" in second.ratio
    assert third.page == "fragmented" and third.ratio == ""
    assert third.after_interval == "the same in all blocks" and third.blocks == 4


def test_without_scans_there_is_no_line() -> None:
    made = study()
    assert layout_lines(made.results()) == []
