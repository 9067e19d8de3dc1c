"""What pages call published is in the ledger: every id exists, every figure is its own.

In a row of a table, or in a sentence, that cites ids ([N-06]), each number is one of those claims.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.published.ledger import Claim, ledgers
from fsgauge.published.page import page, predictions_page
from fsgauge.published.standing import standing_of

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PACKAGE = ROOT / "python" / "fsgauge"
EVIDENCE = {folder: ROOT / "docs" / "evidence" / f"{folder}.md" for folder in ledgers()}
SHOWN = list(ledgers())
CLAIMS = {claim.id: claim for each in ledgers().values() for claim in each.claim}
LETTERS = "".join(each.publication.letter for each in ledgers().values())
CITED = re.compile(rf"\[([{LETTERS}]-\d\d)\]")
NAMED = re.compile(rf"\b([{LETTERS}]-\d\d)\b")
NUMBER = re.compile(r"(?<![\w.,/])[+\-\u2212]?\d[\d,]*(?:\.\d+)?(?![\w])")
NO_FIGURE = re.compile(
    r"`[^`]*`|\[[^\]]*\]\([^)]*\)|[A-Za-z]+\d+|OES 2015 SP1|Server 2015 SP1|1600"
)
"""Code, links, names with digits in them, and names of products."""


def without_figures_of_ours(text: str) -> str:
    """A statement without its ids, code and names."""
    return NO_FIGURE.sub(" ", NAMED.sub(" ", CITED.sub(" ", text)))


def numbers_of(claim: Claim) -> set[float]:
    """Every number of a claim: printed, in the fact, computed; changes also as they are rounded."""
    found = {value for figure in claim.figures for value in figure.values}
    found |= {number.value for number in claim.computed}
    for figure in claim.figures:
        if figure.change_percent is not None:
            found |= {round(figure.change_percent, digits) for digits in (0, 1, 2, 3)}
    found |= {as_number(each) for each in NUMBER.findall(claim.fact.replace("-", " "))}
    found |= {as_number(each) for f in claim.figures for each in re.findall(r"\d+", f.printed)}
    return found | {-value for value in found}


def as_number(text: str) -> float:
    return float(text.replace(",", "").replace("\u2212", "-"))


def statements(text: str) -> list[str]:
    """Rows of tables, and sentences."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("|"):
            found.append(line)
        else:
            found += re.split(r"(?<=[.:;!?])\s+", line)
    return found


def published_part(statement: str) -> str:
    """Of "| of the publication [ID] | here |" the first cell, for the rest is ours; else all."""
    if statement.startswith("|") and CITED.search(statement.split("|")[1]):
        return statement.split("|")[1]
    return statement


def wrong_numbers(statement: str) -> list[str]:
    """Numbers of a statement that none of its claims has."""
    part = published_part(statement)
    known = {n for claim_id in CITED.findall(part) for n in numbers_of(CLAIMS[claim_id])}
    return [
        number
        for number in NUMBER.findall(without_figures_of_ours(part))
        if as_number(number) not in known
    ]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_id_that_is_cited_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [each for each in NAMED.findall(text) if each not in CLAIMS] == []


def test_every_id_in_the_package_exists() -> None:
    named = {
        (path.name, each)
        for suffix in ("py", "md", "j2", "toml")
        for path in PACKAGE.rglob(f"*.{suffix}")
        for each in NAMED.findall(path.read_text(encoding="utf-8"))
    }
    assert {each for each in named if each[1] not in CLAIMS} == set()
    assert len(named) > len(CLAIMS)


@pytest.mark.parametrize("folder", SHOWN)
def test_a_page_of_evidence_cites_its_publication(folder: str) -> None:
    cited = set(CITED.findall(EVIDENCE[folder].read_text(encoding="utf-8")))
    own = {claim.id for claim in ledgers()[folder].claim}
    assert cited <= own and len(cited) >= 9


@pytest.mark.parametrize("folder", SHOWN)
def test_a_guide_leads_to_its_evidence_and_claims(folder: str) -> None:
    text = (ROOT / "docs" / "guides" / f"{folder}.md").read_text(encoding="utf-8")
    own = {claim.id for claim in ledgers()[folder].claim}
    cited = set(CITED.findall(text))
    assert cited and cited <= own
    assert f"../evidence/{folder}.md" in text and f"../published.md#{folder}" in text


@pytest.mark.parametrize(
    "path",
    [*EVIDENCE.values(), *(ROOT / "docs" / "guides").glob("*.md")],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_every_figure_beside_an_id_is_the_ledgers(path: Path) -> None:
    cited = [each for each in statements(path.read_text(encoding="utf-8")) if CITED.search(each)]
    wrong = {each: found for each in cited if (found := wrong_numbers(each))}
    assert wrong == {}


def tables(text: str) -> list[tuple[str, list[str]]]:
    """The heading above each table, and its lines."""
    found: list[tuple[str, list[str]]] = []
    heading, before = "", ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|") and before.startswith("|"):
            found[-1][1].append(line)
        elif line.startswith("|"):
            found.append((heading, [line]))
        before = line
    return found


def is_of_publication(heading: str, head: str) -> bool:
    return heading == "Published figures" or "publi" in head


@pytest.mark.parametrize("folder", SHOWN)
def test_every_row_of_the_publication_is_cited(folder: str) -> None:
    """A row without an id says that the publication does not say it."""
    rows = [
        row
        for heading, lines in tables(EVIDENCE[folder].read_text(encoding="utf-8"))
        if is_of_publication(heading, lines[0])
        for row in lines[2:]
    ]
    silent = re.compile(r"not (stated|shown|listed)")
    assert [row for row in rows if not CITED.search(row) and not silent.search(row)] == []
    assert len(rows) >= 8


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("| average open response time (ms) | 36.69 | 8.86 | -75.9 % | [N-06] |", []),
        ("| average open response time (ms) | 36.96 | 8.86 | -75.9 % | [N-06] |", ["36.96"]),
        ("| average open response time (ms) | 36.69 | 8.86 | -75.9 % | [N-07] |", 3),
        ("Of the write rate at least 89 % [S-27] is kept.", []),
        ("Of the write rate at least 82 % [S-27] is kept.", ["82"]),
        ("| 20 files of 94 GiB [S-17] | `files = 21`, 22 of them |", []),
        ("Extents per file are 254.1 and 2.32 [N-21].", []),
    ],
)
def test_a_wrong_figure_is_found(statement: str, wrong: list[str] | int) -> None:
    found = wrong_numbers(statement)
    assert (len(found) if isinstance(wrong, int) else found) == wrong


def test_the_page_of_verdicts_is_current() -> None:
    shown = (ROOT / "docs" / "published.md").read_text(encoding="utf-8")
    assert shown == page(), "run: scripts/verdicts"


def test_the_page_of_predictions_is_current() -> None:
    shown = (ROOT / "docs" / "evidence" / "predictions.md").read_text(encoding="utf-8")
    assert shown == predictions_page(), "run: scripts/verdicts"


def test_a_prediction_that_is_missed_says_why_and_one_that_is_met_does_not() -> None:
    found = [
        (claim.id, each)
        for folder, ledger in ledgers().items()
        for claim in ledger.claim
        for each in standing_of(folder, claim).predicted
    ]
    wrong = [
        (claim_id, each.prediction.words)
        for claim_id, each in found
        if (each.met == "missed") != bool(each.prediction.missed)
    ]
    assert wrong == [] and len(found) >= 20
