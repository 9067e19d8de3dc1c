"""The page of many clients in a real browser: on a desk, on a phone, in the dark and on paper.

Screenshots are kept in FSGAUGE_ARTIFACTS, or in pytest's own folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fsgauge.report import write_report
from tests.browser.geometry import faults_in_all_forms
from tests.browser.test_report import Opened, browser  # noqa: F401 - a fixture
from tests.synthetic_connections import BASELINE, OTHER, make_connections

pytestmark = [pytest.mark.browser, pytest.mark.long]

FOUR = {BASELINE: "ext4", OTHER: "ext4", "xfs": "xfs", "btrfs": "btrfs"}
STUDIES: dict[str, dict[str, Any]] = {
    "connections": {},
    "connections-many": {"systems": FOUR, "tests": ("write", "read", "stat", "mix", "backup")},
    "connections-broken": {
        "errors": lambda turn, cell: [("write", "no_space", 4)] if turn.system == OTHER else (),
        "lost": lambda turn, cell: (20, 2) if turn.system == OTHER else (0, 0),
        "bad": lambda turn, cell: int(cell.id == "read"),
    },
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    written = {}
    for name, ingredients in STUDIES.items():
        folder = tmp_path_factory.mktemp(name)
        make_connections(clients=60, blocks=6, **ingredients).write(folder)
        written[name] = write_report(folder)
    yield written


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chosen = Path(os.environ.get("FSGAUGE_ARTIFACTS") or tmp_path_factory.mktemp("screenshots"))
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet_and_fits(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    artifacts: Path,
    study: str,
    width: int,
    height: int,
    scheme: str,
) -> None:
    opened = Opened(browser, reports[study], width, height, color_scheme=scheme)
    opened.page.screenshot(path=artifacts / f"{study}-{width}-{scheme}.png", full_page=True)
    assert opened.complaints == []
    asked = [url for url in opened.requests if not url.startswith("data:")]
    assert asked == [reports[study].as_uri()]
    assert opened.width_needed() <= width
    opened.context.close()


@pytest.mark.parametrize("study", STUDIES)
def test_the_first_screen_fits_a_desk(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    study: str,
) -> None:
    opened = Opened(browser, reports[study], 1280, 800)
    box = opened.page.locator("#first-screen").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 800
    opened.context.close()


@pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])
def test_pictures_are_drawn_and_names_are_not_cut(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    width: int,
    form: str,
) -> None:
    opened = Opened(browser, reports["connections"], width, 900)
    for name in ("tests", "clients", "latency", "cpu", "extents", "series"):
        chart = opened.page.locator(f"#figure-{name} .{form} svg.chart")
        box = chart.bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 60, name
        for text in chart.locator("text", has_text=BASELINE).all():
            at = text.bounding_box()
            assert at is not None and at["x"] >= box["x"] - 1, (name, text.inner_text())
    opened.context.close()


def test_rows_lie_below_one_another_and_tell_their_numbers(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
) -> None:
    opened = Opened(browser, reports["connections"], 1280, 900)
    chart = opened.page.locator("#figure-tests .wide svg.chart")
    names = chart.locator("text", has_text=": ").all()
    places = [box["y"] for name in names if (box := name.bounding_box()) is not None]
    assert len(places) == 13 and places == sorted(places)
    assert min(after - before for before, after in pairwise(places)) > 10
    mark = chart.locator(".hover").last
    mark.hover(force=True)
    tip = opened.page.locator("#tip")
    assert tip.is_visible() and "backup, directory order" in tip.inner_text()
    assert opened.complaints == []
    opened.context.close()


def test_what_others_published_is_shaded_and_named(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
) -> None:
    opened = Opened(browser, reports["connections"], 1280, 900)
    table = opened.page.locator("#table-test-write")
    assert "published elsewhere, on other hardware" in table.inner_text()
    theirs = table.locator("td.theirs").first.evaluate("e => getComputedStyle(e).backgroundColor")
    mine = table.locator("td").first.evaluate("e => getComputedStyle(e).backgroundColor")
    assert theirs != mine
    opened.context.close()


def test_on_paper_the_answer_is_on_the_first_page(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    artifacts: Path,
) -> None:
    opened = Opened(browser, reports["connections"], 703, 1030)
    opened.page.pdf(path=artifacts / "connections.pdf", format="A4")
    opened.page.emulate_media(media="print")
    box = opened.page.locator("#first-screen").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 1030
    assert opened.page.locator("#figure-tests .wide svg.chart").is_visible()
    opened.context.close()


@pytest.mark.parametrize("study", STUDIES)
def test_no_text_overlaps_or_is_cut(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    study: str,
) -> None:
    opened = Opened(browser, reports[study], 1440, 900)
    assert faults_in_all_forms(opened.page) == {}
    opened.context.close()
