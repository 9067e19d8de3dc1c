"""Each sentence of synthetic studies of every kind, read back into numbers: those of the results.

A percentage or factor lies in the interval that follows it; that interval is one of the results';
its ends lie on the side of 1 that the verdict says; one count has one value on a page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.stats import Results, read_study, wording
from tests.known.test_sentences import (
    CASES,
    FOUR,
    OVERHEAD,
    of,
    one_of_each_costly,
    results_of,
)
from tests.synthetic import make_study
from tests.synthetic.idle import did

NUMBER = r"\d[\d,]*(?<!,)(?:\.\d+)?"
CLAIM = re.compile(
    rf"(?P<value>{NUMBER}) (?P<unit>%|times)(?:[^().%]|\.(?! ))*?"
    rf"\((?P<low>{NUMBER}) to (?P<high>{NUMBER})(?: (?:%|times))?(?P<word>, [a-z ]+)?"
)
SEVERAL = re.compile(r"(?P<part>[\d,]+) of (?P<whole>[\d,]+) (?P<noun>[a-z]+)")


@cache
def made(case: str) -> Results:
    if case in CASES:
        return results_of(case)
    paced = {**OVERHEAD, "systems": FOUR, "blocks": 6}
    study = make_study(
        **paced,
        noise=0.01,
        effect=of({"xfs": 0.9, "ext4": 1.002}),
        rate=5000.0 if case == "paced" else None,
        wobble=lambda system, cell: 0.3 if system == "xfs" else 0.01,
        faults=lambda turn, cell: case == "failed" and (turn.system, turn.block) == ("ext4", 1),
    )
    runs = study.runs
    if case == "idle":
        runs = [did(run, 0.0) if run.system == "btrfs" and run.block % 2 else run for run in runs]
    return read_study(study.turns, runs, study.study, study.before, study.after)


ALL = [*CASES, "paced", "idle", "close", "failed"]


OF_A_PAIR = re.compile(r"Of the file systems, .*?\)\.")
"""A ratio of two systems, neither of which is the baseline: report.json has none."""


def sentences(results: Results) -> list[str]:
    said = OF_A_PAIR.sub("", results.answer)
    return [said, *(each.sentence for each in results.findings)]


def intervals(node: Any) -> Iterator[tuple[float, float]]:
    """Every pair of ends in a document."""
    if isinstance(node, dict):
        for low, high in (("low", "high"), ("pick_low", "pick_high"), ("alone_low", "alone_high")):
            if isinstance(node.get(low), float) and isinstance(node.get(high), float):
                yield node[low], node[high]
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from intervals(each)


def number(text: str) -> float:
    return float(text.replace(",", ""))


def reads_as(text: str, value: float) -> bool:
    digits = len(text.partition(".")[2])
    return math.isclose(number(text), value, rel_tol=0, abs_tol=0.5000001 * 10.0**-digits)


@pytest.mark.parametrize("case", ALL)
def test_each_interval_in_a_sentence_is_one_of_the_results(case: str) -> None:
    results = made(case)
    known = list(intervals(results.model_dump(mode="json")))
    scaling = Scaling.of(results)
    changes = [line.points[-1].change for line in scaling.lines] if scaling else []
    wide = [scaling.together(each) for each in changes if scaling and each]
    known += [each.edges for each in wide if each]
    for sentence in sentences(results):
        for claim in CLAIM.finditer(sentence):
            factor = 100 if claim["unit"] == "%" else 1
            low, value, high = (number(claim[part]) for part in ("low", "value", "high"))
            assert low <= value <= high, claim[0]
            if "model" not in sentence:
                assert any(
                    reads_as(claim["low"], factor * a) and reads_as(claim["high"], factor * b)
                    for a, b in known
                ), claim[0]


@pytest.mark.parametrize(
    "case", one_of_each_costly([case for case in ALL if not case.startswith("writers")])
)
def test_what_is_said_to_differ_has_an_interval_on_one_side(case: str) -> None:
    """Without a word behind it, an interval says that a system differs."""
    for claim in CLAIM.finditer(made(case).answer):
        word = claim["word"] or ""
        if " of the first's " in claim[0]:
            continue  # two equal turns
        if "equivalent" in word or "undecided" in word:
            continue
        one = 100 if claim["unit"] == "%" else 1
        assert number(claim["low"]) > one or number(claim["high"]) < one, claim[0]


@pytest.mark.parametrize("case", one_of_each_costly(ALL))
def test_one_count_has_one_value_on_a_page(case: str) -> None:
    """So many of all of something: never more than all, and all of them are as many."""
    for sentence in sentences(made(case)):
        for found in SEVERAL.finditer(sentence):
            assert number(found["part"]) <= number(found["whole"]), sentence
    wholes = {
        found["whole"]
        for finding in made(case).findings
        if not finding.code.startswith("idle.")
        for found in SEVERAL.finditer(finding.sentence)
        if found["noun"] == "runs"
    }
    assert len(wholes) <= 1


BARE = re.compile(r"(?<![\w.,:/=\"'-])\d{4,}(?![\w%.,-]*[\w%])(?! (?:B|IOPS)\b)")
"""A number of four digits without a comma, which is no part of a name, an option or a date."""


@pytest.mark.parametrize("case", one_of_each_costly(ALL))
def test_thousands_are_parted_alike(case: str) -> None:
    """ "needs 1,000 operations" was said in one sentence, and "did 7672" in another."""
    assert BARE.search("it did 7672 of 1,000 operations, as of 7672.")
    assert not BARE.search("--set workload.duration=2000 disk-2012, 20,000 files, 1000 B")
    for sentence in sentences(made(case)):
        assert not BARE.search(sentence), sentence


@pytest.mark.parametrize("case", ["paced", "overhead, all noise", "overhead, mixed", "idle"])
def test_an_answer_names_its_metric(case: str) -> None:
    named = ("latency", "random reads", "random writes", "operations per second")
    assert any(name in made(case).answer for name in named), made(case).answer


def test_who_did_nothing_spoils_no_other_system_s_figure() -> None:
    """btrfs stalls in half of the blocks; what would have shown on ext4 is of ext4's own."""
    results = made("idle")
    answer = results.answer
    assert answer.startswith("btrfs did nothing in 6 of 12 runs.")
    assert "not even a tenfold difference would have shown" not in answer
    assert " here" not in answer


