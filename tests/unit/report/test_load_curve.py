"""The page of a load curve."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.report.load_curve import _lowest, capacity_tables, load_curve
from fsgauge.report.write import read_report
from tests.synthetic_curve import Queue, make_curve

QUEUES = {"ext4": Queue(50_000.0), "xfs": Queue(54_000.0), "btrfs": Queue(30_000.0, 6.0)}
MADE = make_curve(QUEUES, noise=0.0)
RESULTS = MADE.results()


def test_a_line_a_system_with_number_or_bound() -> None:
    (table,) = capacity_tables(RESULTS)
    assert [column.label for column in table.columns] == [
        "system",
        "rate with p99 below 5 ms",
        "of ext4",
        "knee",
        "limited by",
    ]
    ext4, xfs, btrfs = table.rows
    assert [row[0].text for row in table.rows] == ["ext4", "xfs", "btrfs"]
    assert ext4[1].below and xfs[1].below
    assert "better" in xfs[2].text + xfs[2].below
    assert (btrfs[1].text, btrfs[2].text) == ("less than 600 IOPS", "")
    assert "32 places" in xfs[4].text
    assert xfs[3].text and not btrfs[3].text, "over the limit at any rate, it has none to plan for"


def test_the_picture_has_each_curve_the_limit_and_the_crossings() -> None:
    drawing = load_curve(RESULTS)
    assert drawing is not None
    assert {row["system"] for row in drawing.rows} == set(QUEUES)
    assert max(row["latency_us"] for row in drawing.rows) <= 50_000
    assert "at the limit" in drawing.wide
    assert "btrfs: " not in drawing.wide  # it passes the limit nowhere


def test_an_interval_that_reaches_to_nothing_does_not_flatten_the_curves() -> None:
    """Two blocks of a rate had one down to a ten-thousandth of a microsecond."""
    rows = [{"latency_us": 500.0, "low": 1e-4}, {"latency_us": 5000.0, "low": 4000.0}]
    assert _lowest(rows) == 100.0
    assert _lowest([{"latency_us": 500.0, "low": 450.0}]) == 450.0


@pytest.mark.parametrize("name", ["load-curve", "forest"])
def test_the_page_leads_with_it(tmp_path: Path, name: str) -> None:
    report = read_report(MADE.write(tmp_path / "made"))
    page = report.write().read_text(encoding="utf-8")
    assert f'id="figure-{name}"' in page
    assert 'id="figure-series"' not in page and 'id="figure-latency"' not in page
    assert page.index('id="figure-load-curve"') < page.index('id="capacity"')
