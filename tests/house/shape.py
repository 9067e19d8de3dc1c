"""The shape of the package: its floors, who imports whom, and what that comes to in numbers.

`scripts/house` prints the numbers; test_floors.py holds what must be true.
"""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "fsgauge"
DOCS = ROOT / "docs"

FLOORS = (
    "cli",
    "run",
    "report",
    "published",
    "stats",
    "rig",
    "system",
    "machine",
    "plan",
    "study",
    "store",
    "record",
    "engine",
    "ground",
)
"""From the top down: a file imports from its own floor and from those below it."""
ALSO_ON = {
    "cli": ("__main__", "chromium", "pages"),
    "run": (
        "age",
        "bisect",
        "choosing",
        "coherence",
        "converting",
        "crosscheck",
        "failure",
        "importing",
        "progress",
        "sweep",
    ),
    "stats": ("scan",),
    "rig": ("agents",),
    "system": ("access", "storage"),
    "plan": ("workload",),
    "study": ("devices", "durability"),
    "engine": ("plain_files", "programs"),
    "ground": ("__init__", "distributions", "errors", "exit_codes", "kinds", "quantities", "units"),
}
"""Folders and files of the package that stand on the floor of another one."""
OF_KINDS = {
    "peers": "run",
    "page": "report",
    "published": "published",
    "analysis": "stats",
    "keys": "study",
    "group": "study",
    "group_keys": "study",
    "shares": "study",
    "factors": "record",
    "tests": "record",
    "fields": "study",
    "disk": "study",
    "predicting": "study",
}
"""The floor of each file and folder of a kind; that of all others is `plan`, of its method."""
LOOSE = {"__init__", "__main__", "distributions", "errors", "exit_codes", "quantities", "units"}
"""Modules that may stand in the package's own folder."""


def modules() -> dict[str, Path]:
    """Dotted names below `fsgauge`, "" for the package itself, and their files."""
    return {_name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def floor_of(module: str) -> str:
    """The floor that a module stands on; KeyError for a folder that has none."""
    names = module.split(".") if module else ["__init__"]
    if names[0] == "kinds" and len(names) > 2:
        return OF_KINDS.get(names[2], "plan")
    return _floors()[names[0]]


def imports() -> dict[str, set[str]]:
    """Of each module those it imports, at its top or inside functions, for types alone too."""
    known = modules()
    return {name: set(_imported_by(path, known)) - {name} for name, path in known.items()}


def climbs(graph: Mapping[str, set[str]]) -> list[str]:
    """Imports of a module that stands on a higher floor."""
    return [
        f"{name} ({floor_of(name)}) imports {other} ({floor_of(other)})"
        for name, others in graph.items()
        for other in sorted(others)
        if other and FLOORS.index(floor_of(other)) < FLOORS.index(floor_of(name))
    ]


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import one another (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def of_one_importer(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules that one other module imports, and that one is in the same folder."""
    importers: dict[str, list[str]] = {}
    for name, others in graph.items():
        for other in others:
            importers.setdefault(other, []).append(name)
    return sorted(
        name
        for name, users in importers.items()
        if len(users) == 1 and users[0].rpartition(".")[0] == name.rpartition(".")[0]
    )


def line_counts() -> list[int]:
    """Lines of each file of the package."""
    return [len(path.read_text(encoding="utf-8").splitlines()) for path in modules().values()]


def words_of_docs() -> dict[str, int]:
    """Words of the user's pages: generated reference, ledgers and evidence are left out."""
    apart = ("reference", "published", "evidence")
    pages = [
        path
        for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
        if path.relative_to(ROOT).parts[1:2] not in [(each,) for each in apart]
        and path != DOCS / "published.md"
    ]
    return {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").split()) for path in pages
    }


def lines() -> Iterator[str]:
    """What `scripts/house` prints."""
    counts, graph, words = line_counts(), imports(), words_of_docs()
    yield f"python/fsgauge     {sum(counts):,} lines in {len(counts)} files"
    yield f"median file        {statistics.median(counts):.0f} lines; {max(counts)} at most"
    yield f"floors             {len(FLOORS)}"
    yield f"circles            {len(circles(graph))}"
    yield f"climbs             {len(climbs(graph))}"
    yield f"of one neighbour   {len(of_one_importer(graph))} files"
    yield f"words of docs      {sum(words.values()):,} in {len(words)} pages"
    guides = {name: count for name, count in words.items() if "/guides/" in name}
    if guides:
        longest = max(guides, key=lambda name: guides[name])
        yield f"longest guide      {longest}, {guides[longest]:,} words"
    for taken in sorted((ROOT / "target").glob("minutes-test*")):
        target = taken.name.removeprefix("minutes-")
        yield f"make {target:<14}{taken.read_text().strip()} minutes when it last ran"


@cache
def _floors() -> dict[str, str]:
    own = {floor: floor for floor in FLOORS}
    return own | {name: floor for floor, names in ALSO_ON.items() for name in names}


def _name_of(path: Path) -> str:
    names = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def _imported_by(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and re.match(r"fsgauge(\.|$)", node.module or ""):
            above = (node.module or "").removeprefix("fsgauge").removeprefix(".")
            for alias in node.names:
                whole = f"{above}.{alias.name}".removeprefix(".")
                yield whole if whole in known else above
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("fsgauge."):
                    yield alias.name.removeprefix("fsgauge.")


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Those below a node at any depth, without the expressions in them."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, name, ()):
            yield each
            yield from _statements(each)
