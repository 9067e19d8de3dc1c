"""The page of a study of several writers: its pictures, tables, and what it does not show."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.page import gain_chart
from fsgauge.kinds.writers.page.chart import law_chart, writers_chart
from fsgauge.kinds.writers.page.tables import scaling_tables
from fsgauge.pages import explain_metric
from fsgauge.published.ledger import ledger_of
from fsgauge.report import write_report
from fsgauge.report.charts.law import no_law
from fsgauge.report.sureness import integrity_lines, sureness_lines
from fsgauge.report.table_parts import Table
from fsgauge.stats import Results, read_study
from tests.long import long_but
from tests.synthetic_commits import make_commits
from tests.synthetic_writers import make_writers
from tests.whole_page import whole_page
from tests.writers_example import (
    SYSTEMS,
    Planted,
    example_records,
    example_results,
    planted_scaling,
    write_example,
)

AS_PUBLISHED = Planted(writers=(1, 2), companions=False)
GROUPED = Planted(writers=(1, 2, 4, 8), groups=("shared, direct", "shared, buffered"))
ONE_BLOCK = Planted(writers=(1, 2), blocks=1)
LARGE = Planted()


@cache
def results_of(planted: Planted) -> Results:
    return example_results(example_records(planted), planted)


def table(results: Results, name: str) -> Table:
    found = {each.name: each for each in scaling_tables(results)}
    return found[name]


def labels(of: Table) -> list[str]:
    return [column.label for column in of.columns]


PAGES = {"as published": AS_PUBLISHED, "grouped": GROUPED, "one block": ONE_BLOCK, "large": LARGE}


@pytest.fixture(scope="module", params=long_but(("as published", "grouped"), PAGES))
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_example(tmp_path_factory.mktemp("writers"), PAGES[request.param])


def test_the_page_is_whole_and_asks_nothing_of_the_network(page: Path) -> None:
    text, _ = whole_page(page.parent)
    assert 'id="figure-writers"' in text and 'id="table-as-published"' in text
    assert "None" not in text.split("<script")[0]


def test_pictures_of_block_size_and_depth_are_left_out(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert 'id="figure-overhead"' not in text and 'id="figure-depth"' not in text
    assert 'id="figure-forest"' in text and 'id="numbers"' in text


@pytest.mark.parametrize("planted", [AS_PUBLISHED, GROUPED, ONE_BLOCK, LARGE], ids=str)
def test_every_number_of_the_tables_has_a_page(planted: Planted) -> None:
    tables = scaling_tables(results_of(planted))
    assert tables
    for each in tables:
        assert each.pages
        for name in each.pages:
            assert "**Definition.**" in explain_metric(name)
        words = {"system", "group", "case", "writers", "alongside them", "over"}
        assert all(column.page or column.label in words for column in each.columns)
        assert all(len(row) == len(each.columns) for row in each.rows)


def test_the_published_columns_hold_the_planted_numbers() -> None:
    made = table(results_of(AS_PUBLISHED), "as-published")
    assert labels(made) == [
        "system",
        "lay-out rate",
        "IOPS at 1 writer",
        "IOPS at 2 writers",
        "change at 2",
        "share of ideal at 2",
    ]
    ext3 = next(row for row in made.rows if row[0].text == "ext3")
    assert [cell.text for cell in ext3] == ["ext3", "391 MiB/s", "10 k", "15.3 k", "+52 %", "76 %"]
    assert all(" to " in cell.below for cell in ext3[1:])


def test_what_others_published_is_marked_and_computed_from_their_rates() -> None:
    other = table(results_of(AS_PUBLISHED), "elsewhere")
    assert "other hardware" in other.heading and "Lines with a claim's id" in other.note
    shares = {row[0].text: row[-1].text for row in other.rows}
    assert shares == {
        "ext3": "49.0 %",
        "NFS over ext3": "75.5 %",
        "XFS": "68.6 %",
        "NFS over XFS": "80.0 %",
    }
    assert labels(other)[-2:] == ["change at 2 writers", "share of ideal at 2 writers"]
    of_one, of_two = (
        labels(other).index("IOPS at 1 writer"),
        labels(other).index("TotIO of 2 writers"),
    )
    for row in other.rows:
        claim = ledger_of("writers").of(row[0].below)
        rates = [float(row[at].text.replace(",", "")) for at in (of_one, of_two + 2)]
        assert rates in [figure.values for figure in claim.figures]
        assert row[-1].below == f"computed; in words: {claim.figure('in words').printed}"
        assert (row[of_two].text, row[of_two + 1].text) == (
            "1,048,576",
            f"{claim.figure('time').values[1]:g} s",
        )


def test_the_four_cases_are_one_table_theirs_beside_ours() -> None:
    """The publication's readers know TotIO and Tm, and look for their case."""
    made = make_writers(
        writers=(1, 2),
        systems={"a": "ext4", "b": "xfs", "c": "xfs"},
        noise=0.0,
        rate=lambda system, writers: 1000 * writers**0.5,
    )
    turns = [
        turn.model_copy(update={"facts": turn.facts.model_copy(update=FACTS[turn.system])})
        for turn in made.turns
    ]
    results = read_study(turns, made.runs, made.study, made.before)
    found = table(results, "elsewhere")
    names = [(row[0].text, row[0].below) for row in found.rows]
    assert names == [
        ("ext3", "D-12"),
        ("a", "here"),
        ("NFS over ext3", "D-13"),
        ("XFS", "D-15"),
        ("b", "here"),
        ("NFS over XFS", "D-17"),
        ("c", "here"),
    ]
    row = dict(zip(labels(found), found.rows[1], strict=True))
    assert row["TotIO of 1 writer"].text == "40,000"
    assert row["TotIO of 2 writers"].text == "80,000"
    rate = 40_000 / float(row["Tm of 1 writer"].text.split()[0])
    assert rate == pytest.approx(1000, rel=0.05)
    assert row["change at 2 writers"].text == "+41 %"


