"""The first picture, and the one of what it has no room for."""

from __future__ import annotations

from fsgauge.report.charts.forest import ROWS_LIMIT, forest, further_forest
from fsgauge.stats import Results
from tests.synthetic import make_study
from tests.synthetic_commits import make_commits
from tests.synthetic_sharing import make_sharing


def results_of(*sizes: int, systems: int) -> Results:
    return make_study(
        systems={f"s{number}": "ext4" for number in range(systems)},
        patterns=("randread", "randwrite"),
        block_sizes=sizes,
        queue_depths=(1,),
        blocks=3,
    ).results()


def test_every_primary_ratio_is_in_one_of_both_pictures_and_in_one_alone() -> None:
    results = results_of(4096, systems=12)  # of 2 cells with 11 ratios each, one fits
    first, further = forest(results, is_all=True), further_forest(results)
    assert first is not None and further is not None
    assert first.note == f"{len(further.rows)} more rows are below."
    assert len(first.rows) <= ROWS_LIMIT
    drawn = [(row["cell"], row["system"]) for row in (*first.rows, *further.rows)]
    wanted = {
        (results.cell(each.cell).name, each.system)
        for each in results.comparisons
        if each.cell in results.primary_cells and each.metric == results.primary_metrics[each.cell]
    }
    assert len(drawn) == len(set(drawn)) == len(wanted)


def test_what_all_long_names_end_with_is_said_once_below() -> None:
    """Sharing's second picture had "Output by charact...cords of 8 MiB, bandwidth"."""
    made = make_sharing(tests=["putc", "getc"])
    first = forest(made.results())
    assert first is not None
    assert first.note.endswith("Each cell: 64 KiB records of 16 MiB, bandwidth."), first.note
    assert ">Output by character, putc<" in first.wide and "…" not in first.wide
    assert all("16 MiB, bandwidth" in row["cell"] for row in first.rows)
    short = forest(results_of(4096, systems=3))
    assert short is not None and short.note == ""


def test_a_picture_that_holds_all_has_no_other() -> None:
    results = results_of(4096, systems=3)
    first = forest(results)
    assert first is not None and first.note == ""
    assert further_forest(results) is None


def test_a_rate_of_commits_is_called_that() -> None:
    drawn = forest(make_commits({"ext4": 500.0, "xfs": 400.0}, blocks=3).results())
    assert drawn is not None and "commits per second" in drawn.wide
    plain = forest(results_of(4096, systems=3))
    assert plain is not None and "operations per second" in plain.wide
