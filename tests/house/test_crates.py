"""The engine's crates see those below them alone, and no module of a crate leads back to itself.

Imports are read from the sources: `use` trees, and paths that begin with `crate`, `super` or a
child's name. A name that a folder passes on (`pub use`) counts as the module that has it. What the
tests in a file import is left out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[2] / "crates"

# What each crate may use of the others, outside its tests.
MAY_USE: dict[str, set[str]] = {
    "fsgauge-wire": set(),
    "fsgauge-door": set(),
    "fsgauge-net": {"fsgauge-wire"},
    "fsgauge-scan": {"fsgauge-wire", "fsgauge-door"},
    "fsgauge-clock": {"fsgauge-wire"},
    "fsgauge-alloc": {"fsgauge-wire", "fsgauge-clock", "fsgauge-door"},
    "fsgauge-load": {"fsgauge-wire", "fsgauge-net", "fsgauge-clock", "fsgauge-door"},
    "fsgauge-clients": {
        "fsgauge-wire",
        "fsgauge-net",
        "fsgauge-clock",
        "fsgauge-door",
        "fsgauge-load",
    },
    "fsgauge-device": {"fsgauge-wire"},
    "fsgauge-simulate": {
        "fsgauge-wire",
        "fsgauge-alloc",
        "fsgauge-clients",
        "fsgauge-device",
        "fsgauge-scan",
    },
    "fsgauge-engine": {
        "fsgauge-wire",
        "fsgauge-simulate",
        "fsgauge-scan",
        "fsgauge-clock",
        "fsgauge-door",
        "fsgauge-alloc",
        "fsgauge-load",
        "fsgauge-clients",
    },
}
# Types of jobs and results name one another, through the root that names them all.
TYPES_ALONE = "fsgauge-wire"

USE = re.compile(r"^[ \t]*(?P<public>pub(?:\([^)]*\))?\s+)?use\s+(?P<tree>[^;]+);", re.MULTILINE)
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")
COMMENT = re.compile(r"//[^\n]*")

Module = tuple[str, ...]
Edges = dict[Module, set[Module]]


@dataclass(frozen=True)
class Use:
    """One name that a file imports; `is_passed_on` where others may take it from there."""

    path: tuple[str, ...]
    is_passed_on: bool


def leaves(tree: str) -> Iterator[str]:
    """Every path of a `use` tree, without what it is renamed to."""
    before, brace, rest = tree.strip().partition("{")
    if not brace:
        yield before.split(" as ")[0].strip()
        return
    depth, begin = 0, 0
    inside = rest[: rest.rindex("}")] + ","
    for at, sign in enumerate(inside):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            if part := inside[begin:at].strip():
                yield from (before.strip() + leaf for leaf in leaves(part))
            begin = at + 1


def uses_of(source: str) -> list[Use]:
    """What a file imports, and what it names by a path in its code."""
    text = COMMENT.sub("", source).split("#[cfg(test)]\nmod tests {")[0]
    found = [
        Use(tuple(leaf.split("::")), use["public"] is not None)
        for use in USE.finditer(text)
        for leaf in leaves(use["tree"])
    ]
    code = USE.sub("", text)
    return found + [Use(tuple(path[0].split("::")), False) for path in PATH.finditer(code)]


class Crate:
    """The modules of a crate, and which of them use which."""

    def __init__(self, sources: Path) -> None:
        files = {self._module(path.relative_to(sources)): path for path in sources.rglob("*.rs")}
        self.modules = {module for module in files if "tests" not in module}
        self._uses = {
            module: uses_of(files[module].read_text(encoding="utf-8")) for module in self.modules
        }
        self._passed_on = {
            (module, place[1]): place[0]
            for module, uses in self._uses.items()
            for use in uses
            if use.is_passed_on and (place := self._place(module, use.path)) and place[1]
        }

    @staticmethod
    def _module(path: Path) -> Module:
        parts = path.with_suffix("").parts
        return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts

    def _place(self, module: Module, path: tuple[str, ...]) -> tuple[Module, str] | None:
        """The module that a path leads to and the name it has there; none outside the crate."""
        first, *rest = path
        if first == "crate":
            at: Module = ()
        elif first in ("super", "self"):
            at, rest = module, list(path)
            while rest and rest[0] in ("super", "self"):
                at = at[:-1] if rest.pop(0) == "super" else at
        elif (*module, first) in self.modules:
            at, rest = module, list(path)
        else:
            return None
        while rest and (*at, rest[0]) in self.modules:
            at = (*at, rest.pop(0))
        return at, rest[0] if rest else ""

    def edges(self) -> Edges:
        """Of each module, the modules that it uses something of."""
        found: Edges = {}
        for module, uses in self._uses.items():
            for use in uses:
                if place := self._place(module, use.path):
                    at, name = place
                    while (at, name) in self._passed_on:
                        at = self._passed_on[at, name]
                    found.setdefault(module, set()).add(at)
        return found

    def circles(self) -> list[str]:
        """Circles among the modules of each folder, a file or a folder each."""
        edges, folders = self.edges(), {m[:depth] for m in self.modules for depth in range(len(m))}
        return [
            "/".join(folder) + ": " + " -> ".join(circle)
            for folder in sorted(folders)
            if (circle := first_circle(among(edges, folder)))
        ]


def among(edges: Edges, folder: Module) -> dict[str, set[str]]:
    """What the modules right below a folder use of each other."""
    depth, found = len(folder), dict[str, set[str]]()
    for module, used in edges.items():
        if len(module) > depth and module[:depth] == folder:
            below = {
                other[depth] for other in used if len(other) > depth and other[:depth] == folder
            }
            found.setdefault(module[depth], set()).update(below - {module[depth]})
    return found


def first_circle(graph: dict[str, set[str]]) -> list[str] | None:
    """A way from a node back to itself, if there is one."""
    done: set[str] = set()

    def walk(node: str, way: list[str]) -> list[str] | None:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return None
        for after in sorted(graph.get(node, ())):
            if circle := walk(after, [*way, node]):
                return circle
        done.add(node)
        return None

    return next((circle for node in sorted(graph) if (circle := walk(node, []))), None)


def own(names: Iterable[str]) -> set[str]:
    return {name for name in names if name.startswith("fsgauge-")}


@pytest.mark.parametrize("name", sorted(MAY_USE))
def test_crates_use_those_below_them_alone(name: str) -> None:
    manifest = tomllib.loads((CRATES / name / "Cargo.toml").read_text(encoding="utf-8"))
    assert own(manifest["dependencies"]) <= MAY_USE[name]


def test_every_crate_has_its_rule() -> None:
    assert {path.parent.name for path in CRATES.glob("*/Cargo.toml")} == MAY_USE.keys()


@pytest.mark.parametrize("name", sorted(MAY_USE.keys() - {TYPES_ALONE}))
def test_no_module_leads_back_to_itself(name: str) -> None:
    assert Crate(CRATES / name / "src").circles() == []


def test_a_circle_is_found_through_what_a_folder_passes_on(tmp_path: Path) -> None:
    (tmp_path / "low").mkdir()
    sources = {
        "lib.rs": "mod high;\nmod low;\n",
        "high.rs": "use crate::low::{Deep as Other, deep};\npub struct High;\n",
        "low/mod.rs": "mod deep;\npub use deep::Deep;\n// use crate::high::High;\n",
        "low/deep.rs": "pub struct Deep;\n#[cfg(test)]\nmod tests {\n    use crate::high;\n}\n",
    }
    for path, text in sources.items():
        (tmp_path / path).write_text(text)
    assert Crate(tmp_path).edges() == {("high",): {("low", "deep")}, ("low",): {("low", "deep")}}
    assert Crate(tmp_path).circles() == []
    (tmp_path / "low/deep.rs").write_text("pub struct Deep(super::super::high::High);\n")
    assert Crate(tmp_path).circles() == [": high -> low -> high"]


@pytest.mark.parametrize("crate", MAY_USE)
def test_every_file_of_tests_is_in_a_program(crate: str) -> None:
    """With `autotests = false` cargo finds none by itself."""
    manifest = tomllib.loads((CRATES / crate / "Cargo.toml").read_text())
    own = {each["name"] for each in manifest.get("test", [])}
    tests = CRATES / crate / "tests"
    if not own or "main" not in own:
        assert manifest["package"].get("autotests", True)
        return
    named = set(re.findall(r"^mod (\w+);", (tests / "main.rs").read_text(), re.MULTILINE))
    assert {path.stem for path in tests.glob("*.rs")} <= named | own
