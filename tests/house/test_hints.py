"""No hint names a command, an option or a key that is not there.

Every text behind `next=` in the package is read, the advice of every finding, and every text that
begins with a command of fsgauge.
What commands print while the other tests run is held to the same (tests/commands.py).
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fsgauge.cli import group
from tests import hints
from tests.house.shape import PACKAGE, ROOT

CRATES = PACKAGE.parents[1] / "crates"
PLACEHOLDER = "X"


def texts(node: ast.AST) -> Iterator[str]:
    """The texts that an expression can be, each with X for what is put in."""
    if isinstance(node, ast.Constant):
        yield from [node.value] if isinstance(node.value, str) else []
    elif isinstance(node, ast.JoinedStr):
        parts = (
            each.value if isinstance(each, ast.Constant) else PLACEHOLDER for each in node.values
        )
        yield "".join(map(str, parts))
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                yield from texts(each.value)
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.Call):
        for each in [*node.args, *(keyword.value for keyword in node.keywords)]:
            yield from texts(each)
    else:
        for each in ast.iter_child_nodes(node):
            yield from texts(each)


def docstrings(tree: ast.AST) -> set[int]:
    """The lines on which texts stand that nobody prints."""
    alone = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return {each.lineno for each in alone if isinstance(each, ast.Constant)}


def _is_finding(node: ast.Call) -> bool:
    """Whether it is finding(code, level, sentence, advice, ...)."""
    return isinstance(node.func, ast.Name) and node.func.id == "finding" and len(node.args) > 3


def said() -> dict[str, list[tuple[int, str]]]:
    """Every hint of a file, with its line: what is behind `next`, and what names a command."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        silent = docstrings(tree)
        name = str(path.relative_to(PACKAGE))
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "next":
                found.setdefault(name, []).extend((node.value.lineno, t) for t in texts(node.value))
            elif isinstance(node, ast.Call) and _is_finding(node):
                found.setdefault(name, []).extend((node.lineno, t) for t in texts(node.args[3]))
            elif isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Attribute) and target.attr == "next"
                for target in node.targets
            ):
                found.setdefault(name, []).extend((node.lineno, t) for t in texts(node.value))
            elif isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno not in silent:
                commands = [t for t in texts(node) if t.startswith(("fsgauge ", "sudo fsgauge "))]
                found.setdefault(name, []).extend((node.lineno, t) for t in commands)
    return found


def test_every_hint_of_the_lab_names_what_is_there() -> None:
    hints_said = said()
    assert sum(map(len, hints_said.values())) > 500, "the hints of the package are not found"
    wrong = [
        f"{file}:{line}: {', '.join(found)}: {text}"
        for file, each in hints_said.items()
        for line, text in each
        if (found := hints.broken(text))
    ]
    assert wrong == []


def test_every_hint_of_the_engine_names_what_is_there() -> None:
    wrong = [
        f"{path.relative_to(CRATES)}: {', '.join(found)}: {text}"
        for path in sorted(CRATES.rglob("*.rs"))
        for text in re.findall(
            r'"((?:[^"\\]|\\.)*\bfsgauge [a-z](?:[^"\\]|\\.)*)"', path.read_text()
        )
        if (found := hints.broken(text))
    ]
    assert wrong == []


BEFORE_A_PATH = re.compile(
    r"(?:fsgauge (?:age|compare|plan|report|resume|run|scan|study from-fio)"
    r"|--(?:copy-of|file|results|target|watch)|\b(?:ls|rm)(?: -\w+)?|\bchmod \d+|\bd[fu] -\w+"
    r"|\b(?:mkdir -p|mkdir|wc|realpath|tail|umount)|\biconv -f \S+ -t \S+) $"
)
NOT_PATHS = ("able[0]", "near[0]", "devices[0]", "KVM")


def test_every_path_in_a_hint_is_quoted() -> None:
    """`fsgauge report my results` names two folders."""
    bare = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(value)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.JoinedStr)
        for before, value in itertools.pairwise(node.values)
        if isinstance(before, ast.Constant)
        and isinstance(value, ast.FormattedValue)
        and BEFORE_A_PATH.search(str(before.value))
        and "quote" not in (said := ast.unparse(value.value))
        and said not in NOT_PATHS
    ]
    assert bare == []


EXPLAIN = re.compile(r"\bfsgauge explain ((?:[\w.+=/%-]|\{[^}]*\})+)")


def test_whatever_a_hint_or_a_page_asks_to_be_explained_is() -> None:
    """`next: fsgauge explain X` that answers: no word is called X."""
    written = [text for each in said().values() for _, text in each]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PACKAGE.rglob("*.md")]
    tables = [PACKAGE / "pages" / "glossary.toml", PACKAGE / "study" / "other_tools.toml"]
    written += [page.read_text("utf-8") for page in (*pages, *tables)]
    names = {name.rstrip(".,") for text in written for name in EXPLAIN.findall(text)}
    plain = sorted(name for name in names if not {"{", PLACEHOLDER} & {*name} and name.islower())
    assert len(plain) > 60
    unknown = []
    for name in plain:
        done = CliRunner().invoke(group, ["explain", name], standalone_mode=False)
        unknown += [name] if done.exception is not None else []
    assert unknown == []


@pytest.mark.parametrize(
    ("hint", "wrong"),
    [
        ("fsgauge resume DIR", []),
        ("fsgauge rig build, then fsgauge rig test nfs4", []),
        ("fsgauge doctor --systems lists what can be compared here; --rig vm brings a kernel", []),
        ("--set storage.size=64MiB, or --without xfs", []),
        ("apt-get install --yes fio", []),
        ("fsgauge resum DIR", ["no command resum"]),
        ("fsgauge rig make", ["no command rig make"]),
        ("fsgauge report DIR --sheets", ["no option --sheets"]),
        ("--sett workload.fill=1", ["no option --sett"]),
        ("--set workload.filll=1", ["no key workload.filll"]),
    ],
)
def test_what_is_not_there_is_seen(hint: str, wrong: list[str]) -> None:
    assert hints.broken(hint) == wrong
