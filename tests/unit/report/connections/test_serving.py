"""The section of a server: there with one, absent without, and silent about passwords."""

from __future__ import annotations

from pathlib import Path

from fsgauge.pages import explain_metric
from fsgauge.report import write_report
from fsgauge.report.connections.serving import serving_tables
from tests.synthetic_connections import make_connections
from tests.synthetic_serving import make_serving


def test_the_tables_say_share_use_and_connections() -> None:
    tables = {table.name: table for table in serving_tables(make_serving().results())}
    assert list(tables) == ["server-share", "server", "connections"]
    first = tables["server-share"].rows[0]
    assert first[-1].text.endswith(" %") and first[-1].below
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
        for page in table.pages:
            assert explain_metric(page)


def test_an_interval_that_says_nothing_is_not_shown_as_one() -> None:
    made = make_serving(blocks=2, noise=3.0, block_noise=0.0)
    (table, *_) = serving_tables(made.results())
    wild = [row[-1].below for row in table.rows]
    assert not any("\u22121000" in text or "e+" in text for text in wild)


def test_the_page_has_the_section(tmp_path: Path) -> None:
    make_serving().write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert '<section id="server">' in page and "Samba 4.17.12" in page
    assert "the server's share" in page or "the server&#39;s share" in page


def test_paths_have_no_such_section(tmp_path: Path) -> None:
    make_connections(clients=12, blocks=2).write(tmp_path)
    assert '<section id="server">' not in write_report(tmp_path).read_text(encoding="utf-8")
