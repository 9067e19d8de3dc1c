"""Intervals: whole, cut with an arrow, or fading to both edges where nothing is known."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.report import vega
from fsgauge.report.charts.axes import Along
from fsgauge.report.charts.forest import forest
from fsgauge.report.charts.marks import STEPS, whiskers
from fsgauge.report.draw import datasets
from fsgauge.stats import Results
from tests.synthetic import ONE_CELL, make_study

LIMITS = (0.5, 2.0)


def drawn(low: float | None, high: float | None) -> tuple[list[Any], list[Any]]:
    """The pieces and the arrows of one interval around 1."""
    along = Along("x", LIMITS, lambda field: vega.field(f"{field}:Q"))
    row = {"ratio": 1.0, "low": low, "high": high, "colour": "#000", "tip": "", "blocks": [1.0]}
    with datasets() as found:
        whiskers([row], ("ratio", "low", "high"), along)
    pieces, *heads = found.values()
    return pieces, heads[0] if heads else []


def test_what_is_known_is_one_line_without_arrows() -> None:
    pieces, heads = drawn(0.9, 1.2)
    assert [(each["at"], each["to"], each["opacity"]) for each in pieces] == [(0.9, 1.2, 1.0)]
    assert heads == []


def test_what_reaches_beyond_the_edge_ends_there_with_an_arrow() -> None:
    pieces, heads = drawn(0.9, 3.0)
    assert (pieces[0]["at"], pieces[0]["to"]) == (0.9, 2.0)
    assert [head["at"] for head in heads] == [2.0]


def test_what_is_unknown_fades_to_both_edges() -> None:
    pieces, heads = drawn(None, None)
    assert [head["at"] for head in heads] == list(LIMITS)
    for side in (pieces[:STEPS], pieces[STEPS:]):
        strengths = [each["opacity"] for each in side]
        assert strengths == sorted(strengths, reverse=True) and strengths[-1] < 0.2
        assert side[0]["at"] == pytest.approx(1.0)
    assert [pieces[STEPS - 1]["to"], pieces[-1]["to"]] == pytest.approx(list(LIMITS))


def results_of(**ingredients: Any) -> Results:
    return make_study(**ONE_CELL, **ingredients).results()


def test_few_blocks_look_unsure_and_many_do_not() -> None:
    few, many = forest(results_of(blocks=2)), forest(results_of(blocks=8))
    assert few is not None and many is not None
    assert all(row["low"] is None and row["high"] is None for row in few.rows)
    assert all(row["low"] < row["ratio"] < row["high"] for row in many.rows)
    assert few.wide.count('opacity="0.12"') >= 4 and 'opacity="0.12"' not in many.wide
