"""A headline has at most 25 words, names of systems stay whole, and nothing is lost."""

from __future__ import annotations

import pytest

from fsgauge.stats.wording import MOST_WORDS, begun, in_lines, words_in

CLAUSES = (
    "At 5 % free, writing keeps 61 % of its clean rate on ext4 1 MiB (59 to 63 %), and"
    " nothing else differs at all; reading 69 to 93 %; xfs 90 %. A model says so."
)
LIST = (
    "At 95 % full, ageing leaves reads 82 % of a fresh copy's rate on ext4 (81 to 84), 91 % on xfs"
    " (89 to 93) and 55 % on btrfs (54 to 56)."
)


def test_signs_are_no_words() -> None:
    assert words_in("ext4 keeps 94 % of raw's reads † (93 to 95 %).") == 9


def test_a_short_sentence_is_its_own_headline() -> None:
    assert in_lines("xfs wins. It writes faster.", ["xfs"]) == ["xfs wins.", "It writes faster."]
    assert in_lines("", []) == [""]


def test_a_long_one_loses_its_last_clauses_which_follow() -> None:
    assert in_lines(CLAUSES, ["xfs"]) == [
        "At 5 % free, writing keeps 61 % of its clean rate on ext4 1 MiB (59 to 63 %), and nothing"
        " else differs at all.",
        "Reading 69 to 93 %; xfs 90 %.",
        "A model says so.",
    ]


def test_a_long_list_is_cut_behind_an_interval() -> None:
    head, more = in_lines(LIST, ["ext4", "xfs", "btrfs"])
    assert head.endswith("91 % on xfs (89 to 93).") and words_in(head) <= MOST_WORDS
    assert more == "Also 55 % on btrfs (54 to 56)."
    _, longer = in_lines(f"{LIST} Also 50 % on zfs.", ["ext4", "xfs", "btrfs"])
    assert longer == "Also 55 % on btrfs (54 to 56), 50 % on zfs."


def test_where_a_long_sentence_holds_follows_it() -> None:
    """The names alone were the headline: "ext4, ext4 no journal and ext4 commit=60."."""
    names = ["ext4", "ext4 no journal", "ext4 commit=60", "ext4 nobarrier"]
    near = "ext4, ext4 no journal and ext4 commit=60: no difference from ext4 nobarrier above 12 %"
    where = " in 4 KiB random reads, random writes and random reads and writes at depth 1"
    assert in_lines(f"{near}{where}.", names) == [f"{near}.", f"That is{where}."]


def test_what_cannot_be_parted_stays_whole() -> None:
    long = " ".join(["word"] * 40) + "."
    assert in_lines(long, []) == [long]


def test_a_name_is_never_parted() -> None:
    name = "ext4 v1. Old; odd"
    assert in_lines(f"{name} wins. So it does.", [name]) == [f"{name} wins.", "So it does."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reading is slow", "Reading is slow"),
        ("xfs is", "xfs is"),
        ("ext4 noatime: 3", "ext4 noatime: 3"),
    ],
)
def test_a_sentence_begins_with_a_capital_or_a_name(text: str, said: str) -> None:
    assert begun(text, ["xfs", "ext4 noatime"]) == said


def test_what_is_quoted_is_never_parted_or_begun() -> None:
    """The words of a program: "head: invalid" became "head. Invalid"."""
    said = "\"head: no such; place. It 'x' is " + "gone, " * MOST_WORDS + 'so: there"'
    text = f"No answer: all 4 runs failed: it ended with exit code 1: {said}."
    assert in_lines(text, [])[-1].endswith(f"{said}.")