FACTS = {
    "a": {"kind": "ext3"},
    "b": {"kind": "xfs"},
    "c": {"kind": "xfs", "details": {"reached by": "NFS 3"}},
}


def test_groups_have_a_column_of_their_own_and_a_picture_each() -> None:
    results = results_of(GROUPED)
    assert "group" in labels(table(results, "as-published"))
    drawn = writers_chart(results)
    assert drawn is not None
    assert {row["group"] for row in drawn.rows} == set(GROUPED.groups)
    assert all(group in drawn.wide and group in drawn.narrow for group in GROUPED.groups)


def test_one_block_gives_values_without_intervals() -> None:
    made = table(results_of(ONE_BLOCK), "every-count")
    rate = made.rows[0][labels(made).index("IOPS")]
    assert rate.text and "is known from one block" in made.note


def test_too_few_numbers_of_writers_have_a_reason_and_no_law() -> None:
    results = results_of(AS_PUBLISHED)
    assert law_chart(results) is None
    assert "six are needed" in no_law([each.fit for each in Scaling.within(results).lines])
    assert "law" not in {each.name for each in scaling_tables(results)}


def test_a_law_is_drawn_where_it_fits_and_said_where_it_does_not() -> None:
    results = results_of(LARGE)
    assert results.own is not None
    words = {line.system: line.fit.words for line in results.own.lines}
    assert words["raw"].endswith("no peak within range")
    assert words["ext3"] == "does not fit"
    assert words["btrfs"].endswith("peak at 5.39")
    drawn = law_chart(results)
    assert (
        drawn is not None
        and "peak 5.4" in drawn.wide
        and no_law([each.fit for each in Scaling.within(results).lines]) == ""
    )
    law = table(results, "law")
    states = {row[0].text: row[1] for row in law.rows}
    assert states["ext3"].text == "does not fit" and "the device is full" in states["ext3"].below


