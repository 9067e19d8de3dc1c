"""The table of mutants: each can be planted, in a file of its own and with that file's tests."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from tests.mutation import Mutant, mutants

ALL = mutants()


def test_there_are_enough_of_them_and_each_has_a_name_of_its_own() -> None:
    assert len(ALL) >= 40
    assert len({each.name for each in ALL}) == len(ALL)


def test_each_can_be_planted() -> None:
    faults = {each.name: each.fault_of_the_table() for each in ALL}
    assert not {name: fault for name, fault in faults.items() if fault}


@pytest.mark.parametrize("file", sorted({each.file for each in ALL}))
def test_it_is_asked_of_the_modules_own_tests(file: str) -> None:
    path = PurePath(file)
    own = f"unit/{path.parent}/test_{path.name}"
    assert {each.test for each in ALL if each.file == file} == {own}


def test_a_text_that_moved_is_named_with_where_it_is_now() -> None:
    (first, *_) = ALL
    moved = Mutant(first.name, "units.py", first.text, first.now, first.test)
    fault = moved.fault_of_the_table()
    assert fault is not None and "units.py" in fault and f"python/fsgauge/{first.file}" in fault
