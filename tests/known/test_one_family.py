"""Known answers: a sentence, its picture and its tables have one family of corrected intervals.

Studies of every kind with planted effects, from clear to nothing but noise. What a picture or a
table calls better or worse excludes 1 by the interval that it shows; each interval that a sentence
quotes is one of theirs; and what a sentence leaves open no table of the page decides unsaid.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.page import gain_chart
from fsgauge.kinds.writers.page.tables import scaling_tables
from fsgauge.report import words
from fsgauge.report.charts.forest import primary_entries
from fsgauge.report.tables import number_tables
from fsgauge.stats import Results
from fsgauge.stats.sentence import decided_elsewhere, left_open
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from tests.known.simulated_studies import judged_in
from tests.known.test_numbers_in_sentences import OF_A_PAIR
from tests.long import long_but
from tests.synthetic import make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_connections import make_connections
from tests.synthetic_writers import make_writers

DECIDED = ("better", "worse")
FOUR = {name: name for name in ("raw", "ext4", "xfs", "btrfs")}
EFFECTS = {"ext4": 0.96, "xfs": 1.04, "btrfs": 0.8}
Make = Callable[[float, int], Any]
KINDS: dict[str, Make] = {
    "overhead": lambda noise, seed: make_study(
        systems=FOUR,
        patterns=("randread", "randwrite"),
        block_sizes=(4096, 65536),
        queue_depths=(1,),
        duration_s=2,
        noise=noise,
        seed=seed,
        effect=lambda system, cell: EFFECTS.get(system, 1.0),
    ),
    "connections": lambda noise, seed: make_connections(blocks=6, noise=noise, seed=seed),
    "writers": lambda noise, seed: make_writers(
        blocks=6, noise=noise, seed=seed, ranges=("shared", "segmented"), writers=(1, 2, 4)
    ),
    "aging": lambda noise, seed: make_aging(levels=(5, 50, 100), blocks=5, noise=noise, seed=seed),
    "churn": lambda noise, seed: make_churn(blocks=5, fills=(80, 95), noise=noise, seed=seed),
}
STUDIES = [(kind, noise, seed) for kind in KINDS for noise in (0.02, 0.12, 0.3) for seed in (1, 2)]
SOONER = [*((kind, 0.02, 1) for kind in KINDS), ("overhead", 0.3, 2), ("writers", 0.3, 2)]
AGED = [study for study in STUDIES if study[0] in ("aging", "churn")]


@lru_cache
def results_of(kind: str, noise: float, seed: int) -> Results:
    return KINDS[kind](noise, seed).results()


def family_intervals(results: Results) -> list[tuple[float, float]]:
    """Every interval of a family of this study: of verdicts, of picks, of systems together."""
    found = []
    for each in judged_in(results.model_dump()):
        found += [(each["low"], each["high"]), (each.get("pick_low"), each.get("pick_high"))]
    scaling, aging = Scaling.of(results), Aging.of(results)
    for line in scaling.lines if scaling else ():
        for point in line.points:
            change = scaling.together(point.change) if scaling else None
            found += [(change.low, change.high)] if change else []
    for row in scaling.between_groups if scaling else ():
        found.append((row.pick_low, row.pick_high))
    for aged in aging.lines if aging else ():
        found += [(p.relative.low, p.relative.high) for p in aged.points if p.relative]
    return [(low, high) for low, high in found if low is not None and high is not None]


def is_shown(text: str, number: float) -> bool:
    """Whether a text is this number, rounded, as a ratio or in percent."""
    digits = len(text.partition(".")[2])
    half = 0.5001 * 10**-digits
    return any(abs(float(text) - scale * number) <= half for scale in (1, 100))


@pytest.mark.parametrize("study", long_but(SOONER, STUDIES), ids=str)
def test_a_verdict_and_its_interval_say_the_same(study: tuple[str, float, int]) -> None:
    found = [e for e in judged_in(results_of(*study).model_dump()) if e["low"] is not None]
    assert found
    for each in found:
        if each["n"] >= BLOCKS_FOR_A_VERDICT and each["verdict"] != "equivalent":
            apart = each["low"] > 1 or each["high"] < 1
            assert apart == (each["verdict"] in DECIDED), each


@pytest.mark.parametrize("study", long_but(SOONER, STUDIES), ids=str)
def test_every_interval_of_a_sentence_is_one_of_a_family(study: tuple[str, float, int]) -> None:
    results = results_of(*study)
    known = family_intervals(results)
    for low, high in re.findall(r"\(([\d.]+) to ([\d.]+)", OF_A_PAIR.sub("", results.answer)):
        assert any(is_shown(low, a) and is_shown(high, b) for a, b in known), results.answer


@pytest.mark.parametrize("study", long_but(SOONER, STUDIES), ids=str)
def test_the_picture_and_the_tables_are_those_of_the_comparisons(
    study: tuple[str, float, int],
) -> None:
    results = results_of(*study)
    by_name = {cell.name: cell.id for cell in results.cells}
    drawn, _ = primary_entries(results)
    assert drawn
    for entry in drawn:
        metric = results.primary_metrics[entry.cell]
        assert entry == results.comparison(entry.cell, entry.system, metric)
    for table in number_tables(results):
        for line in table.lines:
            entry = results.comparison(by_name[line.cell], line.system, table.name)
            if entry is not None:
                assert line.verdict == words.verdict(entry)
                assert line.ratio_interval == words.interval(entry.low, entry.high, entry.n)


@pytest.mark.parametrize("study", long_but(SOONER, STUDIES), ids=str)
def test_what_a_table_decides_the_answer_does_not_leave_open(
    study: tuple[str, float, int],
) -> None:
    results = results_of(*study)
    if results.kind in ("aging", "churn") or not results.sureness.valid:
        return
    found = list(left_open(results.comparisons, results.primary_metrics, results.primary_cells))
    assert bool(found) == ("Decided all the same: " in results.answer)
    told = {
        e.system
        for e in results.comparisons
        if e.primary and e.metric == "iops" and e.verdict in DECIDED
    }
    said = re.search(r"(?:Too|too) noisy to tell (.*?) from", results.answer)
    if said and "most" not in said[1] and results.kind == "overhead":
        assert not [system for system in told if system in said[1]], results.answer


@pytest.mark.parametrize("study", long_but([("aging", 0.12, 1), ("churn", 0.12, 1)], AGED), ids=str)
def test_nor_does_one_about_aged_systems(study: tuple[str, float, int]) -> None:
    results = results_of(*study)
    aging, churn = Aging.of(results), Churn.of(results)
    decided = [p.verdict in DECIDED for line in aging.lines for p in line.points] if aging else []
    damaged = [d.verdict in DECIDED for d in churn.damages] if churn else []
    if results.answer.startswith(("Too noisy", "Undecided")) and any([*decided, *damaged]):
        assert "ecided elsewhere: " in results.answer


@pytest.mark.parametrize("study", [("writers", 0.02, 1), ("writers", 0.3, 2)], ids=str)
def test_scaling_has_one_interval_in_sentence_picture_and_table(
    study: tuple[str, float, int],
) -> None:
    results = results_of(*study)
    scaling, drawing = Scaling.of(results), gain_chart(results)
    assert scaling is not None and drawing is not None
    tables = {table.name: table for table in scaling_tables(results)}
    in_table = {
        (row[0].text, row[1].text, row[2].text): row[4].below for row in tables["every-count"].rows
    }
    for row in drawing.rows:
        line = next(
            each
            for each in scaling.lines
            if (each.system, each.group) == (row["system"], row["cell"])
        )
        change = scaling.together(line.points[-1].change)
        assert change is not None and change.low is not None and change.high is not None
        said = words.interval(change.low, change.high, change.n)
        assert f"({said})" in drawing.wide
        edges = f"{words.change(change.low)} to {words.change(change.high)}"
        shown = in_table[line.system, line.group, "4"]
        assert shown.replace(" %", "") == edges.replace(" %", "") or said == words.unknown(6)


def test_a_rate_that_a_table_decides_is_named_beside_an_undecided_one() -> None:
    """The contradiction that a user met: "not seen to differ" above "throughput 1.70 better"."""
    results = results_of("overhead", 0.3, 1)
    cell = results.primary_cells[0]

    def changed(metric: str, **changes: Any) -> Any:
        entry = results.comparison(cell, "ext4", metric)
        assert entry is not None
        return entry.model_copy(update=changes)

    entries = [
        changed("iops", verdict="undecided"),
        changed("bandwidth", verdict="better", ratio=1.7, low=1.4, high=2.06),
    ]
    primary = [results.cell(cell)]
    asked = (entries, {cell: "iops"}, primary, primary, "raw")
    assert decided_elsewhere(*asked) == [
        f"Decided all the same: the bandwidth of ext4 at {primary[0].name} is 1.70 times that of"
        " raw (1.40 to 2.06, better)."
    ]
    entries[0] = changed("iops", verdict="better")
    assert decided_elsewhere(*asked) == []
