"""Whoever is refused, and whoever's machine failed, is told why, if it is not plain, and what to do
next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "python" / "fsgauge"
ROOT = "FsgaugeError"
SIGNALS = {"Interrupted"}
"""What the user ends has no next command: whoever was interrupted knows it, or adds it."""


def _is_said(value: ast.expr) -> bool:
    """Whether an expression can be a text that is not empty."""
    return not (isinstance(value, ast.Constant) and not value.value)


def _hands_on(node: ast.ClassDef) -> bool:
    """Whether a class gives its errors a next command: one for all, or by its own __init__, which
    is seen in what it calls."""
    usual = any(
        isinstance(each, ast.Assign)
        and any(isinstance(to, ast.Name) and to.id == "usual_next" for to in each.targets)
        and _is_said(each.value)
        for each in node.body
    )
    own = (each for each in node.body if isinstance(each, ast.FunctionDef))
    calls = (
        call
        for each in own
        if each.name == "__init__"
        for call in ast.walk(each)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__"
    )
    return usual or any(
        word.arg == "next" and _is_said(word.value) for call in calls for word in call.keywords
    )


def families(trees: list[ast.Module]) -> tuple[set[str], set[str]]:
    """The names of all errors a user can meet, and of those that bring a next command."""
    classes = {
        node.name: node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    parents = {
        name: [each.id for each in node.bases if isinstance(each, ast.Name)]
        for name, node in classes.items()
    }

    def among(name: str, wanted: set[str]) -> bool:
        above = parents.get(name, [])
        return name in wanted or any(among(each, wanted) for each in above)

    errors = {name for name in classes if among(name, {ROOT}) and not among(name, SIGNALS)}
    bring = {name for name in errors - {ROOT} if _hands_on(classes[name])}
    return errors, {name for name in errors if among(name, bring)}


def without_next(tree: ast.Module, errors: set[str], bring: set[str]) -> Iterator[int]:
    """Lines on which an error is made without `next`; one that gets all its words passed on has
    them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        if name not in errors - bring:
            continue
        words = {each.arg: each.value for each in node.keywords}
        if None not in words and not ("next" in words and _is_said(words["next"])):
            yield node.lineno


@cache
def package() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCES.rglob("*.py"))}


CLASS_OF_ERRORS = re.compile(r"^ *class .*Error", re.MULTILINE)


@cache
def of_errors() -> list[ast.Module]:
    """Where the classes of errors are, which is all that a tree of them is made of."""
    texts = (path.read_text("utf-8") for path in sorted(SOURCES.rglob("*.py")))
    return [ast.parse(text) for text in texts if CLASS_OF_ERRORS.search(text)]


def found_in(text: str) -> list[int]:
    tree = ast.parse(text)
    return list(without_next(tree, *families([*of_errors(), tree])))


def test_it_is_found() -> None:
    for kind in ("InputError", "RefusedError", "RigError", "FsgaugeError", "NotReadyError"):
        assert found_in(f"raise {kind}('x', cause='y')") == [1], kind
        assert found_in(f"raise {kind}('x', next='')") == [1], kind
        assert found_in(f"raise errors.{kind}('x')") == [1], kind
        assert not found_in(f"raise {kind}('x', next=y)")
        assert not found_in(f"raise {kind}('x', **words)")
    assert not found_in("raise NodeLostError('x')"), "the class brings it"
    assert not found_in("raise Interrupted('x')")


def test_a_class_of_its_own_hides_nothing() -> None:
    new = "class New(RigError):\n    {}\nraise New('x')"
    assert found_in(new.format("usual_next = ''")) == [3]
    assert found_in(new.format("def __init__(self, what): super().__init__(what)")) == [3]
    assert not found_in(new.format("usual_next = 'fsgauge doctor'"))
    assert not found_in(new.format("def __init__(self, w): super().__init__(w, next='y')"))


def test_no_error_is_without_a_next_command() -> None:
    trees = package()
    errors, bring = families([*trees.values()])
    assert {"RigError", "InputError", "NodeLostError", "HostLostError"} <= errors
    assert (errors, bring) == families(of_errors())
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path, tree in trees.items()
        for line in without_next(tree, errors, bring)
    ]
    assert found == []


SYMPTOM = re.compile(
    r"\b(?:cannot|could not|failed|do(?:es)? not|did not|refused|vanished|is damaged|gave no"
    r"|is not (?:a|the) [a-z]+$)\b|\{error"
)
"""What went wrong, as it is seen."""
REASON = re.compile(r"(?:, (?:so|and|which|where)\b|: (?!\{error|\{answer|\{reason|\{words))")
"""A clause that says why, or what the rule is."""


def without_cause(tree: ast.Module, errors: set[str]) -> Iterator[int]:
    """Lines on which an error is made of a symptom alone: no reason in its words, no place in a
    file that shows it, no `cause`."""
    for node in ast.walk(tree):
        name = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or name not in errors or not node.args:
            continue
        words = {each.arg for each in node.keywords}
        said = ast.unparse(node.args[0]).replace("\\n", " ").strip("f\"'")
        if words & {None, "cause", "location"}:
            continue
        if SYMPTOM.search(said) and not REASON.search(said):
            yield node.lineno


def test_a_symptom_without_a_cause_is_seen() -> None:
    errors = {"RigError"}
    for said in ("f'{x} cannot be opened: {error.strerror}'", "'mkfs failed'", "f'{x}: {error}'"):
        assert list(without_cause(ast.parse(f"RigError({said}, next='y')"), errors)) == [1], said
        assert not list(without_cause(ast.parse(f"RigError({said}, cause='y')"), errors))
    for said in ("'x failed, so it is left alone'", "'no folder x'", "'x cannot be set: no root'"):
        assert not list(without_cause(ast.parse(f"RigError({said}, next='y')"), errors)), said


def test_every_symptom_has_its_likely_cause() -> None:
    trees = package()
    errors, _ = families([*trees.values()])
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path, tree in trees.items()
        for line in without_cause(tree, errors)
    ]
    assert found == []
