"""The page of a publication: what is printed, what was found here, and a verdict on each claim."""

from __future__ import annotations

import re
from pathlib import Path

from fsgauge.published.archive import LeftOut
from fsgauge.published.ledger import ledger_of
from fsgauge.published.standing import standing_of
from fsgauge.report.publication import noted, write_publication


def test_his_figures_and_ours_stand_in_one_table(tmp_path: Path) -> None:
    ledger = ledger_of("connections")
    standings = [standing_of("connections", claim) for claim in ledger.claim]
    left_out = [LeftOut(study="a-study", why="no disk with heads", next="fsgauge run a-study")]
    path = write_publication(tmp_path / "nss.html", ledger, standings, left_out)
    page = path.read_text(encoding="utf-8")
    (row,) = [each for each in page.split("<tr>") if "<td>N-21<" in each]
    assert "74,82,988; 67,425" in row
    assert "<strong>direction confirmed</strong>" in row
    assert "a-study: no disk with heads. Next: <code>fsgauge run a-study</code>" in page
    assert page.count("<tr>") == 1 + len(ledger.claim)


def test_what_a_run_was_lacking_is_said_once_below_the_table(tmp_path: Path) -> None:
    ledger = ledger_of("aging")
    standings = [standing_of("aging", claim) for claim in ledger.claim]
    page = write_publication(tmp_path / "it.html", ledger, standings, []).read_text("utf-8")
    (row,) = [each for each in page.split("<tr>") if "<td>S-05<" in each]
    (number,) = re.findall(r"write rate in 5 % free, [^<]* <a href=\"#note-(\d)\">\[\1\]</a>", row)
    (note,) = re.findall(rf'<li id="note-{number}">(.*?)</li>', page)
    assert note.startswith("Not yet, since its storage") and "noise.wide" in note
    assert page.count(note[1:]) == 1


def test_what_these_runs_do_not_have_waits_for_them(tmp_path: Path) -> None:
    """A page is of its own archive's runs, and not of those that the package keeps."""
    ledger = ledger_of("connections")
    standings = [standing_of("connections", claim, {}) for claim in ledger.claim]
    page = write_publication(tmp_path / "nss.html", ledger, standings, []).read_text("utf-8")
    (row,) = [each for each in page.split("<tr>") if "<td>N-21<" in each]
    assert "<strong>not yet</strong>" in row and "waits for" in row
    assert "Not run here" not in page


def test_what_ends_two_lines_is_said_once_and_what_ends_one_stays_there() -> None:
    lines, notes = noted([["a; x; y", "b; x; y"], ["c; y", "d; z", "e"]])
    assert notes == ["x; y", "y"]
    assert lines == [[("a", 1), ("b", 1)], [("c", 2), ("d; z", 0), ("e", 0)]]