def test_rates_of_writes_that_are_commits_are_said_in_commits() -> None:
    """The answer gave a commit's time and the first picture commits; the tables said IOPS."""
    plain = results_of(LARGE)
    results = plain.model_copy(update={"commits": [cell.id for cell in plain.cells]})
    heads = {"as-published": "rate at 2 writers", "every-count": "rate", "law": "rate of one"}
    for name, head in heads.items():
        made = table(results, name)
        assert not any(label.startswith("IOPS") for label in labels(made))
        said = [row[labels(made).index(head)].text for row in made.rows]
        assert {text.rpartition(" ")[2] for text in said if text} == {"commits/s"}, name
    alone = make_commits({"ext4": 500.0, "xfs": 400.0}, blocks=3).results()
    for drawn in (writers_chart(results), law_chart(results), writers_chart(alone)):
        assert drawn is not None and "commits/s (higher is better)" in drawn.wide
        assert re.search(r" writers?: [\d.]+( k)? commits/s \(", drawn.wide)


def test_limits_are_lines_in_the_picture_or_numbers_above_it() -> None:
    near = writers_chart(results_of(Planted(limit_factor=10)))
    far = writers_chart(results_of(Planted(limit_factor=1000)))
    assert near is not None and far is not None
    assert "nothing written 24 M IOPS" in unescape(near.wide)
    assert ">memory, every byte touched<" in near.wide
    assert ">memory, every byte touched<" not in far.wide
    assert "memory, every byte touched 4 M IOPS" in unescape(far.wide)


def test_bandwidth_stands_in_the_tooltip() -> None:
    drawn = writers_chart(results_of(AS_PUBLISHED))
    assert drawn is not None
    assert re.search(r"ext3, 2 writers: 15.3 k IOPS \(.*\), 1\d\d MiB/s; 76 % ", drawn.wide)


def test_integrity_is_one_line_when_all_is_right_and_names_faults() -> None:
    good, bad = example_records(AS_PUBLISHED), example_records(Planted(writers=(1, 2), torn=3))
    (line,) = integrity_lines(list(SYSTEMS), good.runs)
    assert line.good and "all whole writes of the right writer" in line.text
    lines = {each.system: each for each in integrity_lines(list(SYSTEMS), bad.runs)}
    assert not lines["btrfs"].good and "torn" in lines["btrfs"].text and lines["xfs"].good
    box = sureness_lines(results_of(AS_PUBLISHED), bad.runs)[0]
    assert (box.name, box.good) == ("Integrity", False) and "btrfs" in box.text
    assert explain_metric(box.page)
    assert integrity_lines(list(SYSTEMS), []) == []


def test_what_statistics_make_of_records_is_drawn(tmp_path: Path) -> None:
    example_records(AS_PUBLISHED).write(tmp_path)
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert 'id="figure-writers"' in text and 'id="table-as-published"' in text
    assert 'id="figure-overhead"' not in text


def test_before_the_first_run_there_is_no_picture() -> None:
    planted = planted_scaling(AS_PUBLISHED)
    empty = [line.model_copy(update={"points": []}) for line in planted.lines]
    scaling: Scaling = planted.model_copy(update={"lines": empty})
    results = results_of(AS_PUBLISHED).model_copy(update={"own": scaling})
    assert writers_chart(results) is None and law_chart(results) is None
    assert scaling_tables(results)


def words_of(results: Results, column: str) -> set[str]:
    made = table(results, "every-count")
    return {row[labels(made).index(column)].below for row in made.rows}


def test_the_first_pictures_are_the_answer_with_the_device_among_the_systems(
    tmp_path: Path,
) -> None:
    drawn = gain_chart(results_of(LARGE))
    assert drawn is not None and [row["system"] for row in drawn.rows] == list(SYSTEMS)
    assert ">raw, device<" in drawn.wide and ">ideal<" not in drawn.wide
    assert not any(word in drawn.wide for word in ("better", "worse", "undecided"))
    text = write_example(tmp_path, AS_PUBLISHED).read_text(encoding="utf-8")
    assert text.index('id="figure-forest"') < text.index('id="figure-gain"')
    assert text.index('id="figure-gain"') < text.index('id="figure-writers"')


def test_groups_are_named_in_the_first_picture() -> None:
    drawn = gain_chart(results_of(GROUPED))
    assert drawn is not None and ">ideal<" in drawn.wide
    assert all(drawn.wide.count(f">{group}<") == 1 for group in GROUPED.groups)


