"""Every number of a report has a page, with the short answer first."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

import fsgauge
from fsgauge import pages
from fsgauge.errors import InputError
from fsgauge.report.sureness import sureness_lines
from fsgauge.stats import noise
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import Level
from fsgauge.stats.verdict import Verdict
from fsgauge.study.keys import all_dotted
from tests.synthetic import make_study


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_metric_has_a_page_with_definition_and_unit(metric) -> None:
    page = pages.explain_metric(metric.name)
    assert page == pages.explain_metric(metric.page)
    for part in ("**Definition.**", "**Unit.**", "**How to read it.**", "**Limits.**"):
        assert part in page
    direction = "Higher is better" if metric.higher_is_better else "Lower is better"
    assert direction in page


def test_every_line_of_the_validity_box_has_a_page() -> None:
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,))
    results = study.results()
    for line in sureness_lines(results):
        assert line.name == "Findings" or pages.explain_metric(line.page)


@pytest.mark.parametrize("name", pages.metric_pages())
def test_a_page_begins_with_a_name_and_one_short_answer(name: str) -> None:
    lines = pages.explain_metric(name).splitlines()
    assert lines[0].startswith("# ") and lines[1] == ""
    assert 20 < len(lines[2]) < 240
    assert pages.metric_pages()[name] == lines[2]


def test_a_wrong_name_gets_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        pages.explain_metric("p9")
    assert "p99" in caught.value.next


PACKAGE = Path(fsgauge.__file__).parent
CODE = re.compile(r"[a-z]+\.[a-z_]+")
SCANNER = PACKAGE.parents[1] / "crates" / "fsgauge-scan" / "src"
PROBLEM = re.compile(r'(?:\badd\(\s*|=> \(|=> \{\n\s*\(|const TRUNCATED: [^=]*= \(\s*)"([a-z_]+)",')
"""A code is the first word of an added problem, or of a pair with its sentence."""
NO_CODES = {"html", "json", "toml", "css", "js", "report"}
"""Ends of file names, which look alike."""


def codes_of_the_package() -> set[str]:
    """First strings with a dot in calls that make findings, and in tables of checks."""
    found: set[str] = set()
    places = [PACKAGE / "stats", *PACKAGE.glob("kinds/*/analysis")]
    for path in (path for place in places for path in place.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                found |= {
                    each.value
                    for each in (*node.args, *(keyword.value for keyword in node.keywords))
                    if isinstance(each, ast.Constant)
                    and isinstance(each.value, str)
                    and CODE.fullmatch(each.value)
                }
    numbers = set(METRICS) | {"done.first", "done.last"}
    return {
        code
        for code in found - numbers - set(all_dotted())
        if code.rpartition(".")[2] not in NO_CODES and not code.startswith("shares.")
    }


def test_every_code_of_a_finding_is_explained() -> None:
    explained = {entry.name for entry in pages.finding_codes()}
    made = codes_of_the_package()
    assert len(made) > 40
    assert made - explained == set(), "pages/glossary.toml has no entry for these codes"


def test_every_explained_code_is_one_that_is_made() -> None:
    text = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    assert [entry.name for entry in pages.finding_codes() if f'"{entry.name}"' not in text] == []


def test_every_problem_of_a_scan_is_explained() -> None:
    """The scanner is in the engine: its codes are read off the sources."""
    sources = [path.read_text("utf-8") for path in SCANNER.rglob("*.rs")]
    made = {code for text in sources for code in PROBLEM.findall(text)}
    assert len(made) > 12
    assert made == {entry.name for entry in pages.scan_problems()}


@pytest.mark.parametrize(
    "word",
    [
        *get_args(Verdict),
        *get_args(Level),
        *get_args(noise.State),
        *("barely", "too noisy", "A/A", "noise floor", "block", "margin", "not steady"),
        *("cannot be judged", "too noisy to answer", "would have shown", "equal within", "raw"),
        *("baseline", "turn", "cell", "interval", "side by side", "drift", "band", "pilot"),
    ],
)
def test_every_word_of_a_verdict_is_explained(word: str) -> None:
    if word == "differs":  # what a page calls not valid
        word = "not valid"
    assert pages.entry_of(word) is not None or pages.is_metric(word), word


def test_every_line_of_the_box_how_sure_is_explained() -> None:
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,))
    results = study.results()
    for line in sureness_lines(results):
        assert pages.entry_of(line.name) is not None or pages.is_metric(line.name), line.name


@pytest.mark.parametrize("entry", pages.words(), ids=lambda entry: entry.name)
def test_an_entry_is_a_sentence_or_a_few(entry: object) -> None:
    assert hasattr(entry, "says") and hasattr(entry, "see")
    assert entry.says.endswith(".") and 40 < len(entry.says) < 500
    assert set(entry.see) <= {*pages.metric_pages(), *all_dotted()}


def test_no_two_words_are_spelled_alike() -> None:
    spelled = [name.lower() for entry in pages.words() for name in (entry.name, *entry.also)]
    assert len(spelled) == len(set(spelled))


@pytest.mark.parametrize("written", ["Too noisy", "too_noisy", "TOO-NOISY", '"too noisy"'])
def test_a_word_is_found_however_it_is_written(written: str) -> None:
    entry = pages.entry_of(written)
    assert entry is not None and entry.name == "too noisy"
