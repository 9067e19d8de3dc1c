"""The page of a sweep: what was simulated, how often, and the command that does it again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.study.parse import parse_study
from fsgauge.sweep.answer import SweepResults, results_of
from fsgauge.sweep.folder import YearLine, YearPanel, YearPoint, new_sweep
from fsgauge.sweep.page import write_sweep, years_chart

FILE = """\
format = 1
question = "How long do reads stay fast?"
[storage]
kind = "simulated"
size = "8 GiB"
devices = 2
parameters = { window = 16 }
[[system]]
name = "8 MiB"
kind = "ldiskfs"
settings = { prealloc_table = "2048" }
[workload]
kind = "churn"
[sweep]
rewrites_a_year = 0.5
[plan]
blocks = 3
"""


def test_the_page_says_what_was_simulated(tmp_path: Path) -> None:
    """Size, settings and the command were in the folder's sweep.toml alone."""
    sweep = new_sweep(parse_study(FILE, "years.toml", "years"), tmp_path)
    page = write_sweep(results_of(sweep, []), sweep.directory).read_text()
    first = page.split("</header>")[0]
    assert "8 GiB in a model on 2 devices (disks-8+2-2012, window 16)" in first
    assert "<b>8 MiB</b>: ldiskfs, prealloc_table 2048" in first
    assert "written 0.5 times a year; 3 blocks" in first
    assert "Repeat it" in first
    assert re.search(r"sweep\.toml(<[^>]*>| )+--rig", first)


@pytest.mark.parametrize(("often", "said"), [("1", "once"), ("2.0", "twice"), ("3", "3 times")])
def test_rewrites_are_counted_as_people_do(tmp_path: Path, often: str, said: str) -> None:
    """The page said "written 1 times a year", and "after 1 years"."""
    text = FILE.replace("rewrites_a_year = 0.5", f"rewrites_a_year = {often}\nyears = [0, 1, 2]")
    found = results_of(new_sweep(parse_study(text, "years.toml", "years"), tmp_path), [])
    assert f"written {said} a year" in found.load
    assert [each.split(",")[0] for each in found.missing] == ["0 years", "1 year", "2 years"]


def test_years_are_whole_on_the_axis_at_any_width() -> None:
    """On a wide page the axis read 0.0, 1.0, 2.0."""
    points = [
        YearPoint(years=years, value=1e8, low=9e7, high=1.1e8, lives=5, results="1")
        for years in (0, 1, 2)
    ]
    panels = [
        YearPanel(
            cell=cell,
            profile="as it is",
            metric="bandwidth",
            unit="B/s",
            lines=[YearLine(system="ext4-6.18", points=points)],
        )
        for cell in ("read", "write")
    ]
    drawing = years_chart(
        SweepResults(
            question="?",
            answer="",
            simulation=None,
            systems=["ext4-6.18"],
            baseline="ext4-6.18",
            panels=panels,
            missing=[],
            storage="",
            settings={},
            load="",
            repeat="",
        )
    )
    assert drawing is not None
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", drawing.wide)
    assert labels.count("1") == 2 and "1.0" not in labels
