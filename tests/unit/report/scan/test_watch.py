"""The page of years: charts side by side, and a row for each stretch of the same answer."""

from __future__ import annotations

from fsgauge.report.scan import watch_page
from fsgauge.report.scan.watch import _rows
from fsgauge.scan.watch import Point, Watch

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
