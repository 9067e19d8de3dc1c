"""Published claims on the page of a sweep: beside its own ratios, and marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.kinds.overhead.analysis import FilesRatio, Overhead
from fsgauge.kinds.overhead.page import claims_table
from fsgauge.published.ledger import ledger_of
from fsgauge.report import write_report
from fsgauge.stats.results import JudgedRatio
from tests.synthetic import make_study

pytestmark = pytest.mark.usefixtures("blank_pictures")


def test_claims_have_ids_and_what_was_measured() -> None:
    made = make_study(block_sizes=(4096,), blocks=4)
    results = made.results()
    (table,) = claims_table(results, ledger_of("overhead"))
    rows = {row[2].below: row for row in table.rows}
    assert rows["F-15"][2].text == "up to 50 %" and " to " in rows["F-15"][1].text
    assert rows["F-19"][1].text.endswith("are below 1, 0 above, the rest undecided")
    assert rows["F-26"][1].text == "" and "2-3 times" in rows["F-26"][2].text
    assert (
        claims_table(results.model_copy(update={"baseline_kind": "ext4"}), ledger_of("overhead"))
        == []
    )


def test_the_page_shows_them(tmp_path: Path) -> None:
    folder = make_study(block_sizes=(4096,), blocks=2).write(tmp_path / "results")
    page = write_report(folder).read_text(encoding="utf-8")
    _, _, claims = page.partition('<section id="claims">')
    assert "published elsewhere, on other hardware" in claims and "F-15" in claims


def test_hosts_on_the_same_files_have_their_claims_whatever_the_baseline() -> None:
    """two-hosts, which is nearest to the published cluster, showed none of its claims."""
    made = make_study(block_sizes=(4096,), blocks=4)
    results = made.results()
    cell = results.cells[0]
    shared = {**cell.factors, "pattern": "randread", "host_files": "same", "hosts": 2}
    ratio = JudgedRatio.model_construct(
        ratio=1.1, low=1.05, high=1.15, n=4, verdict="higher", p_adjusted=0.01
    )
    of_hosts = FilesRatio.model_construct(
        system="ext4", same=cell.id, separate=cell.id, ratio=ratio, limited_by=""
    )
    found = results.model_copy(
        update={
            "baseline_kind": "path",
            "cells": [cell.model_copy(update={"factors": shared}), *results.cells[1:]],
            "own": Overhead.model_construct(fluctuations=[], host_files=[of_hosts]),
        }
    )
    (table,) = claims_table(found, ledger_of("overhead"))
    rows = {row[2].below: row[1].text for row in table.rows}
    assert rows["F-24"].startswith("ext4: 1.10 (1.05 to 1.15)")
    assert "F-15" not in rows
