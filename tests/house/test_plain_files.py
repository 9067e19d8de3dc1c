"""Records and reports are opened in one place, which follows no link: fsgauge.plain_files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "fsgauge"
PARTS = ("store", "report", "run", "stats", "scan")
TOUCHES = {
    *("open", "read_text", "write_text", "read_bytes", "write_bytes", "touch", "unlink"),
    *("mkdir", "makedirs", "glob", "rglob", "iterdir", "rename", "symlink_to", "hardlink_to"),
}
OF_THE_PACKAGE = {"files", "template"}
"""Calls that reach what fsgauge itself brings: importlib.resources."""


def reaches(call: ast.Call) -> str | None:
    """What a call does to a file by its path, if it does."""
    function = call.func
    if isinstance(function, ast.Name) and function.id == "open":
        return "open"
    if not isinstance(function, ast.Attribute) or function.attr not in TOUCHES:
        return None
    root: ast.expr = function.value
    names = {each.id for each in ast.walk(root) if isinstance(each, ast.Name)}
    return None if names & (OF_THE_PACKAGE | {"path"} & names) else function.attr


def wrong() -> Iterator[str]:
    for part in PARTS:
        for path in sorted((PACKAGE / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (what := reaches(node)):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno} calls {what}"


def test_records_and_reports_are_opened_in_one_place() -> None:
    assert list(wrong()) == []