def test_intervals_of_two_blocks_are_not_known() -> None:
    results = results_of(Planted(writers=(1, 2), blocks=2))
    assert words_of(results, "IOPS") == {""}
    assert table(results, "every-count").note.endswith("No interval is known from 2 blocks.")
    drawn = gain_chart(results)
    assert drawn is not None and "not known from 2 blocks" in drawn.wide


def wild(results: Results) -> Results:
    """The same numbers, with intervals of a factor of a million."""
    assert results.own is not None
    document = results.own.model_dump()
    for line in document["lines"]:
        for point in line["points"]:
            for field in ("iops", "change", "efficiency", "p99_ns"):
                if point[field] is not None:
                    value = point[field]["value"]
                    point[field] |= {"low": value / 1e3, "high": value * 1e3}
    return results.model_copy(update={"own": Scaling.model_validate(document)})


def test_wide_intervals_stretch_no_axis() -> None:
    results = results_of(AS_PUBLISHED)
    drawn, calm = writers_chart(wild(results)), writers_chart(results)
    assert drawn is not None and calm is not None

    def axes(svg: str) -> list[str]:
        return re.findall(r">([0-9.]+[kMG%]?)</text>", svg)

    assert axes(drawn.wide) == axes(calm.wide)
    assert "0k" not in axes(drawn.wide)
    assert words_of(wild(results), "IOPS") == {"interval too wide"}


def test_shares_have_their_unit_and_missing_percentiles_a_reason() -> None:
    assert all(
        each.endswith(" %") for each in words_of(results_of(LARGE), "share of ideal") if each
    )
    results = results_of(AS_PUBLISHED)
    assert results.own is not None
    document = results.own.model_dump()
    for line in document["lines"]:
        for point in line["points"]:
            point["p99_ns"] = None
    bare = results.model_copy(update={"own": Scaling.model_validate(document)})
    assert words_of(bare, "p99") == {"too few samples"}
    assert "p99.9" not in labels(table(bare, "every-count"))


@pytest.mark.parametrize(
    ("changes", "comparable"),
    [
        ({"ranges": "shared", "access": "direct"}, True),
        ({"ranges": "own files", "access": "direct"}, False),
        ({"ranges": "shared", "access": "buffered"}, False),
        ({"ranges": "shared", "access": "direct", "allocation": "extend"}, False),
        ({"ranges": "shared", "access": "direct", "block_size_bytes": 4096}, False),
    ],
)
def test_what_was_published_stands_beside_its_like_alone(
    changes: dict[str, object], comparable: bool
) -> None:
    results = results_of(AS_PUBLISHED)
    cells = [
        cell.model_copy(update={"factors": {**cell.factors, **changes}}) for cell in results.cells
    ]
    names = {each.name for each in scaling_tables(results.model_copy(update={"cells": cells}))}
    assert ("elsewhere" in names) == comparable


def test_ratios_between_groups_are_a_table() -> None:
    study = make_writers(ranges=("shared", "own_files"))
    made = table(study.results(), "between-groups")
    assert labels(made) == ["system", "writers", "group", "over", "ratio"]
    assert len(made.rows) == 3 * 2
    for _, _, group, first, ratio in made.rows:
        assert (group.text, first.text) == ("own files", "shared")
        assert " to " in ratio.below
    assert "**Definition.**" in explain_metric("between_groups")


@pytest.mark.parametrize("stride", [None, 64])
def test_a_stride_is_a_column_beside_what_touches_every_byte(stride: int | None) -> None:
    made = make_writers(writers=(1, 2), blocks=2, limits_stride=stride)
    results = made.results()
    found = table(results, "limits")
    assert ("memory, 1 B of 64 B" in labels(found)) == (stride is not None)
    if stride is not None:
        at = labels(found).index("memory, 1 B of 64 B")
        assert [row[at].text for row in found.rows] == [
            "300 k IOPS, 5.00 of every byte",
            "600 k IOPS, 5.00 of every byte",
        ]
