"""The page of churn: its picture, its tables, and nothing of it in other studies."""

import pytest

from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.kinds.churn.page import PAGE, damage_chart, layout_table, tree_table
from fsgauge.report import write_report
from fsgauge.report.sureness import sureness_lines
from tests.synthetic import make_study
from tests.synthetic_churn import make_churn


@pytest.fixture(scope="module")
def made():
    return make_churn(blocks=4)


@pytest.fixture(scope="module")
def results(made):
    return made.results()


def test_the_picture_has_a_mark_for_each_damage_and_its_tip(results):
    drawing = damage_chart(results)
    assert len(drawing.rows) == len(results.own.damages)
    assert "reading the whole tree" in drawing.wide
    assert "writing new files next to it" in drawing.narrow
    assert "btrfs, read, 95 % full: aged 0.5" in drawing.wide
    assert {row["fill_percent"] for row in drawing.rows} == {50, 80, 95}


def test_the_tables_stand_by_level_and_system(results):
    (damage,) = PAGE.summary_tables(results)
    first = [cell.text for cell in damage.rows[0]]
    assert first[:3] == ["reads", "50 %", "ext4"]
    assert first[5] == "baseline"
    assert "▼ worse" in damage.rows[8][4].text
    assert "Two equal turns of the baseline differ by: reads" in damage.note
    (layouts,) = layout_table(Churn.within(results))
    assert [cell.text for cell in layouts.rows[0]][:3] == ["50 %", "ext4", "aged"]
    assert len(layouts.rows) == 18
    (trees,) = tree_table(Churn.within(results))
    assert trees.folded


def test_the_box_counts_ratios_and_asks_nothing_of_steadiness(results):
    lines = {line.name: line for line in sureness_lines(results)}
    assert lines["Comparisons"].text == "18 ratios of aged over fresh, corrected for"
    assert "clients' work" in lines["Steadiness"].text


def test_the_page_holds_it_all(made, tmp_path):
    page = write_report(made.write(tmp_path)).read_text(encoding="utf-8")
    for words in (
        "At 95 % full, reads keep",
        'id="figure-damage"',
        'id="table-churn-layouts"',
        "Damage by fill",
        "no heads that follow the layout",
        "3 times the live ones",
    ):
        assert words in page
    assert 'id="figure-forest"' not in page
    assert (tmp_path / "charts" / "damage.svg").is_file()


def test_what_failed_is_told_in_the_table_of_trees():
    results = make_churn(blocks=2, fills=[80], refused=lambda turn, cell: 5).results()
    (trees,) = tree_table(Churn.within(results))
    assert trees.rows[0][-1].below == "20 failed"


def test_one_block_has_a_picture_without_intervals():
    results = make_churn(fills=[80], made_runs=16).results()
    assert damage_chart(results) is not None
    (damage,) = PAGE.summary_tables(results)
    assert {row[3].below for row in damage.rows} == {""}
    assert "No interval is known from one block." in damage.note


def test_a_system_alone_has_no_column_of_others():
    results = make_churn(fills=[80], blocks=2, systems={"ext4": "ext4"}).results()
    (damage,) = PAGE.summary_tables(results)
    assert [column.label for column in damage.columns][3:] == [
        "aged over fresh",
        "verdict",
        "aged",
        "fresh copy",
    ]
    assert all(len(row) == len(damage.columns) for row in damage.rows)
    assert "suffers less" not in damage.note


def test_other_studies_have_none_of_it(tmp_path):
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2)
    page = write_report(study.write(tmp_path)).read_text(encoding="utf-8")
    assert 'id="churn"' not in page
