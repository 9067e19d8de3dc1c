"""The published rows: all of them, in the publication's words, units and order."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.page.rows import label_of, plain, test_rows, text_of
from fsgauge.kinds.connections.published import published_rows
from fsgauge.pages import explain_metric
from fsgauge.stats.results import Results
from tests.synthetic_connections import BASELINE, OTHER, make_connections

test_rows.__test__ = False  # type: ignore[attr-defined]


@cache
def results() -> Results:
    return make_connections(clients=20, blocks=4).results()


def names(cell: str, found: Results) -> list[str]:
    (test,) = [each for each in test_rows(found) if each.cell.id == cell]
    return [row.kind.name for row in test.rows]


@pytest.mark.parametrize("test", ["write", "read", "backup"])
def test_the_rows_are_exactly_those_of_the_publication(test: str) -> None:
    cell = "backup-directory" if test == "backup" else test
    assert names(cell, results()) == list(published_rows()[test])


def test_other_tests_have_rows_of_their_own_operations() -> None:
    found = make_connections(clients=20, blocks=2, tests=("write", "stat", "mix")).results()
    assert names("stat", found) == [
        "average stat response time",
        "time to complete",
        "files per second",
    ]
    assert names("mix", found)[-1] == "activities per second"
    assert "time to complete" not in names("mix", found)  # it ends by its time


def test_every_row_has_each_systems_number_its_change_and_a_page() -> None:
    for test in test_rows(results()):
        for row in test.rows:
            assert explain_metric(row.kind.page) and label_of(row.kind)
            assert set(row.values) == {BASELINE, OTHER}
            assert row.values[BASELINE].change is None
            change = row.values[OTHER].change
            assert (change is None) == (row.kind.name in ("files", "total extents"))


def test_backups_files_are_those_that_were_filled() -> None:
    (test,) = [
        each for each in test_rows(results()) if ConnectionsFactors.of(each.cell).test == "backup"
    ]
    values = {row.kind.name: row.values[BASELINE].text for row in test.rows}
    assert (values["files"], values["total extents"], values["extents per file"]) == (
        "40",
        "800",
        "20.0",
    )


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (58_170_000, "ms", "58.2"),
        (12_345, "ms", "0.0123"),
        (2_720_650_000, "ms", "2,721"),
        (1024 * 53.07, "KiB/s", "53.1"),
        (272.45 * (1 << 20) / 60, "MiB/min", "272"),
        (55 * 60e9, "time", "55 min"),
        (7_482_988.0, "count", "7,482,988"),
        (2.317, "plain", "2.32"),
    ],
)
def test_numbers_in_the_units_of_the_publication(number: float, form: Any, text: str) -> None:
    assert text_of(number, form) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.00123, "0.00123"), (0.9999, "1.00"), (9.996, "10.0"), (1572.1, "1,572")],
)
def test_three_digits_and_no_exponent(number: float, text: str) -> None:
    assert plain(number) == text
