"""What only one kind's page has, in a real browser: churn, many clients, aged file systems."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.browser.opened import Open, ReportOf
from tests.browser.studies import FIGURES
from tests.synthetic_aging import SYSTEMS
from tests.synthetic_connections import BASELINE

pytestmark = [pytest.mark.browser, pytest.mark.long]

FORMS = pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])


@FORMS
def test_reads_and_writes_have_a_picture_each_whose_marks_tell_numbers(
    opened: Open, report_of: ReportOf, width: int, form: str
) -> None:
    found = opened(report_of("churn"), width, 900)
    chart = found.page.locator(f"#figure-damage .{form} svg.chart")
    assert found.is_drawn(chart, 150)
    words = " ".join(each.text_content() or "" for each in chart.locator("text").all())
    assert "reading the whole tree" in words and "writing new files next to it" in words
    assert words.count("95 %") == 2
    assert "95 % full: aged" in found.tip_of(chart.locator(".hover").last)


@FORMS
def test_names_of_systems_are_not_cut(
    opened: Open, report_of: ReportOf, width: int, form: str
) -> None:
    page = opened(report_of("connections"), width, 900).page
    for name in FIGURES["connections"]:
        chart = page.locator(f"#figure-{name} .{form} svg.chart")
        box = chart.bounding_box()
        for text in chart.locator("text", has_text=BASELINE).all():
            at = text.bounding_box()
            assert box is not None and at is not None and at["x"] >= box["x"] - 1, text.inner_text()


def test_rows_lie_below_one_another_and_tell_their_numbers(
    opened: Open, report_of: ReportOf
) -> None:
    found = opened(report_of("connections"), 1280, 900)
    chart = found.page.locator("#figure-tests .wide svg.chart")
    names = chart.locator("text", has_text=": ").all()
    places = [box["y"] for name in names if (box := name.bounding_box()) is not None]
    assert len(places) == 13 and places == sorted(places)
    assert min(after - before for before, after in pairwise(places)) > 10
    assert "backup, directory order" in found.tip_of(chart.locator(".hover").last)
    assert found.complaints == []


def test_what_others_published_is_shaded_and_named(opened: Open, report_of: ReportOf) -> None:
    table = opened(report_of("connections"), 1280, 900).page.locator("#table-test-write")
    assert "published elsewhere, on other hardware" in table.inner_text()
    theirs = table.locator("td.theirs").first.evaluate("e => getComputedStyle(e).backgroundColor")
    mine = table.locator("td").first.evaluate("e => getComputedStyle(e).backgroundColor")
    assert theirs != mine


def test_less_free_space_lies_left_and_marks_tell_their_numbers(
    opened: Open, report_of: ReportOf
) -> None:
    found = opened(report_of("aging"), 1280, 900)
    marks = found.page.locator("#figure-kept .wide svg.chart .hover")
    assert marks.count() == len(SYSTEMS) * 5 * 2
    assert "of its clean rate" in found.tip_of(marks.first)
    assert found.complaints == []


def test_maps_stand_beside_one_another(opened: Open, report_of: ReportOf) -> None:
    row = opened(report_of("aging"), 1280, 900).page.locator(".small-maps").first
    boxes = [image.bounding_box() for image in row.locator("img").all()]
    assert len(boxes) == 6
    assert len({round(box["y"]) for box in boxes if box}) == 1
    assert all(box and box["width"] > 100 for box in boxes)
