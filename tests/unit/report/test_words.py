"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from fsgauge.report import words
from fsgauge.stats import wording


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.94, "\u22126 %"),
        (1.0, "0 %"),
        (1.004, "+0.4 %"),
        (1.0004, "+0.04 %"),
        (1.12, "+12 %"),
        (2.3, "x 2.3"),
        (0.004, "\u221299.6 %"),
        (0.0, "\u2212100 %"),
    ],
)
def test_changes(number: float, expected: str) -> None:
    assert words.change(number) == expected


def test_a_change_in_percent_is_neither_nothing_nor_all() -> None:
    assert words.percent_change(0.0004) == "\u221299.96 %"
    assert words.percent_change(1.0003) == "+0.03 %"
    assert words.percent_change(5.03) == "+403 %"


def test_what_is_seen_is_rounded_up_and_a_margin_is_not_rounded() -> None:
    """A gate was "too noisy to see 3 %", and saw 3 %; margins of 0.4 % were "within 0 %"."""
    assert [words.percent_up(each) for each in (3.04, 3.0, 12.3, 0.41)] == [
        "3.1 %",
        "3 %",
        "13 %",
        "0.5 %",
    ]
    assert words.percent_up(math.inf) == "over 1,000 %"
    assert wording.remark("equivalent", 0.4) == ", equivalent within 0.4 %"
    assert wording.remark("equivalent", 2.5) == ", equivalent within 2.5 %"


@pytest.mark.parametrize(
    ("ratio", "said", "factor"),
    [
        (1.003, "100.3 % of raw", "1.003"),
        (0.996, "99.6 % of raw", "0.996"),
        (1.0, "100 % of raw", "1.00"),
    ],
)
def test_what_never_varied_does_not_read_as_equal(ratio: float, said: str, factor: str) -> None:
    """Of a model: "100 % of raw (in every block)", and the verdict was worse."""
    assert wording.share_of(ratio, "raw", (ratio, ratio)) == said
    assert wording.factor_words(ratio, (ratio, ratio)) == factor


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.91, 0.97, "0.91 to 0.97"),
        (0.954, 0.9962, "0.954 to 0.996"),
        (1.0012, 1.2, "1.001 to 1.200"),
        (0.9931, 0.9944, "0.993 to 0.994"),
        (2.52401, 2.52403, "in every block"),
        (None, None, "no interval"),
    ],
)
def test_an_interval_never_rounds_to_touch_one(
    low: float | None, high: float | None, expected: str
) -> None:
    assert words.ratio_range(low, high) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0.94, "0.94"), (1.004, "1.004"), (0.0123, "0.01"), (0.00213, "0.0021"), (3e-9, "<0.0001")],
)
def test_no_ratio_reads_as_nothing(number: float, expected: str) -> None:
    assert words.ratio(number) == expected


def test_what_would_have_shown_is_said_in_words_where_noise_hides_everything() -> None:
    assert words.shown(47.4) == "47 % would have shown"
    assert words.shown(0.01) == "0.1 % would have shown"
    assert words.shown(float("inf")) == "not even a tenfold difference would have shown"


def test_values_have_units() -> None:
    assert words.value(212_000, "IOPS") == "212 k IOPS"
    assert words.value(148_000, "ns") == "148 us"
    assert words.value(812 * 2**20, "B/s") == "812 MiB/s"


@pytest.mark.parametrize(
    ("low", "high", "blocks", "text"),
    [
        (0.5, 0.7, 8, "0.50 to 0.70"),
        (0.5, 0.7, 2, "not known from 2 blocks"),
        (0.001, 18_601.79, 4, "interval too wide"),
        (None, None, 1, "one block"),
    ],
)
def test_an_interval_that_says_nothing_is_not_printed(
    low: float | None, high: float | None, blocks: int, text: str
) -> None:
    assert words.interval(low, high, blocks) == text


def test_an_interval_without_width_is_said_once() -> None:
    """A model whose seeds change nothing had "2.17 to 2.17"; digits hid the width of others."""
    same = "in every block"
    assert words.ratio_range(2.17, 2.17 * (1 + 1e-12)) == same
    assert wording.percent_range(0.296, 0.296, " %") == same
    assert wording.range_words(2.17, 2.17) == same
    assert wording.percent_range(0.29711, 0.29713, " %") == same
    assert wording.percent_range(0.29581, 0.29634, " %") == "29.58 to 29.63 %"
    assert words.value_range(5e6, 5e6, "B/s") == same
    assert words.value_range(614.1e6, 614.2e6, "B/s") == "within rounding"
    assert words.value_range(500e6, 614e6, "B/s") == "477 MiB/s to 586 MiB/s"


def test_what_would_have_shown_is_never_nothing() -> None:
    """A page of two blocks said "only a loss of 0 % would have shown"."""
    assert [wording.shown_percent(each) for each in (0.0, 0.04, 0.42, 0.96, 3.2)] == [
        "0.1",
        "0.1",
        "0.4",
        "1",
        "3",
    ]
    assert wording.least_shown({"xfs": 0.02}) == "only a difference of 0.1 % would have shown"
