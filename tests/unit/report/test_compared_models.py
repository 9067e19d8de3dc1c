"""A model beside a measurement: each cell's ratio, the model's number always above."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.report import compared_models
from fsgauge.report.charts.between import between_chart
from fsgauge.report.compared import cautions, summary, write_comparison
from fsgauge.stats.folders.between import Between
from fsgauge.stats.folders.same_conditions import Unlike
from tests.sittings import compare_quiet
from tests.unit.stats.folders.test_between import LONGEST, SHORTEST, end
from tests.unit.stats.folders.test_compare import SLOW, A

PLAIN = compare_quiet(A, SLOW)


def beside(simulated: str) -> Between:
    """Folders A and B, of which one is said to be a simulation."""
    side = getattr(PLAIN, simulated).model_copy(update={"simulated": True})
    return PLAIN.model_copy(update={simulated: side})


def test_one_system_has_no_other_that_changed_alike() -> None:
    assert "changed alike" in compared_models.basis_sentence(PLAIN)
    alone = PLAIN.model_copy(update={"systems": [PLAIN.baseline]})
    assert "changed alike" not in compared_models.basis_sentence(alone)


def test_two_measurements_have_no_model() -> None:
    assert compared_models.model_lines(PLAIN) == []
    assert compared_models.model_sentence(PLAIN) == ""


@pytest.mark.parametrize("simulated", ["a", "b"])
def test_the_ratio_is_the_model_s_over_the_measured_whichever_folder_comes_first(
    simulated: str,
) -> None:
    """The first screen compared ratios to the baseline alone, so the model's level was not seen."""
    between = beside(simulated)
    lines = {(line.cell, line.system): line for line in compared_models.model_lines(between)}
    # Every system has a level, the baseline too.
    assert len(lines) == len(between.primary_cells) * len(between.systems)
    cell = between.primary_cells[0]
    metric = between.primary_metrics[cell]
    entry = between.entry(cell, "xfs", metric, "direct")
    assert entry is not None
    line = lines[between.cell(cell).name, "xfs"]
    b_over_a = entry.value_b / entry.value_a
    assert math.isclose(
        float(line.ratio), b_over_a if simulated == "b" else 1 / b_over_a, abs_tol=6e-3
    )
    low, high = (float(each) for each in line.interval.split(" to "))
    assert low <= float(line.ratio) <= high


def test_the_first_screen_has_the_model_s_ratios_before_all_else(tmp_path: Path) -> None:
    between = beside("a")
    page = write_comparison(between, [], tmp_path).read_text()
    first = page.split("</header>")[0]
    assert first.index('id="models"') < first.index('id="figure-comparison"')
    assert summary(between).startswith("The model gives ")
    assert f"by the ratio to {between.baseline}" in summary(between)
    assert 'id="models"' not in write_comparison(PLAIN, [], tmp_path).read_text()


SLOWER = end("longest", "slower", effect=lambda system, cell: 0.8)
RANGE = compare_quiet(SHORTEST, SLOWER)


def test_the_headline_is_the_range_with_the_lower_end_first() -> None:
    said = summary(RANGE)
    assert said.startswith("ssd-sata, the range of its model: ")
    ranges = re.findall(r"(\d[\d.]*) k to (\d[\d.]*) k IOPS on (\w+)", said)
    assert [system for _, _, system in ranges] == RANGE.systems
    assert all(float(low) < float(high) for low, high, _ in ranges)
    turned = summary(compare_quiet(SLOWER, SHORTEST))
    assert re.findall(r"\d[\d.]* k to .*", turned) == re.findall(r"\d[\d.]* k to .*", said)


def test_ends_that_read_alike_are_one_value() -> None:
    said = compared_models.ends_sentence(compare_quiet(SHORTEST, LONGEST))
    assert " to " not in said and "IOPS on xfs" in said


def test_a_page_of_a_range_has_no_verdict_and_no_warning(tmp_path: Path) -> None:
    """Its facts said "the verdict is on B over A", and its headline "2 worse, 6 undecided"."""
    assert cautions(RANGE) == []
    page = write_comparison(RANGE, [], tmp_path).read_text()
    body = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    for word in ("verdict", "undecided", "not known", "95 %", "sitting", "robust"):
        assert word not in body, word
    assert "complete blocks with the shortest times" in body
    assert "complete blocks with the longest times" in body
    assert "Nothing is judged" in body
    measured = write_comparison(compare_quiet(A, SLOW), [], tmp_path / "other").read_text()
    assert "verdict" in measured and "95 %" in measured


def test_other_seeds_or_fewer_blocks_are_named() -> None:
    assert "the same seed" in compared_models.repetition_sentence(RANGE)
    seeds = compare_quiet(SHORTEST, end("longest", seed=2))
    assert "The seeds differ (1 and 2)" in compared_models.repetition_sentence(seeds)
    blocks = compare_quiet(SHORTEST, end("longest", blocks=4))
    assert "do not have the same number of blocks" in compared_models.repetition_sentence(blocks)


def test_neither_the_day_nor_the_times_are_listed_as_different() -> None:
    """The terminal said "different: day"."""
    assert "storage.times" in {each.fact for each in RANGE.differences}
    assert compared_models.differing(RANGE) == []


@pytest.mark.parametrize(
    ("label", "title"),
    [("long-" * 6, "B over A"), ("after", "after over a")],
    ids=["long", "short"],
)
def test_the_axis_has_names_that_are_whole_or_letters(label: str, title: str) -> None:
    """It had "churn-simu…6 (simulated) over churn-simu…0 (simulated)"."""
    drawing = between_chart(compare_quiet(A, replace(SLOW, label=label)))
    assert drawing is not None
    texts = re.findall(r">([^<>]+ over [^<>]+)<", drawing.alone)
    assert title in texts, texts


def test_what_limits_and_free_space_were_is_said_and_not_their_names_alone() -> None:
    """ "different: day" was all, of a file system that had filled up."""
    facts = [
        Unlike(fact="day", a="1", b="2", despite=False),
        Unlike(fact="limits", a="none", b="nice 5", despite=False),
        Unlike(fact="old: free space", a="3.5 GiB", b="1.9 GiB", despite=False),
        Unlike(fact="governor", a="x", b="y", despite=True),
    ]
    found = compared_models.differing(RANGE.model_copy(update={"ends": None, "differences": facts}))
    assert found == ["day", "limits none / nice 5", "old: free space 3.5 GiB / 1.9 GiB"]
