"""No file outside kinds/ names a kind of study: what a kind declares is asked of its parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge import kinds
from tests.house.shape import PACKAGE

PARTS = {
    "keys": "KEYS",
    "factors": "FACTORS",
    "method": "METHOD",
    "analysis": "ANALYSIS",
    "page": "PAGE",
}
WORD_FOR_TYPED = (
    "cli/__init__.py",
    "cli/asked_program.py",
    "converting/command_line.py",
    "importing/elbencho.py",
    "record/command.py",
    "report/disclosure.py",
    "report/page.py",
    "rig/fleet/gathered.py",
    "rig/fleet/launcher/kubernetes.py",
    "rig/vm/lending.py",
    "store/views.py",
)
ALLOWED = {
    # Profiles of the op log, by the names that `fsgauge age` takes: two are called like kinds.
    "age/profile.py": {"churn", "connections"},
    "cli/age.py": {"churn", "connections"},
    "engine/wire/generated.py": {"churn", "connections", "mix"},
    # What a load of any kind does that makes each write durable.
    "choosing/options.py": {"commits"},
    "stats/asked_number.py": {"commits"},
    # A phase of clients.
    "stats/client_errors.py": {"mix"},
    "stats/idle_workers.py": {"mix"},
    "stats/lost_data.py": {"mix"},
    "stats/metrics.py": {"mix"},
    "stats/steadiness.py": {"mix"},
    # What is stored beside data: a level of the free space map, keys of objects and of charts.
    "report/scan/map.py": {"metadata"},
    "rig/fleet/added_up.py": {"metadata"},
    # The word for what is typed or started.
    **{name: {"command"} for name in WORD_FOR_TYPED},
    # Kubernetes has both words for its own things.
    "rig/fleet/launcher/kubernetes.py": {"command", "metadata"},
    # A number of a disk: the time of each positioning besides seek and wait.
    "devices/limits.py": {"overhead"},
}
"""Words that are no kind where they stand."""


def class_names() -> Iterator[str]:
    """The classes that kinds declare. One that a kind takes from the layer itself is no kind's."""
    for kind in kinds.names():
        for part, name in PARTS.items():
            found = getattr(kinds.part(kind, part), name)
            found = found if isinstance(found, type) else type(found)
            if found.__module__.startswith(f"{kinds.__name__}."):
                yield found.__name__


def docstrings(tree: ast.AST) -> set[int]:
    """Ids of the constants that stand alone as a statement."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def named_in(code: str, words: set[str]) -> Iterator[tuple[int, str]]:
    """Line and word of each kind that a file names."""
    tree = ast.parse(code)
    spared = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in spared:
            if isinstance(node.value, str) and node.value in words:
                yield node.lineno, node.value
        elif isinstance(node, ast.Name) and node.id in words - set(kinds.names()):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and node.attr in words - set(kinds.names()):
            yield node.lineno, node.attr


def asked_in(code: str) -> Iterator[tuple[int, str]]:
    """Line and text of each question which kind a workload is, or which class."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asks = any(_is_of_workload(side, "kind") for side in sides)
        elif isinstance(node, ast.Match):
            asks = _is_of_workload(node.subject, "kind") or _is_workload(node.subject)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asks = node.func.id == "isinstance" and _is_workload(node.args[0])
        else:
            continue
        if asks:
            yield node.lineno, ast.unparse(node).splitlines()[0]


def _is_of_workload(node: ast.expr, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute and _is_workload(node.value)


def _is_workload(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "workload") or (
        isinstance(node, ast.Attribute) and node.attr == "workload"
    )


def outside(pattern: str) -> Iterator[tuple[str, str]]:
    """Name and text of each file of the package that is no kind's."""
    for path in sorted(PACKAGE.rglob(pattern)):
        name = path.relative_to(PACKAGE)
        if name.parts[0] != "kinds":
            yield str(name), Path(path).read_text(encoding="utf-8")


def test_no_file_outside_names_a_kind() -> None:
    words = {*kinds.names(), *class_names()}
    wrong = [
        f"{name}:{line} names {word}"
        for name, code in outside("*.py")
        for line, word in named_in(code, words)
        if word not in ALLOWED.get(name, set())
    ]
    assert wrong == []


def test_no_file_outside_asks_which_kind_it_is() -> None:
    wrong = [
        f"{name}:{line} {text}" for name, code in outside("*.py") for line, text in asked_in(code)
    ]
    assert wrong == []


def test_no_template_outside_names_a_kind() -> None:
    word = re.compile(rf"""(["'])({"|".join(kinds.names())})\1""")
    wrong = [
        f"{name} names {found[2]}"
        for name, text in outside("*.j2")
        for found in word.finditer(text)
    ]
    assert wrong == []


def test_each_exception_is_still_needed() -> None:
    words = set(kinds.names())
    found = {name: {word for _, word in named_in(code, words)} for name, code in outside("*.py")}
    assert {name: words for name, words in found.items() if words} == ALLOWED


@pytest.mark.parametrize(
    "code",
    [
        'if name == "aging": pass',
        "if name in ('churn', 'x'): pass",
        '"""A docstring."""\nkind = "overhead"',
        "found: WritersWorkload",
        "keys.ChurnMethod()",
    ],
)
def test_a_file_that_names_one_is_found(code: str) -> None:
    assert len(list(named_in(code, {*kinds.names(), *class_names()}))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "study.workload.kind == kind",
        "isinstance(study.workload, Any)",
        "match workload:\n    case _: pass",
    ],
)
def test_a_file_that_asks_which_it_is_is_found(code: str) -> None:
    assert len(list(asked_in(code))) == 1


def test_docstrings_may_name_them() -> None:
    assert list(named_in('"""aging"""\nx = 1\n"""churn"""', set(kinds.names()))) == []
