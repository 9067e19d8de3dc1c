"""The page of plain reads and of writers in a real browser: marks that tell their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.opened import Open, ReportOf

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])
def test_writers_are_drawn_and_tell_their_numbers(
    opened: Open, report_of: ReportOf, artifacts: Path, width: int, form: str
) -> None:
    found = opened(report_of("writers"), width, 900)
    for name in ("writers", "law"):
        chart = found.page.locator(f"#figure-{name} .{form} svg.chart")
        assert found.is_drawn(chart, 300), name
        found.page.locator(f"section#{name}").screenshot(path=artifacts / f"{name}-{form}.png")
    mark = found.page.locator(f"#figure-writers .{form} .hover").last
    mark.scroll_into_view_if_needed()
    found.page.wait_for_timeout(200)  # scrolling hides the tip
    assert "writer" in found.tip_of(mark)
    assert found.complaints == []


def test_a_mark_tells_its_numbers_on_hover(opened: Open, report_of: ReportOf) -> None:
    found = opened(report_of("typical"), 1280, 800)
    said = found.tip_of(found.page.locator("#figure-forest .wide .hover").last)
    assert "btrfs, randrw 4 KiB" in said and "8 blocks" in said


def test_without_scripts_everything_is_there(opened: Open, report_of: ReportOf) -> None:
    page = opened(report_of("typical"), 1280, 800, java_script_enabled=False).page
    assert page.locator("#figure-forest .wide svg.chart").is_visible()
    assert page.locator("#figure-forest .wide .hover title").count() > 10
    closed = page.locator("#numbers details.numbers:not([open])")
    closed.first.locator("summary").click()
    assert page.locator("#numbers details.numbers table").first.is_visible()


def test_an_unknown_interval_fades_to_arrows_and_the_worst_stall_is_marked(
    opened: Open, report_of: ReportOf
) -> None:
    page = opened(report_of("noisy"), 1440, 900).page
    forest = page.locator("#figure-forest .wide svg.chart")
    assert "interval too wide" in (forest.text_content() or "")
    strengths = [
        float(line.get_attribute("opacity") or 1) for line in forest.locator("line.hover").all()
    ]
    assert min(strengths) < 0.2 < 0.7 < max(strengths)
    series = page.locator("#figure-series .wide svg.chart")
    titles = [text.text_content() or "" for text in series.locator("text").all()]
    assert "btrfs" in titles and any(title.startswith("rand") for title in titles)
    assert any(title.endswith(" %") for title in titles)
