"""Rates over time: what has a line, and what is too short for one."""

from __future__ import annotations

from fsgauge.report.charts.series import points_of
from tests.synthetic.setting import with_result
from tests.unit.stats.one_run import one_run, result_of, tampered


def test_a_run_that_ends_within_an_interval_has_no_panel() -> None:
    """A study of short tests had a page of empty panels, each with axes around a single point."""
    run = one_run()
    intervals = result_of(run).intervals
    assert len(points_of(run, 1)) == len(intervals) > 2
    short = with_result(run, tampered(run, intervals=intervals[:1]))
    assert points_of(short, 1) == []
    assert len(points_of(with_result(run, tampered(run, intervals=intervals[:2])), 1)) == 2
