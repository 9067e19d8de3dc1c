"""The page of churn in a real browser: on a desk, on a phone, in the dark.

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
from tests.synthetic_churn import make_churn

pytestmark = [pytest.mark.browser, pytest.mark.long]

STUDIES: dict[str, dict[str, Any]] = {
    "churn": {"blocks": 5},
    "churn-one": {"blocks": 3, "systems": {"ext4": "ext4"}, "fills": [80], "tests": ["write"]},
    "churn-broken": {
        "blocks": 3,
        "refused": lambda turn, cell: 1234 if turn.system == "btrfs" else 0,
        "lost": lambda turn, cell: (4, 1) if turn.system == "btrfs" else (0, 0),
        "scan_faults": lambda turn: turn.system == "xfs",
        "noise": 0.3,
    },
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    written = {}
    for name, ingredients in STUDIES.items():
        folder = tmp_path_factory.mktemp(name)
        make_churn(**ingredients).write(folder)
        written[name] = write_report(folder)
    yield written


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(
    ("width", "height", "scheme"),
    [(1280, 800, "dark"), (390, 844, "light")],
    ids=["desk", "phone"],
)
def test_the_page_is_quiet_and_fits(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    tmp_path: Path,
    study: str,
    width: int,
    height: int,
    scheme: str,
) -> None:
    opened = Opened(browser, reports[study], width, height, color_scheme=scheme)
    artifacts = Path(os.environ.get("FSGAUGE_ARTIFACTS") or tmp_path)
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
def test_reads_and_writes_have_a_picture_each_whose_marks_tell_numbers(
    browser: Any,  # noqa: F811
    reports: dict[str, Path],
    width: int,
    form: str,
) -> None:
    opened = Opened(browser, reports["churn"], width, 900)
    chart = opened.page.locator(f"#figure-damage .{form} svg.chart")
    box = chart.bounding_box()
    assert box is not None and box["width"] > 200 and box["height"] > 150
    words = " ".join(each.text_content() or "" for each in chart.locator("text").all())
    assert "reading the whole tree" in words and "writing new files next to it" in words
    assert words.count("95 %") == 2
    chart.locator(".hover").last.hover(force=True)
    tip = opened.page.locator("#tip")
    assert tip.is_visible() and "95 % full: aged" in tip.inner_text()
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
