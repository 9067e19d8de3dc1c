"""Pages of every kind in a real browser: on a desk, on a phone, in the dark and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.geometry import faults_in_all_forms
from tests.browser.opened import Open, ReportOf
from tests.browser.studies import FIGURES, OTHERS, STUDIES, USUAL, WRITERS
from tests.long import long_but

pytestmark = pytest.mark.browser

LEADS = {"typical": "forest", "connections": "tests", "aging": "kept"}


@pytest.mark.long
@pytest.mark.parametrize("study", [*USUAL, *WRITERS, *OTHERS])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet_and_fits(
    opened: Open,
    report_of: ReportOf,
    artifacts: Path,
    study: str,
    width: int,
    height: int,
    scheme: str,
) -> None:
    path = report_of(study)
    found = opened(path, width, height, color_scheme=scheme)
    found.page.screenshot(path=artifacts / f"{study}-{width}-{scheme}.png", full_page=True)
    assert found.complaints == []
    assert [url for url in found.requests if not url.startswith("data:")] == [path.as_uri()]
    assert found.width_needed() <= width


@pytest.mark.parametrize("study", long_but(USUAL, [*USUAL, *OTHERS]))
def test_the_first_screen_fits_a_desk(opened: Open, report_of: ReportOf, study: str) -> None:
    assert opened(report_of(study), 1280, 800).bottom_of("#first-screen") <= 800


@pytest.mark.parametrize("study", long_but(["typical"], LEADS))
def test_on_paper_the_answer_is_on_the_first_page(
    opened: Open, report_of: ReportOf, artifacts: Path, study: str
) -> None:
    found = opened(report_of(study), 703, 1030)
    found.page.pdf(path=artifacts / f"{study}.pdf", format="A4")
    found.page.emulate_media(media="print")
    assert found.bottom_of("#first-screen") <= 1030
    assert found.page.locator(f"#figure-{LEADS[study]} .wide svg.chart").is_visible()


@pytest.mark.long
@pytest.mark.parametrize(("width", "form"), [(1280, "wide"), (390, "narrow")])
@pytest.mark.parametrize("study", FIGURES)
def test_charts_are_drawn_in_the_form_for_the_screen(
    opened: Open, report_of: ReportOf, study: str, width: int, form: str
) -> None:
    found = opened(report_of(study), width, 900)
    for name in FIGURES[study]:
        chart = found.page.locator(f"#figure-{name} .{form} svg.chart")
        assert found.is_drawn(chart), name
        assert chart.locator("path, line, rect").count() > 3, name


@pytest.mark.long
@pytest.mark.parametrize("study", STUDIES)
def test_no_text_overlaps_or_is_cut(opened: Open, report_of: ReportOf, study: str) -> None:
    assert faults_in_all_forms(opened(report_of(study), 1440, 900).page) == {}
