"""A page replaces a page of a scan, and nothing else. That of years: charts side by side, and a row
for each stretch of the same answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.report.scan import require_ours, scan_page, watch_page, write_scan_page
from fsgauge.report.scan.page import _rows
from fsgauge.scan.watch import Point, Watch
from tests.scan_example import example


def test_a_page_is_written_and_may_be_written_again(tmp_path: Path) -> None:
    file = tmp_path / "scan.html"
    for _ in range(2):
        write_scan_page(file, scan_page(example()))
    assert file.read_text().startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [file]


def test_anything_else_is_left_alone(tmp_path: Path) -> None:
    for name, make in {
        "mine.html": lambda path: path.write_text("<html>mine</html>"),
        "folder.html": lambda path: path.mkdir(),
        "link.html": lambda path: path.symlink_to("elsewhere"),
    }.items():
        make(tmp_path / name)
        with pytest.raises(InputError):
            require_ours(tmp_path / name)
    assert (tmp_path / "mine.html").read_text() == "<html>mine</html>"
    with pytest.raises(InputError, match="no folder"):
        require_ours(tmp_path / "nowhere" / "scan.html")


def test_a_folder_that_takes_no_file_is_said_before_a_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda place, mode: place != tmp_path)
    with pytest.raises(InputError, match="no file can be made in"):
        require_ours(tmp_path / "scan.html")


def test_a_name_cannot_leave_its_element() -> None:
    page = scan_page(example(path="/<script>alert(1)</script>"))
    assert "<script>alert" not in page


def test_the_page_asks_nothing_of_a_network() -> None:
    page = scan_page(example(), example(extents=9))
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page
    assert page.count("<canvas>") == 2 and 'id="difference"' in page


def test_the_page_has_the_notes_of_the_text() -> None:
    assert "this file contains no file system" in scan_page(example(files=1, folders=0))
    assert "this file contains no file system" not in scan_page(example())


def test_without_a_map_it_says_so() -> None:
    assert "No map" in scan_page(example(map_order=0, free=None, groups=[]))


def test_special_extents_are_of_the_files_and_not_of_free_space() -> None:
    page = scan_page(example(unwritten_extents=3))
    assert page.index("Of these extents") < page.index("Free: ") < page.index("Where things are")


DAY = 86_400 * 10**9


def points(*sentences: str) -> tuple[Point, ...]:
    return tuple(
        Point(
            started_unix_ns=(at + 1) * DAY,
            numbers={"used_percent": 10.0 + at, "files": 5.0},
            worst=[(f"/srv/{at}", at)],
            sentence=sentence,
        )
        for at, sentence in enumerate(sentences)
    )


def test_scans_from_which_the_same_followed_are_one_row() -> None:
    found = _rows(points("Fine: 1.01 times", "Fine: 1.02 times", "Full: no room", "Fine: 1.03"))
    assert found == [
        ("1970-01-05 00:00 UTC", [("/srv/3", 3)], "Fine: 1.03"),
        ("1970-01-04 00:00 UTC", [("/srv/2", 2)], "Full: no room"),
        ("1970-01-02 to 1970-01-03, 2 scans", [("/srv/1", 1)], "Fine: 1.02 times"),
    ]


def test_three_years_are_a_short_page_with_charts_in_columns() -> None:
    text = watch_page(Watch(path="/srv", points=points(*["Fine: 1.01"] * 1095)))
    assert "1970-01-02 to 1972-12-31, 1,095 scans" in text
    assert text.count("<tr>") == 2 and text.count("<figure>") == 2
    assert ".charts { display: grid" in text
