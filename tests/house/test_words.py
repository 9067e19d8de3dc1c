"""Habits of speech that no reader should meet: in docs, help, errors, findings and reports.

The words of what others published are theirs (docs/published.md and its ledgers), and so are the
names of programs, keys and users.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "fsgauge"

INSTEAD = {
    r"\btells attributes\b": "reads attributes",
    r"\b(?:is|are) told as\b": "is reported as",
    r"\bas (?:it|they) stands?\b": "as it is",
    r"\bafresh\b": "newly made",
    r"\banew\b": "again, newly made",
    r"\bextents a file\b": "extents per file",
    r"\bwhich so\b": "and therefore",
    r"(?<!says)(?<!say)(?<!do)(?<!did)(?<!or)(?<!think) so[.;](?=\s|$)": "in this way",
    r"\bnone that could\b": "cannot be seen",
    r"\buntil it is so\b": "until then",
    r"(?<![`\"':])\b[Nn]obody\b(?![`\"':])": "no one, or say who can",
    r"\b(?:lie|lies|lay) (?:in|on|at|there|within|beyond|beside)\b": "is in",
    r"(?<!here )\b(?:is|are) no [a-z]+ (?:of|that|which)\b": "is not a ... of",
    r"\bof (?:its|their) own room\b": "its own space",
    r"\bat all\b": "nothing",
    r"(?<![_-])\b[Bb]eside\b(?!_)": "next to, alongside, as well as",
    r"\b[Bb]elieve no\b": "do not rely on",
    r"\bOf \d+ [a-z]+, \d+\b": "N of M",
    r"(?<![\d ]) ?\b\d{1,3} 000\b(?! \d)": "10,000",
}
FORBIDDEN = re.compile("|".join(f"(?:{pattern})" for pattern in INSTEAD))


def test_the_habits_are_recognized() -> None:
    for line in (
        "ext4 tells attributes 1.31 times as fast",
        "a mounted system is used as it stands",
        "gives files their space so.",
        "damage inside it is none that could be seen",
        "extents a file",
        "the name is no option of a system",
        "root owns it and nobody else can write",
    ):
        assert FORBIDDEN.search(line), line
    for line in (
        "a note says so.",
        "its clients work as `nobody`",
        "it is no longer valid",
        "--set access.beside_path=false",
        "there is no such device",
    ):
        assert not FORBIDDEN.search(line), line


def pages() -> Iterator[Path]:
    """Docs, what `explain` prints, templates and shipped studies."""
    yield from ROOT.glob("*.md")
    yield from (page for page in (ROOT / "docs").rglob("*.md") if page.name != "published.md")
    yield from PACKAGE.rglob("*.md")
    yield from PACKAGE.rglob("*.j2")
    yield from PACKAGE.glob("**/studies/*.toml")
    yield from (PACKAGE / "pages" / "glossary.toml", PACKAGE / "study" / "other_tools.toml")


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each string of a module but docstrings; {} for what an f-string puts in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr):
                skipped.add(id(statement.value))
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def rust_strings(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of the strings of a source file, before its tests."""
    source, _, _ = path.read_text(encoding="utf-8").partition("#[cfg(test)]")
    source = "\n".join(
        "" if line.lstrip().startswith("//") else line for line in source.split("\n")
    )
    for found in re.finditer(r'"((?:\\.|[^"\\])*)"', source, flags=re.DOTALL):
        text = re.sub(r"\\\n\s*", "", found[1])
        if " " in text:
            yield source.count("\n", 0, found.start()) + 1, text


def habits(path: Path, texts: Iterable[tuple[int, str]]) -> list[str]:
    """Each forbidden phrase with its place and what to write instead."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {text[max(0, m.start() - 40) : m.end() + 30]!r}: {words}"
        for line, text in texts
        for pattern, words in INSTEAD.items()
        for m in re.finditer(pattern, text)
    ]


@pytest.mark.parametrize("kind", ["pages", "package", "crates"])
def test_no_reader_meets_them(kind: str) -> None:
    found: list[str] = []
    if kind == "pages":
        for path in pages():
            lines = path.read_text(encoding="utf-8").split("\n")
            found += habits(path, enumerate(lines, 1))
    elif kind == "package":
        for path in PACKAGE.rglob("*.py"):
            if path.name != "generated.py":
                found += habits(path, strings(path))
    else:
        for path in (ROOT / "crates").glob("*/src/**/*.rs"):
            if "tests" in path.relative_to(ROOT).parts:
                continue
            found += habits(path, rust_strings(path))
    assert found == [], "\n".join(found)


def test_a_blank_stands_before_every_percent_sign() -> None:
    """ "90% of it under load" stood over "2 % better"."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if "%}" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None
        if ast.unparse(node.format_spec).rstrip("'\"").endswith("%")
    ]
    assert found == []
