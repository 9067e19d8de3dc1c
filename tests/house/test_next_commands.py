"""Whoever is refused is told what to do next: no InputError is raised without that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "python" / "fsgauge"
REFUSALS = {"InputError", "RefusedError"}


def without_next(text: str) -> Iterator[int]:
    """Lines of refusals that are made without `next`; one that gets all its words passed on has
    them."""
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        words = {each.arg for each in node.keywords}
        if node.func.id in REFUSALS and not words & {"next", None}:
            yield node.lineno


def test_it_is_found() -> None:
    assert list(without_next("raise InputError('x', cause='y')")) == [1]
    assert not list(without_next("raise InputError('x', next='y')"))
    assert not list(without_next("raise InputError('x', **words)"))
    assert not list(without_next("raise RigError('x')")), "a fault of the machine may have none"


def test_no_refusal_is_without_a_next_command() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path in sorted(SOURCES.rglob("*.py"))
        for line in without_next(path.read_text(encoding="utf-8"))
    ]
    assert found == []
