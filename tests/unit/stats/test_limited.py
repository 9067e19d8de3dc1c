"""Ratios that the rig sets: shown with what set them, and in no sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.report import words
from fsgauge.report.charts.forest import forest
from fsgauge.report.tables import primary_lines
from fsgauge.stats.limited import limited_sentence
from fsgauge.stats.ranking import ranking
from fsgauge.stats.read import read_study
from fsgauge.stats.results import Comparison, Results
from tests.synthetic_sharing import make_sharing

EMULATOR, IOPS = "the emulated processor", "a disk's IOPS limit"


def results() -> Results:
    made = make_sharing(5)
    return read_study(made.turns, made.runs, made.study, made.before, made.after)


def of_ocfs2(found: Results) -> list[Comparison]:
    return [each for each in found.comparisons if each.system == "ocfs2" and each.primary]


def test_a_ratio_of_two_at_one_limit_is_marked_and_the_other_is_not() -> None:
    """The headline was "cachefs reread 13 % of ext3", where the page itself said further down that
    the rig was the limit."""
    found = results()
    of_processors = {"cpu", "machine_cpu"}
    marked = {each.metric: each.limited_by for each in of_ocfs2(found)}
    assert {by for metric, by in marked.items() if metric not in of_processors} == {IOPS}
    assert not any(marked.get(metric) for metric in of_processors), "no disk's limit sets those"
    assert not any(each.limited_by for each in found.comparisons if each.system == "nfs")
    (rate, *_) = [each for each in of_ocfs2(found) if each.limited_by]
    assert not rate.is_claimed and words.verdict(rate) == f"none: {IOPS}"


def test_the_answer_names_no_system_whose_ratios_are_all_set_by_the_rig() -> None:
    found = results()
    before, limited = found.answer.split("2 of 4 ratios are not claimed")
    assert "ocfs2 " not in before.replace("ocfs2 failed", "")
    assert limited.startswith(f": {IOPS} set 2.")


def test_the_ranking_the_table_and_the_picture_have_no_verdict_of_it() -> None:
    found = results()
    assert "ocfs2" not in [each.system for each in ranking(found, found.primary_cells[0])]
    lines = [line for line in primary_lines(found) if line.system == "ocfs2"]
    assert {(line.glyph, line.verdict) for line in lines} == {("", f"none: {IOPS}")}
    drawing = forest(found)
    assert drawing is not None
    said = re.findall(r">[\d.]+\s+([^<]*)</text>", drawing.wide)
    assert said.count("limit") == len(found.primary_cells) == 2


def test_where_the_rig_sets_all_ratios_none_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(limits: object, baseline: str) -> dict[tuple[str, str], str]:
        cells = make_sharing(2).study.plan.cells
        return {(cell.id, system): EMULATOR for cell in cells for system in ("nfs", "ocfs2")}

    monkeypatch.setattr("fsgauge.stats.read.ratios_limited", limited)
    said = results().answer
    assert said.startswith(f"No ratio of rates is claimed, of 4: {EMULATOR} set 4.")
    assert said.count("No ratio") == 1 and " % of ext3" not in said


def test_a_sentence_of_limits_names_the_most_frequent_first() -> None:
    one, *_ = of_ocfs2(results())
    by = [one.model_copy(update={"limited_by": each}) for each in (IOPS, EMULATOR, EMULATOR)]
    assert limited_sentence(by, 2) == (
        f"3 of 5 ratios are not claimed: {EMULATOR} set 2 and {IOPS} set 1."
    )
    assert limited_sentence(by[:1], 1) == f"1 of 2 ratios is not claimed: {IOPS} set 1."
    assert limited_sentence([], 4) == ""


def test_report_json_has_it_and_reads_it_back(tmp_path: Path) -> None:
    found = results()
    text = found.model_dump_json()
    assert f'"limited_by":"{IOPS}"' in text
    assert Results.model_validate_json(text).comparisons == found.comparisons
