"""The page of a scan in a real browser: offline, on a desk, in the dark, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.report.scan import scan_page
from fsgauge.report.scan.map import places
from tests.scan_example import example

pytestmark = [pytest.mark.browser, pytest.mark.long]

SCREENS = {
    "desk": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
ORDER = 5


@pytest.fixture(params=SCREENS)
def opened(request: pytest.FixtureRequest, browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A page of two scans; nothing was said on the console and nothing asked of a network."""
    file = tmp_path / "scan.html"
    before = example(map_order=ORDER, extents=9)
    file.write_text(scan_page(example(map_order=ORDER), before), encoding="utf-8")
    context = browser.new_context(offline=True, **SCREENS[request.param])
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(file.as_uri())
    yield page
    assert [each for each in said if not each.startswith(("data:", file.as_uri()))] == []
    context.close()


def hover(page: Any, cell: int) -> str:
    """Point at a cell of the later map; gives what the page says."""
    x, y = places(ORDER)
    canvas = page.locator('[data-map="map-now"] canvas')
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    side = 2**ORDER
    page.mouse.move(
        box["x"] + box["width"] * (x[cell] + 0.5) / side,
        box["y"] + box["height"] * (y[cell] + 0.5) / side,
    )
    return str(page.locator("#tip").text_content())


def test_hovering_gives_offset_group_file(opened: Any) -> None:
    cell_bytes = (64 << 20) // 4**ORDER
    data = hover(opened, (20 << 20) // cell_bytes)
    assert data == "at 20 MiB (byte 20,971,520) · group 1 · data 100 % · /fake/bad"
    assert hover(opened, 0) == "at 0 B (byte 0) · group 0 · metadata 100 %"
    assert hover(opened, 4**ORDER - 1).endswith("group 3 · free 100 %")


def test_nothing_is_wider_than_the_screen_and_pictures_are_there(opened: Any) -> None:
    width = opened.viewport_size["width"]
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    for picture in opened.locator(".hilbert img").all():
        assert picture.evaluate("image => image.naturalWidth") == 2**ORDER
        box = picture.bounding_box()
        assert box["width"] == pytest.approx(box["height"], abs=2)
    assert opened.locator("svg.device").count() == 5
    assert opened.locator("#lengths svg:visible").count() == 2


def test_every_difference_can_be_seen_without_scrolling(opened: Any) -> None:
    width = opened.viewport_size["width"]
    cells = opened.locator("#numbers > .scroll td:nth-child(4)").all()
    assert len(cells) > 20
    boxes = [cell.bounding_box() for cell in cells]
    assert all(box["x"] + box["width"] <= width for box in boxes)
    explained = opened.locator("#numbers .explained:visible").count()
    assert (explained > 0) == (width > 640)


def test_a_file_is_shown_on_the_map_and_taken_off_again(opened: Any) -> None:
    marked = """() => {
      const canvas = document.querySelector('[data-map="map-now"] canvas');
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const pen = copy.getContext("2d", { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0);
      const pixels = pen.getImageData(0, 0, copy.width, copy.height).data;
      let count = 0;
      for (let at = 3; at < pixels.length; at += 4) count += pixels[at] > 0;
      return count;
    }"""
    assert opened.evaluate(marked) == 0
    button = opened.locator(".show").first
    button.click()
    assert opened.evaluate(marked) == 4 * 4**ORDER // 64
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert opened.evaluate(marked) == 0