RATIOS = [
    (0.951, 0.998, 0.97),
    (1.002, 1.06, 1.03),
    (0.9951, 0.9954, 0.9952),
    (0.992, 0.9975, 0.9948),
    (1.9, 2.3, 2.05),
    (1.5, 2.6, 1.99),
    (0.004, 0.009, 0.006),
    (0.0004, 0.0009, 0.0006),
    (1.00004, 1.3, 1.1),
    (0.7, 0.99996, 0.9),
    (1.31, 1515.0, 44.0),
    (10.1, 10.4, 10.2),
    (1.001, 5.0, 2.3),
    (0.3, 7.0, 2.1),
]


@pytest.mark.parametrize(("low", "high", "ratio"), RATIOS)
def test_a_ratio_and_its_interval_are_rounded_alike(low: float, high: float, ratio: float) -> None:
    """As text: the ratio in its interval, which has a width, nothing that is not 0 as 0, and
    nothing that is not 1 as 1."""
    for said, ends, one in (
        (wording.share_words(ratio, (low, high)), wording.range_words(low, high, ratio), 100.0),
        (wording.percent(ratio, (low, high)), wording.percent_range(low, high), 100.0),
        (wording.factor_words(ratio, (low, high)), wording.ratio_range(low, high), 1.0),
    ):
        value, *_ = (number(text) for text in re.findall(NUMBER, said))
        below, above = (number(text) for text in re.findall(NUMBER, ends))
        one = 1.0 if "times" in said else one
        assert below <= value <= above and below < above and below > 0, (said, ends)
        assert (low <= 1 <= high) or not (below <= one <= above), (said, ends)
        assert math.isclose(value, one * ratio, rel_tol=0.1)


@pytest.mark.parametrize(
    ("percents", "said"),
    [
        ({"a": 12.0}, "only a difference of 12 % or more would have shown"),
        ({"a": 12.0, "b": 12.2}, "only a difference of 12 % or more would have shown"),
        ({"a": 12.0, "b": 14.0}, "only a difference of 12 to 14 % or more would have shown"),
        ({"a": 5.0, "b": 47.0}, "only a difference of 5 % on a and 47 % on b would have shown"),
        (
            {"a": 5.0, "b": 1e6},
            "only a difference of 5 % on a would have shown, not even a tenfold on b",
        ),
        ({"a": 1e6, "b": 1e9}, "not even a tenfold difference would have shown"),
        (
            {"a": 5.0, "b": 9.0, "c": 20.0, "d": 47.0},
            "only a difference of 5 % (a) to 47 % (d) would have shown",
        ),
    ],
)
def test_each_system_has_its_own_detectable_effect(percents: dict[str, float], said: str) -> None:
    assert wording.least_shown(percents, " or more") == said
