"""The page in a real browser: from a file, with the network off, on a desk and on a phone.

Screenshots are kept in FSGAUGE_ARTIFACTS, or in pytest's own folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.report import write_report
from tests.browser.geometry import faults_in_all_forms
from tests.synthetic import make_study
from tests.writers_example import Planted, write_example

pytestmark = pytest.mark.browser

FOUR = {name: name for name in ("raw", "ext4", "xfs", "btrfs")}
STUDIES: dict[str, dict[str, Any]] = {
    "typical": {"systems": FOUR},
    "one-cell": {"patterns": ("randread",), "block_sizes": (4096,), "queue_depths": (32,)},
    "interrupted": {"paused_after_runs": 2},
}
UNSURE: dict[str, dict[str, Any]] = {
    "two-blocks": {"blocks": 2, "patterns": ("randrw",), "systems": FOUR},
    "noisy": {
        "blocks": 4,
        "noise": 1.2,
        "patterns": ("randread",),
        "systems": FOUR,
        "wobble": lambda system, cell: 0.8,
    },
}
WRITERS = {
    "writers": Planted(),
    "writers-one-count": Planted(writers=(4,)),
    "writers-grouped": Planted(writers=(1, 2, 4, 8), groups=("shared, direct", "shared, buffered")),
}
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    written = {}
    for name, ingredients in (STUDIES | UNSURE).items():
        folder = tmp_path_factory.mktemp(name)
        make_study(**ingredients).write(folder)
        written[name] = write_report(folder)
    for name, planted in WRITERS.items():
        written[name] = write_example(tmp_path_factory.mktemp(name), planted)
    return written


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chosen = os.environ.get("FSGAUGE_ARTIFACTS")
    if not chosen:
        return tmp_path_factory.mktemp("screenshots")
    Path(chosen).mkdir(parents=True, exist_ok=True)
    return Path(chosen)


class Opened:
    """A page that was opened from a file, and everything it complained about or asked for."""

    def __init__(self, browser: Any, path: Path, width: int, height: int, **options: Any) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        size = {"width": width, "height": height}
        self.context = browser.new_context(viewport=size, offline=True, **options)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def width_needed(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth"))


@pytest.mark.parametrize("study", [*STUDIES, *WRITERS])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet_and_fits(
    browser: Any,
    reports: dict[str, Path],
    artifacts: Path,
    study: str,
    width: int,
    height: int,
    scheme: str,
) -> None:
    opened = Opened(browser, reports[study], width, height, color_scheme=scheme)
    opened.page.screenshot(path=artifacts / f"{study}-{width}-{scheme}.png")
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith("data:")] == [
        reports[study].as_uri()
    ]
    assert opened.width_needed() <= width
    opened.context.close()


@pytest.mark.parametrize("study", STUDIES)
def test_the_first_screen_fits_a_desk(browser: Any, reports: dict[str, Path], study: str) -> None:
    opened = Opened(browser, reports[study], 1280, 800)
    box = opened.page.locator("#first-screen").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    opened.context.close()


@pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])
def test_charts_are_drawn_in_the_form_for_the_screen(
    browser: Any, reports: dict[str, Path], width: int, form: str
) -> None:
    opened = Opened(browser, reports["typical"], width, 800)
    names = ("forest", "overhead", "depth", "latency", "cpu", "series")
    for name in names:
        chart = opened.page.locator(f"#figure-{name} .{form} svg.chart")
        box = chart.bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 60, name
        assert chart.locator("path, line, rect").count() > 3, name
    opened.context.close()


@pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])
def test_writers_are_drawn_and_tell_their_numbers(
    browser: Any, reports: dict[str, Path], artifacts: Path, width: int, form: str
) -> None:
    opened = Opened(browser, reports["writers"], width, 900)
    for name in ("writers", "law"):
        chart = opened.page.locator(f"#figure-{name} .{form} svg.chart")
        box = chart.bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 300, name
        opened.page.locator(f"section#{name}").screenshot(path=artifacts / f"{name}-{form}.png")
    mark = opened.page.locator(f"#figure-writers .{form} .hover").last
    mark.scroll_into_view_if_needed()
    opened.page.wait_for_timeout(200)  # scrolling hides the tip
    mark.hover(force=True)
    tip = opened.page.locator("#tip")
    assert tip.is_visible() and "writer" in tip.inner_text()
    assert opened.complaints == []
    opened.context.close()


def test_a_mark_tells_its_numbers_on_hover(browser: Any, reports: dict[str, Path]) -> None:
    opened = Opened(browser, reports["typical"], 1280, 800)
    opened.page.locator("#figure-forest .wide .hover").last.hover(force=True)
    tip = opened.page.locator("#tip")
    assert tip.is_visible()
    assert "btrfs, randrw 4 KiB" in tip.inner_text() and "8 blocks" in tip.inner_text()
    opened.context.close()


def test_without_scripts_everything_is_there(browser: Any, reports: dict[str, Path]) -> None:
    opened = Opened(browser, reports["typical"], 1280, 800, java_script_enabled=False)
    page = opened.page
    assert page.locator("#figure-forest .wide svg.chart").is_visible()
    assert page.locator("#figure-forest .wide .hover title").count() > 10
    closed = page.locator("#numbers details.numbers:not([open])")
    closed.first.locator("summary").click()
    assert page.locator("#numbers details.numbers table").first.is_visible()
    opened.context.close()


def test_on_paper_the_answer_is_on_the_first_page(
    browser: Any, reports: dict[str, Path], artifacts: Path
) -> None:
    opened = Opened(browser, reports["typical"], 703, 1030)
    opened.page.pdf(path=artifacts / "typical.pdf", format="A4")
    opened.page.emulate_media(media="print")
    box = opened.page.locator("#first-screen").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 1030
    assert opened.page.locator("#figure-forest .wide svg.chart").is_visible()
    opened.context.close()


@pytest.mark.parametrize("study", [*STUDIES, *UNSURE, *WRITERS])
def test_no_text_overlaps_or_is_cut(browser: Any, reports: dict[str, Path], study: str) -> None:
    opened = Opened(browser, reports[study], 1440, 900)
    assert faults_in_all_forms(opened.page) == {}
    opened.context.close()


def test_an_unknown_interval_fades_to_arrows_and_the_worst_stall_is_marked(
    browser: Any, reports: dict[str, Path]
) -> None:
    opened = Opened(browser, reports["noisy"], 1440, 900)
    forest = opened.page.locator("#figure-forest .wide svg.chart")
    assert "interval too wide" in (forest.text_content() or "")
    strengths = [
        float(line.get_attribute("opacity") or 1) for line in forest.locator("line.hover").all()
    ]
    assert min(strengths) < 0.2 < 0.7 < max(strengths)
    series = opened.page.locator("#figure-series .wide svg.chart")
    titles = [text.text_content() or "" for text in series.locator("text").all()]
    assert "btrfs" in titles and any(title.startswith("rand") for title in titles)
    assert any(title.endswith(" %") for title in titles)
    opened.context.close()
