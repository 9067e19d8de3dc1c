"""Every number of a report has a page, with the short answer first."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.pages import explain_metric, metric_pages
from fsgauge.report.sureness import sureness_lines
from fsgauge.stats import read_study
from fsgauge.stats.metrics import METRICS
from tests.synthetic import make_study


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_metric_has_a_page_with_definition_and_unit(metric) -> None:
    page = explain_metric(metric.name)
    assert page == explain_metric(metric.page)
    for part in ("**Definition.**", "**Unit.**", "**How to read it.**", "**Limits.**"):
        assert part in page
    direction = "Higher is better" if metric.higher_is_better else "Lower is better"
    assert direction in page


def test_every_line_of_the_validity_box_has_a_page() -> None:
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,))
    results = read_study(study.turns, study.runs, study.study, study.before)
    for line in sureness_lines(results):
        assert line.name == "Findings" or explain_metric(line.page)


@pytest.mark.parametrize("name", metric_pages())
def test_a_page_begins_with_a_name_and_one_short_answer(name: str) -> None:
    lines = explain_metric(name).splitlines()
    assert lines[0].startswith("# ") and lines[1] == ""
    assert 20 < len(lines[2]) < 240
    assert metric_pages()[name] == lines[2]


def test_a_wrong_name_gets_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        explain_metric("p9")
    assert "p99" in caught.value.next
