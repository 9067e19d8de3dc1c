"""Free space among the conditions of two folders: before and after ageing it is the news."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fsgauge.stats.folders.free_space import space_words
from fsgauge.stats.folders.same_conditions import Side, listed_differences
from tests.unit.stats.folders.test_same_conditions import side

GIB = 1 << 30
BASE = side()


def filled(one: Side, free_bytes: int | None, **changes: Any) -> Side:
    """The same with so much free on the file systems of 8 GiB of all its turns."""
    changes |= {"size_bytes": 8 * GIB, "free_bytes": free_bytes}
    turns = [
        turn.model_copy(update={"facts": turn.facts.model_copy(update=changes)})
        for turn in one.turns
    ]
    return replace(one, turns=turns)


def differences(first: Side, second: Side) -> dict[str, tuple[str, str]]:
    listed = listed_differences(first, second)
    return {each.fact: (each.a, each.b) for each in listed if each.fact.endswith("free space")}


def test_a_file_system_that_has_filled_up_is_listed_with_both_numbers() -> None:
    found = differences(filled(BASE, int(3.5 * GIB)), filled(BASE, int(1.9 * GIB)))
    assert set(found) == {f"{system}: free space" for system in BASE.study.plan.systems}
    assert found["ext4: free space"] == (
        "3.5 GiB of 8 GiB (56 % full)",
        "1.9 GiB of 8 GiB (76 % full)",
    )


def test_what_is_nearly_full_is_not_full() -> None:
    (turn, *_) = filled(BASE, 16 << 20).turns
    assert space_words(turn.facts) == "16 MiB of 8 GiB (99.8 % full)"
    assert space_words(turn.facts.model_copy(update={"free_bytes": 0})).endswith("(100 % full)")


@pytest.mark.parametrize("other", [3 * GIB, 3 * GIB - (80 << 20), None])
def test_what_any_use_changes_and_what_is_not_known_is_not_listed(other: int | None) -> None:
    assert differences(filled(BASE, 3 * GIB), filled(BASE, other)) == {}


def test_the_same_space_in_more_pieces_is_listed() -> None:
    one = filled(BASE, 3 * GIB, free_extents=1000, largest_free_bytes=GIB)
    many = filled(BASE, 3 * GIB, free_extents=90_000, largest_free_bytes=GIB)
    small = filled(BASE, 3 * GIB, free_extents=1000, largest_free_bytes=4096)
    assert differences(one, many)["ext4: free space"][1].endswith(
        "in 90,000 pieces, the largest 1 GiB"
    )
    assert differences(one, small)["ext4: free space"][1].endswith("the largest 4 KiB")
    near = filled(BASE, 3 * GIB, free_extents=1050, largest_free_bytes=GIB - (50 << 20))
    assert differences(one, near) == {}
    assert differences(one, filled(BASE, 3 * GIB)) == {}, "older records have no pieces"


def test_a_device_without_a_file_system_has_none() -> None:
    assert space_words(filled(BASE, None).turns[0].facts) == "not known"
