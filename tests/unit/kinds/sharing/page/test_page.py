"""The page and the results of a sharing study whose records were made up."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from fsgauge.kinds.sharing.analysis.model import Sharing, SystemFaults
from fsgauge.kinds.sharing.page import faults_table, published_tables
from fsgauge.published.ledger import ledger_of
from fsgauge.report.write import Report, read_report
from fsgauge.stats.results import Results
from tests.synthetic_sharing import SYSTEMS, make_sharing

BLOCKS = 5


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = make_sharing(BLOCKS).write(tmp_path_factory.mktemp("sharing"))
    made = read_report(folder)
    made.write()
    return made


def test_what_each_system_reached_is_counted_and_its_fault_classed(report: Report) -> None:
    own = Sharing.of(report.results)
    assert own is not None
    by_system = {each.system: each for each in own.faults}
    assert list(by_system) == list(SYSTEMS)
    assert (by_system["ext3"].reached, by_system["ext3"].planned) == (4 * BLOCKS, 4 * BLOCKS)
    assert by_system["ocfs2"].reached == by_system["ocfs2"].planned - 1
    assert by_system["ocfs2"].counts == {"crash": 1}


def test_a_ratio_that_the_disk_s_limit_decides_is_said_to_be(report: Report) -> None:
    own = Sharing.of(report.results)
    assert own is not None
    limits = {(each.system, each.limit) for each in own.limits}
    assert limits == {("ext3", "IOPS"), ("ocfs2", "IOPS"), ("nfs", "neither")}
    codes = {each.code: each for each in report.results.findings}
    assert "1 of 3 systems failed" in codes["sharing.failed"].sentence
    assert {each.split(",")[0] for each in codes["sharing.limit"].where} == {"ocfs2"}


def test_the_last_words_of_a_fault_are_in_the_table() -> None:
    """Of "access denied by server" the table had "a command failed with exit code 32" alone."""
    first = "node2: exit code 32; kernel: drop_caches: 3; mount.nfs: access denied by server"
    fault = SystemFaults(system="nfs", planned=2, reached=0, counts={"not set up": 2}, first=first)
    results = SimpleNamespace(own=Sharing(faults=[fault], limits=[]))
    (table,) = faults_table(cast(Results, results))
    (row,) = table.rows
    assert row[-1].below == "node2: exit code 32; mount.nfs: access denied by server"


def test_the_page_has_its_tables_and_words(report: Report) -> None:
    page = Path(report.stored.directory / "report.html").read_text(encoding="utf-8")
    for words in ("How systems held", "crash in 1 turn", "node2 has ended", "What each test does"):
        assert words in page
    assert "Traffic for each operation" in page
    assert "Share of CPU of each test" in page
    rates = page.partition('id="rates"')[2].partition("</section>")[0]
    assert re.search(r"[\d.]+ [KMG]iB/s", rates), "as IOzone and Bonnie++ print them"
    assert "Files next to memory" in page and "cache test (small file)" in page
    stored = json.loads((report.stored.directory / "report.json").read_text())
    assert stored["own"]["faults"][2]["counts"] == {"crash": 1}


def test_the_first_screen_says_what_is_elsewhere_and_counts_come_before_rates(
    report: Report,
) -> None:
    """A newcomer looked for "two nodes twice as much" and found no way to it."""
    page = Path(report.stored.directory / "report.html").read_text(encoding="utf-8")
    first = page.partition("</header>")[0]
    for command in ("run two-nodes", "run writers-nfs", "rig coherence", "rig failure"):
        assert f"<code>fsgauge {command}</code>" in first
    assert page.index('id="counts"') < page.index('id="rates"') < page.index('id="traffic"')
    counts = page.partition('id="table-counts"')[2].partition("</table>")[0]
    assert "flush 0<" in counts, "OCFS2 flushed nothing"


def test_beside_what_was_published_stand_its_words_and_our_ratios_to_nfs(report: Report) -> None:
    own = Sharing.of(report.results)
    assert own is not None
    assert {(each.system, each.nfs) for each in own.to_nfs} == {("ocfs2", "nfs")}
    (table,) = published_tables(report.results, ledger_of("sharing"))
    claims = [row[1].below for row in table.rows]
    assert claims == ["C-14", "C-16", "C-17"]
    assert "hard to beat" in table.rows[1][1].text
    assert "than nfs" in table.rows[0][0].text and "ocfs2: crash" in table.rows[2][0].text


def test_the_head_of_a_column_of_sentences_stands_where_they_begin(report: Report) -> None:
    """It stood at the right edge, over text that begins at the left one."""
    page = Path(report.stored.directory / "report.html").read_text(encoding="utf-8")
    table = page.partition('id="table-published"')[2].partition("</table>")[0]
    of_words = re.findall(r'<(t[hd]) class="words theirs"', table)
    assert of_words == ["th", "td", "td", "td"] and 'class="n theirs"' not in table
