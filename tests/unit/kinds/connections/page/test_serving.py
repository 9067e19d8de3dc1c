"""The section of a server: there with one, absent without, and silent about passwords."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.kinds.connections.page.serving import serving_parts
from fsgauge.pages import explain_metric
from fsgauge.report import write_report
from tests.synthetic_connections import make_connections
from tests.synthetic_serving import NFS_TARGET, make_serving

pytestmark = pytest.mark.usefixtures("blank_pictures")


def test_the_tables_say_share_use_and_connections() -> None:
    tables = {table.name: table for table in serving_parts(make_serving().results())["tables"]}
    assert list(tables) == ["server-share", "server", "connections"]
    first = tables["server-share"].rows[0]
    assert first[-1].text.endswith(" %") and first[-1].below
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
        for page in table.pages:
            assert explain_metric(page)


def test_an_interval_that_says_nothing_is_not_shown_as_one() -> None:
    made = make_serving(blocks=2, noise=3.0, block_noise=0.0)
    (table, *_) = serving_parts(made.results())["tables"]
    wild = [row[-1].below for row in table.rows]
    assert not any("\u22121000" in text or "e+" in text for text in wild)


def test_the_share_has_a_row_for_each_operation_and_systems_side_by_side() -> None:
    results = make_serving(times=4.0, noise=0.01).results()
    (table, *_) = serving_parts(results)["tables"]
    assert [column.label for column in table.columns] == ["operation", *results.systems]
    assert len({(row[0].text, row[0].below) for row in table.rows}) == len(table.rows)
    assert all(cell.text == "75 %" for row in table.rows for cell in row[1:])
    lead = serving_parts(results)["lead"]
    assert lead.startswith("Of a write's ") and " through Samba the server's share is 7" in lead


def test_a_close_that_syncs_is_not_comparable() -> None:
    results = make_serving(target=NFS_TARGET).results()
    (table, *_) = serving_parts(results)["tables"]
    rows = {(row[0].text, row[0].below): row[1:] for row in table.rows}
    assert {cell.text for cell in rows["close", "write"]} == {"not comparable"}
    assert all("path" in cell.below for cell in rows["close", "write"])
    assert "not comparable" not in {cell.text for cell in rows["close", "read"]}
    assert "durable when it is closed" in table.note and "workload.fsync" in table.note
    (table, *_) = serving_parts(make_serving().results())["tables"]
    assert "durable" not in table.note


def test_an_interval_too_wide_is_told_as_that() -> None:
    results = make_serving(blocks=3, noise=3.0, block_noise=0.0).results()
    below = [
        cell.below
        for table in serving_parts(results)["tables"]
        for row in table.rows
        for cell in row
    ]
    assert any(text.startswith("interval too wide") for text in below)
    assert not any("not known from 3 blocks" in text for text in below)


def test_what_two_blocks_cannot_say_is_said_once() -> None:
    for table in serving_parts(make_serving(blocks=2).results())["tables"]:
        assert not any("not known" in cell.below for row in table.rows for cell in row)
        assert table.note.count("known from 2 blocks") == 1, table.name
    lead = serving_parts(make_serving(blocks=2).results())["lead"]
    assert lead.count("not known from 2 blocks") == 1


def test_bytes_are_of_a_run_though_the_baseline_runs_twice() -> None:
    results = make_serving().results()
    table = next(each for each in serving_parts(results)["tables"] if each.name == "connections")
    at = [column.label for column in table.columns].index("sent per run")
    assert {(row[at].text, row[at].below) for row in table.rows} == {("1 MiB", "512 KiB back")}
    assert results.own and results.own.serving
    assert len({each.runs for each in results.own.serving.connections}) == 2


def test_the_page_has_the_section(tmp_path: Path) -> None:
    make_serving().write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert '<section id="server">' in page and "Samba 4.17.12" in page
    lead = "the server&#39;s share is" if "&#39;" in page else "the server's share is"
    assert page.count(lead) == 2  # on the first screen, and at the head of the section


def test_paths_have_no_such_section(tmp_path: Path) -> None:
    make_connections(clients=12, blocks=2).write(tmp_path)
    assert '<section id="server">' not in write_report(tmp_path).read_text(encoding="utf-8")
