"""Data flows one way: a module imports its own layer, the ones before it, and shared types."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "fsgauge"

# What each part of the package may import of the package, beside itself.
TYPES = {"errors", "units", "wire"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "units": {"errors"},
    "own_names": set(),
    "plain_files": {"errors"},
    "child_environment": set(),
    "engine_binary": {"errors", "child_environment"},
    "disk": set(),
    "wire": set(),
    "series": {"wire"},
    "record": {"wire"},
    "pooling": TYPES | {"record", "own_names"},
    "interruption": {"errors"},
    "study": TYPES | {"record", "disk"},
    "workload": TYPES | {"record", "study"},
    "estimate": TYPES | {"record", "study", "workload"},
    "power": TYPES,
    "plan": TYPES | {"record", "study", "workload", "estimate", "power"},
    "preview": TYPES | {"record", "study", "workload", "estimate", "power", "plan"},
    "host": TYPES | {"record", "own_names", "plain_files", "child_environment", "engine_binary"},
    "storage": TYPES | {"record", "study", "host"},
    "system": TYPES | {"record", "study", "host"},
    "server": TYPES | {"record", "study", "host", "child_environment"},
    "rig": TYPES | {"record", "study", "workload", "plan", "host", "storage", "system", "server"},
    "engine": TYPES | {"engine_binary"},
    "store": TYPES | {"record", "series", "plain_files"},
    "stats": TYPES | {"record", "series", "power", "own_names", "scan", "disk"},
    "report": TYPES
    | {"record", "series", "store", "stats", "scan", "pages", "disk", "plain_files"},
    "scan": TYPES | {"plain_files"},
    "pages": TYPES,
    "crosscheck": TYPES
    | {"record", "study", "workload", "plan", "host", "rig", "engine", "store", "stats"}
    | {"plain_files"},
    "age": TYPES
    | {"interruption", "record", "study", "host", "storage", "system", "rig", "engine"}
    | {"store", "scan", "plain_files"},
    "progress": TYPES | {"record", "study", "scan"},
}
MADE = "wire/generated.py"
"""scripts/wire makes it; it is as long as the contract."""
EVERYTHING = {"run", "cli", "__main__", "__init__"}


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """First names below `fsgauge` that a file imports, at its top or inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
            if node.module == "fsgauge":
                names = [f"fsgauge.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("fsgauge.")}
    return found


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_every_part_has_its_rule() -> None:
    parts = {part_of(path) for path in files()}
    assert parts - EVERYTHING <= MAY_IMPORT.keys()


def test_imports_go_one_way() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in files()
        if (part := part_of(path)) not in EVERYTHING
        for name in imports_of(path) - {part, "__version__"} - MAY_IMPORT[part]
    ]
    assert wrong == []


def test_there_is_no_drawer_for_everything() -> None:
    names = {path.stem for path in PACKAGE.rglob("*")}
    assert not names & {"utils", "util", "helpers", "common", "misc"}


def test_no_file_grows_past_its_idea() -> None:
    long = {
        name: lines
        for path in files()
        if (name := str(path.relative_to(PACKAGE))) != MADE
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
