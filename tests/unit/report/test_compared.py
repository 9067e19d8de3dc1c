"""The pages of two folders and of many: whole, self-contained, honest about what was accepted."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.kinds.commits.factors import CommitsFactors
from fsgauge.pages import explain_metric
from fsgauge.report.compared import (
    cautions,
    limit_interval,
    limit_values,
    primary_lines,
    read_sides,
    summary,
    write_comparison,
)
from fsgauge.report.compared_models import basis_sentence
from fsgauge.report.history import write_history
from fsgauge.stats.folders.between import Between
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.folders.history import follow
from fsgauge.stats.folders.limits import check
from fsgauge.stats.folders.same_conditions import Side
from tests.sittings import compare_quiet
from tests.synthetic.idle import did
from tests.synthetic_commits import make_commits
from tests.unit.stats.folders.test_compare import SLOW, A
from tests.unit.stats.folders.test_same_conditions import on, side
from tests.unit.stats.test_machine_findings import limits


def test_the_page_has_picture_limits_numbers_and_asks_nothing_of_the_network(
    tmp_path: Path,
) -> None:
    between = compare_quiet(A, SLOW)
    tests = check([parse_condition('ratio(iops, "xfs") < 0.95')], between.ratios())
    page = write_comparison(between, tests, tmp_path).read_text()
    assert 'id="figure-comparison"' in page and "the whole interval is beyond" in page
    change = r"on xfs from (.+) k to (.+) k IOPS, 19 % slower \(15 to 22 %"
    said = re.search(change, summary(between))
    assert said is not None and float(said[2]) / float(said[1]) == pytest.approx(0.81, abs=0.005)
    assert f'<td class="n">{said[1]} k to {said[2]} k IOPS</td><td class="n">0.81' in page
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    assert (tmp_path / "charts" / "comparison.svg").is_file()
    assert json.loads((tmp_path / "comparison.json").read_text())["format"] == 1


def test_rounding_does_not_hide_on_which_side_of_the_limit_an_interval_ends() -> None:
    (test,) = check([parse_condition('ratio(iops, "xfs") < 0.95')], compare_quiet(A, SLOW).ratios())
    close = test.model_copy(update={"low": 0.89, "high": 0.9523})
    assert limit_interval(close) == "0.89 to 0.9523"


def test_rates_of_commits_are_in_commits() -> None:
    factors = CommitsFactors(
        sync="fdatasync", size_bytes=8192, committers=1, log="overwrite", together=1
    )
    between = compare_quiet(A, SLOW)
    cells = [factors.cell(each.id, each.name) for each in between.cells]
    for changes in ({"cells": cells}, {"commits": [each.id for each in between.cells]}):
        of_commits = between.model_copy(update=changes)
        lines = primary_lines(of_commits)
        assert lines and all(f"{line.a}{line.b}".count(" commits/s") == 2 for line in lines)
        (test,) = check([parse_condition('ratio(iops, "xfs") < 0.95')], of_commits.ratios())
        assert limit_values(of_commits, test).endswith(" commits/s")
        assert re.search(r"from .+ to .+ commits/s", summary(of_commits))


def test_a_comparison_keeps_which_operations_are_commits() -> None:
    """Each write is made durable before the next one by the job; no factor of the cell says so."""
    made = [make_commits({"ext4": 500.0, "xfs": xfs}, blocks=4) for xfs in (480.0, 300.0)]
    sides = [
        Side(name, one.study, one.turns, one.runs, one.before, one.after)
        for name, one in zip("ab", made, strict=True)
    ]
    between = compare_quiet(*sides)
    assert between.commits == between.primary_cells


def test_names_of_folders_are_text_and_no_markup(tmp_path: Path) -> None:
    evil = side("<script>alert(1)</script>", seed=4)
    page = write_comparison(compare_quiet(A, evil), [], tmp_path).read_text()
    assert "<script>alert" not in page


def test_two_machines_with_one_system_have_no_verdict_and_say_why(tmp_path: Path) -> None:
    alone = {"systems": {"ext4": "ext4"}}
    between = compare_quiet(side(**alone), on(side(seed=2, **alone), name="elsewhere"))
    assert any("only system" in each for each in cautions(between))
    assert "Nothing can be judged" in write_comparison(between, [], tmp_path).read_text()


def test_what_makes_another_machine_is_named() -> None:
    """A quota of processors on one side was called another machine or storage, and no more."""
    quota = on(SLOW, limits=limits(processor_quota=0.5))
    said = basis_sentence(compare_quiet(A, quota))
    assert said.startswith("Because the machines differ (limits), the verdict is on the ratio to")


def test_a_place_that_takes_nothing_is_an_error_in_words() -> None:
    with pytest.raises(RigError, match="cannot write"):
        write_comparison(compare_quiet(A, SLOW), [], Path("/proc/nowhere"))


def test_folders_of_one_name_are_told_apart_by_their_parents(tmp_path: Path) -> None:
    from tests.synthetic import make_study
    from tests.unit.stats.folders.test_same_conditions import SMALL

    for parent in ("old", "new"):
        make_study(**SMALL).write(tmp_path / parent / "gate")
    sides = read_sides([tmp_path / "old" / "gate", tmp_path / "new" / "gate"])
    assert [each.label for each in sides] == ["old/gate", "new/gate"]
    timed = []
    for parent, time in (("old", "2026-11-22-070000"), ("new", "2026-11-23-070000")):
        timed.append(tmp_path / parent / f"gate-{time}")
        make_study(**SMALL).write(timed[-1])
    assert [each.label for each in read_sides(timed)] == ["old", "new"]
    assert read_sides(timed[1:])[0].label == "gate-2026-11-23-070000"
    with pytest.raises(InputError, match="given twice"):
        read_sides([tmp_path / "old" / "gate", tmp_path / "old" / ".." / "old" / "gate"])


def test_the_history_page_draws_every_series(tmp_path: Path) -> None:
    history = follow([side("a", seed=1), side("b", seed=2)])
    page = write_history(history, tmp_path).read_text()
    assert 'id="figure-history"' in page and "too few to see a step" in page
    assert (tmp_path / "charts" / "history.svg").is_file()


@pytest.mark.parametrize("name", ["compare", "fail-if", "history"])
def test_what_the_pages_name_is_explained(name: str) -> None:
    assert "**Definition.**" in explain_metric(name)


def test_who_did_nothing_is_said_before_the_counts() -> None:
    """Two folders in which a system never did anything were "equivalent", and that was all."""
    whole = side("whole", blocks=6)
    slow = whole.study.plan.systems[-1]
    runs = [did(run, 0.0) if run.system == slow else run for run in whole.runs]
    said = summary(compare_quiet(replace(whole, label="idle", runs=runs), whole))
    assert said.startswith(f"idle: {slow} did nothing in ")
    assert "whole against idle: " in said


def with_entry(between: Between, system: str, **changes: object) -> Between:
    """The comparison with what decides of one system changed."""
    entries = [
        each.model_copy(update=changes) if each.decides and each.system == system else each
        for each in between.entries
    ]
    return between.model_copy(update={"entries": entries})


def test_nearly_all_is_not_all() -> None:
    """A rate of which 0.4 % was left was "100 % slower (99.5 to 99.8 %)"."""
    found = with_entry(compare_quiet(A, SLOW), "xfs", ratio=0.004, low=0.002, high=0.005)
    assert "99.6 % slower (99.5 to 99.8 %)" in summary(found)


def test_between_machines_the_values_are_the_ratios_that_are_judged() -> None:
    """The rates of two machines say nothing of a file system: 8 % slower at twice the rate."""
    found = compare_quiet(A, on(SLOW, name="elsewhere"))
    said = summary(found)
    assert re.search(r"on xfs from \d+ % to \d+ % of raw, 19 % slower", said), said
    assert "IOPS" not in said


def test_values_that_read_alike_are_not_said_to_have_changed() -> None:
    found = with_entry(compare_quiet(A, SLOW), "xfs", value_a=10_000.0, value_b=10_001.0)
    assert "on xfs 19 % slower (15 to 22 %)" in summary(found)


def test_what_is_not_decided_is_told_with_its_values_too() -> None:
    said = summary(compare_sides(A, SLOW))
    assert re.search(r"on xfs were 19 % slower \(.+\); from \S+ k to \S+ k IOPS;", said), said


def test_what_would_have_shown_is_said_of_each_system() -> None:
    """Of a system on which nothing would have shown, the figure of another one was said."""
    noisy = {"verdict": "too noisy", "low": 0.5, "high": 2.0}
    found = with_entry(compare_quiet(A, SLOW), "xfs", **noisy, detectable_percent=120.0)
    found = with_entry(found, "ext4", **noisy, detectable_percent=float("inf"))
    said = summary(found)
    assert "only a factor of 2.2 on xfs would have shown, not even a tenfold on ext4" in said


def test_what_is_seen_in_these_sittings_is_said_behind_what_is_decided() -> None:
    """It was left out there, and elsewhere nothing said that it was one of several."""
    unknown = {"verdict": "undecided", "low": None, "high": None}
    seen = {**unknown, "within_low": 0.79, "within_high": 0.83, "ratio": 0.81}
    found = with_entry(compare_quiet(A, SLOW), "xfs", **seen)
    found = with_entry(
        found, "ext4", **seen | {"ratio": 2.5, "within_low": 2.4, "within_high": 2.6}
    )
    said = summary(found)
    assert "within 3 %; undecided, but in these sittings" in said
    assert re.search(
        r"on ext4 were 2.50 times as fast \(2.40 to 2.60\); from .+; 1 more differs;", said
    )


def test_a_margin_is_said_as_it_is() -> None:
    equal = {"verdict": "equivalent", "low": 0.999, "high": 1.001, "margin_percent": 0.4}
    found = with_entry(compare_quiet(A, SLOW), "ext4", **equal)
    said = summary(with_entry(found, "raw", **equal))
    assert "4 KiB random reads at depth 32 on raw and ext4 equal within 0.4 %" in said
