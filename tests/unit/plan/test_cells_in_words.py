"""Cells in a few lines: few by name, many by what is done and at which values."""

from __future__ import annotations

import pytest

from fsgauge.plan.cells_in_words import NAMED, cells_in_words
from fsgauge.record.records import Cell
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of


def cells(study: str) -> list[Cell]:
    return cells_of(load_study(study, [], [], None, 1).workload)


def test_a_sweep_of_two_programs_has_a_line_for_each() -> None:
    """`fsgauge plan sharing-as-published` printed a paragraph of 90 names."""
    assert cells_in_words(cells("sharing-as-published")) == [
        "604 cells (--order names them)",
        "write, rewrite, read, reread: record size 4 KiB to 16 MiB (13); file size 64 KiB to 2 GiB"
        " (16)",
        "putc, getc, put_block, rewrite_in_place, get_block, seeks: record size 8 KiB; file size"
        " 2000 MiB",
        "create_sequential, stat_sequential, delete_sequential, create_random, stat_random,"
        " delete_random: files in the folder 16384",
    ]


def test_few_cells_are_named() -> None:
    found = cells("writers")
    assert len(found) <= NAMED
    assert cells_in_words(found) == [", ".join(cell.id for cell in found)]


@pytest.mark.parametrize(
    ("study", "words"),
    [
        ("aging-as-published", "free space 5 % to 100 % (20)"),
        ("overhead-full", "block size 4 KiB, 16 KiB, 64 KiB, 256 KiB"),
        ("sharing-full", "delete_random: files in the folder 300"),
    ],
)
def test_values_have_their_units_and_many_have_their_ends(study: str, words: str) -> None:
    counted, *lines = cells_in_words(cells(study))
    assert counted == f"{len(cells(study))} cells (--order names them)"
    assert any(words in line for line in lines)
    assert max(map(len, lines)) < 250
