"""The page of an aged file system in a real browser: on a desk, on a phone, in the dark, on paper.

Screenshots are kept in FSGAUGE_ARTIFACTS, or in pytest's own folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.report import write_report
from tests.browser.geometry import faults_in_all_forms
from tests.browser.test_report import Opened, browser  # noqa: F401 - a fixture
from tests.synthetic_aging import SYSTEMS, make_aging

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("aging")
    make_aging(levels=(5, 25, 50, 75, 100), blocks=6).write(folder)
    yield write_report(folder)


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chosen = Path(os.environ.get("FSGAUGE_ARTIFACTS") or tmp_path_factory.mktemp("screenshots"))
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet_and_fits(
    browser: Any,  # noqa: F811
    report: Path,
    artifacts: Path,
    width: int,
    height: int,
    scheme: str,
) -> None:
    opened = Opened(browser, report, width, height, color_scheme=scheme)
    opened.page.screenshot(path=artifacts / f"aging-{width}-{scheme}.png", full_page=True)
    assert opened.complaints == []
    asked = [url for url in opened.requests if not url.startswith("data:")]
    assert asked == [report.as_uri()]
    assert opened.width_needed() <= width
    opened.context.close()


def test_the_first_screen_fits_a_desk(browser: Any, report: Path) -> None:  # noqa: F811
    opened = Opened(browser, report, 1280, 800)
    box = opened.page.locator("#first-screen").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 800
    opened.context.close()


@pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])
def test_pictures_are_drawn(browser: Any, report: Path, width: int, form: str) -> None:  # noqa: F811
    opened = Opened(browser, report, width, 900)
    for name in ("kept", "rates", "predicted", "lengths", "free"):
        chart = opened.page.locator(f"#figure-{name} .{form} svg.chart")
        box = chart.bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 60, name
    opened.context.close()


def test_less_free_space_lies_left_and_marks_tell_their_numbers(
    browser: Any,  # noqa: F811
    report: Path,
) -> None:
    opened = Opened(browser, report, 1280, 900)
    marks = opened.page.locator("#figure-kept .wide svg.chart .hover")
    assert marks.count() == len(SYSTEMS) * 5 * 2
    mark = marks.first
    mark.hover(force=True)
    tip = opened.page.locator("#tip")
    assert tip.is_visible() and "of its clean rate" in tip.inner_text()
    assert opened.complaints == []
    opened.context.close()


def test_maps_stand_beside_one_another(browser: Any, report: Path) -> None:  # noqa: F811
    opened = Opened(browser, report, 1280, 900)
    row = opened.page.locator(".small-maps").first
    boxes = [image.bounding_box() for image in row.locator("img").all()]
    assert len(boxes) == 6
    assert len({round(box["y"]) for box in boxes if box}) == 1
    assert all(box and box["width"] > 100 for box in boxes)
    opened.context.close()


def test_on_paper_the_answer_is_on_the_first_page(
    browser: Any,  # noqa: F811
    report: Path,
    artifacts: Path,
) -> None:
    opened = Opened(browser, report, 703, 1030)
    opened.page.pdf(path=artifacts / "aging.pdf", format="A4")
    opened.page.emulate_media(media="print")
    box = opened.page.locator("#first-screen").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 1030
    opened.context.close()


def test_no_text_overlaps_or_is_cut(browser: Any, report: Path) -> None:  # noqa: F811
    opened = Opened(browser, report, 1440, 900)
    assert faults_in_all_forms(opened.page) == {}
    opened.context.close()
