"""A model beside a measurement: each cell's ratio, the model's number always above."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fsgauge.report.compared import summary, write_comparison
from fsgauge.report.compared_models import basis_sentence, model_lines, model_sentence
from fsgauge.stats.folders.between import Between
from tests.sittings import compare_quiet
from tests.unit.stats.folders.test_compare import SLOW, A

PLAIN = compare_quiet(A, SLOW)


def beside(simulated: str) -> Between:
    """Folders A and B, of which one is said to be a simulation."""
    side = getattr(PLAIN, simulated).model_copy(update={"simulated": True})
    return PLAIN.model_copy(update={simulated: side})


def test_one_system_has_no_other_that_changed_alike() -> None:
    assert "changed alike" in basis_sentence(PLAIN)
    alone = PLAIN.model_copy(update={"systems": [PLAIN.baseline]})
    assert "changed alike" not in basis_sentence(alone)


def test_two_measurements_have_no_model() -> None:
    assert model_lines(PLAIN) == []
    assert model_sentence(PLAIN) == ""


@pytest.mark.parametrize("simulated", ["a", "b"])
def test_the_ratio_is_the_model_s_over_the_measured_whichever_folder_comes_first(
    simulated: str,
) -> None:
    """The first screen compared ratios to the baseline alone, so the model's level was not seen."""
    between = beside(simulated)
    lines = {(line.cell, line.system): line for line in model_lines(between)}
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
