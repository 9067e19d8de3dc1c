"""Thirty systems that differ in their options: a small page, in order, every system told apart."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from fsgauge.record.records import Cell
from fsgauge.report import write_report
from tests.browser.geometry import faults_in_all_forms
from tests.browser.opened import Open
from tests.synthetic import make_study

pytestmark = [pytest.mark.browser, pytest.mark.long]

JOURNALS = {"ordered": 1.0, "journal": 0.7, "writeback": 1.1}
SYSTEMS = [
    f"ext4 (noatime,data={data},commit={seconds},barrier={barrier})"
    for data, seconds, barrier in product(JOURNALS, (1, 5, 15, 30, 60), (0, 1))
]


def effect(system: str, cell: Cell) -> float:
    return next(rate for data, rate in JOURNALS.items() if f"data={data}" in system)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_study(
        systems=dict.fromkeys(SYSTEMS, "ext4"),
        patterns=("randread", "randwrite"),
        block_sizes=(4096, 65536),
        queue_depths=(1, 32),
        blocks=5,
        noise=0.01,
        effect=effect,
    )
    return write_report(made.write(tmp_path_factory.mktemp("many")))


def test_the_page_is_below_three_megabytes(report: Path) -> None:
    assert report.stat().st_size < 3_000_000


def test_groups_are_ranked_and_every_system_is_told_apart(opened: Open, report: Path) -> None:
    page = opened(report, 1440, 900).page
    table = page.locator("#ranking table").first
    rows = [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert len(rows) == 30
    assert [row[0] for row in rows] == [*10 * ["1 to 10"], *10 * ["11 to 20"], *10 * ["21 to 30"]]
    assert all("writeb" in row[1] for row in rows[:10])
    assert all("journ" in row[1] for row in rows[20:])
    legend = page.locator("#latency .legend > span")
    marks = [
        (each.locator("i").inner_text(), each.locator("i").get_attribute("style"))
        for each in legend.all()
    ]
    assert len(set(marks)) == 30
    names = page.locator("#labels tbody tr td:last-child").all_inner_texts()
    assert names == SYSTEMS


def test_no_text_overlaps_or_is_cut(opened: Open, report: Path, artifacts: Path) -> None:
    for width in (1440, 390):
        page = opened(report, width, 900).page
        page.screenshot(path=artifacts / f"many-{width}.png", full_page=True)
        assert (faults_in_all_forms(page) if width == 1440 else {}) == {}
