"""Each promise of SECURITY.md names the test that holds it: a file, and perhaps one test in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:tests|crates|python)/[\w./-]+)(?:::(\w+))?`")
MOST_WORDS = 1_600
"""Without the lines of its tables."""


def text() -> str:
    return (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def has(path: Path, name: str) -> bool:
    """Whether a test or a class of tests is in a file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        return re.search(rf"#\[test\]\s*(?:#\[[^]]*\]\s*)*fn {name}\(", source) is not None
    found = [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    return name in found and name.startswith(("test_", "Test"))


@pytest.mark.parametrize(("path", "name"), sorted(set(NAMED.findall(text()))))
def test_what_it_names_is_there(path: str, name: str) -> None:
    assert (ROOT / path).exists()
    assert not name or has(ROOT / path, name)


def test_each_promise_names_a_test() -> None:
    promises = re.split(r"^\|.*\| test \|\n\| --- \| --- \|\n", text(), flags=re.MULTILINE)[1:]
    rows = [row for part in promises for row in part.split("\n\n")[0].splitlines()]
    assert len(promises) == 7
    assert [row for row in rows if not NAMED.search(row.split("|")[-2])] == []


def test_a_test_that_is_not_there_is_seen() -> None:
    here = Path(__file__)
    assert has(here, "test_each_promise_names_a_test")
    assert not has(here, "test_each_promise") and not has(here, "text")
    planted = ROOT / "crates/fsgauge-door/tests/planted.rs"
    assert has(planted, "links_are_not_followed_wherever_they_lie")
    assert not has(planted, "links_are_not_followed") and not has(planted, "folders")


def test_it_is_read_in_one_go() -> None:
    assert len([word for word in text().split() if re.search(r"\w", word)]) <= MOST_WORDS
