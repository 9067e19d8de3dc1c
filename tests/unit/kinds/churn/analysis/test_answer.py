"""The sentence: the highest level, reads and writes apart, under 60 words, honest."""

import pytest

from fsgauge.kinds.churn.factors import ChurnFactors
from tests.synthetic_churn import make_churn


def answer(**changes):
    said = make_churn(**changes).results().answer
    assert len(said.split()) < 60 or said.startswith("Undecided")
    return said


def test_it_names_the_highest_level_and_both_sides():
    said = answer()
    assert said.startswith("At 95 % full, reads keep 82 % of a fresh copy's rate on ext4")
    assert "; writes 91 % on ext4" in said
    assert "100 % on xfs (98 to 101, equivalent)" in said


def test_many_systems_are_shortened_to_the_ends():
    systems = dict.fromkeys(("ext4", "two", "three", "four", "five"), "ext4")
    said = answer(
        systems=systems,
        kept=lambda system, cell: (
            1 - 0.1 * list(systems).index(system) * (ChurnFactors.of(cell).wear == "aged")
        ),
        extents=lambda system, cell: 1.0,
        fills=[80],
        blocks=3,
    )
    assert "on ext4 (" in said and " with 3 between" in said and "60 % on five" in said


def test_one_system_alone_has_an_answer():
    said = answer(systems={"ext4": "ext4"}, fills=[80], blocks=3)
    assert said.startswith("At 80 % full, reads keep 87 %")


def test_primary_cells_say_what_it_is_about():
    said = answer(primary=["aged-50-write", "fresh-50-write"], blocks=3)
    assert said.startswith("At 50 % full, writes keep ")
    assert "reads" not in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kept": lambda s, c: 1.0, "noise": 0.0005}, ["keep a fresh copy's rate within 3 %"]),
        ({"kept": lambda s, c: 1.0, "noise": 0.2}, ["undecided on ext4, ", "would have shown"]),
        ({"blocks": 2}, ["Undecided", "2 complete blocks", "on btrfs"]),
        ({"made_runs": 2}, ["No answer yet"]),
    ],
)
def test_it_is_honest_where_little_is_known(changes, words):
    said = answer(**{"fills": [80], "blocks": 3, **changes})
    assert all(word in said for word in words), said


def test_layouts_are_told_where_rates_decide_nothing():
    said = answer(
        fills=[80],
        blocks=3,
        noise=0.2,
        kept=lambda s, c: 1.0,
        extents=lambda s, c: 5.0 if (s, ChurnFactors.of(c).wear) == ("btrfs", "aged") else 1.0,
    )
    assert said.startswith("Too noisy to tell what ageing costs")
    assert "Layouts did change: files lie in 5.0 extents, not 1.0, on btrfs" in said


def test_the_missing_seeks_are_in_it_where_there_is_room():
    assert "Not a hard disk, so seeks cost nothing" in answer(
        systems={"ext4": "ext4"}, fills=[80], blocks=3
    )
    said = answer(
        systems={"ext4": "ext4"}, fills=[80], blocks=3, storage_kind="device", rotational="1"
    )
    assert "seeks" not in said


def aged_on_ext4(turn, cell):
    return turn.system == "ext4" and ChurnFactors.of(cell).wear == "aged"


def test_a_system_whose_aged_tree_lacks_files_has_no_answer():
    """A tree that had lost 70 % of its bytes was compared with its whole copy, without a word."""
    sound = {"fills": [80], "blocks": 3}
    refused = {"refused": lambda turn, cell: 40 * aged_on_ext4(turn, cell)}
    lacking = {"live": lambda turn, cell: 0.3 if aged_on_ext4(turn, cell) else 1.0}
    said = make_churn(**sound, **refused, **lacking).results().answer
    assert " No answer for ext4: operations of ageing failed, and the aged tree holds " in said
    assert "No answer" not in answer(**sound, **refused)
    assert "No answer" not in answer(**sound)
