"""Data flows one way: a module imports its own layer, the ones before it, and shared types."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "fsgauge"

# What each part of the package may import of the package, beside itself. A part is a folder or file
# of the package, except inside kinds/, where each file belongs to the layer that asks for it, and
# inside rig/host/, whose folders lie below storage, systems and servers, and its files above them.
TYPES = {"errors", "quantities", "units", "wire", "kinds", "steady_window"}
STUDY = TYPES | {"preconditioning", "machine", "parts", "record", "factors", "study", "access.keys"}
STUDY |= {"strikes"}
MACHINE = TYPES | {"preconditioning", "machine", "record", "run_token", "plain_files", "programs"}
STATS = TYPES | {
    "preconditioning",
    "machine",
    "merging",
    "record",
    "private_server",
    "factors",
    "series",
    "starts",
    "traffic",
    "strikes",
    "under_load",
    "plan.power",
    "run_token",
    "scan",
    "conditions",
    "durability",
}
STATS |= {"kinds.disk", "kinds.change", "kinds.predicting"}
MAY_IMPORT: dict[str, set[str]] = {
    "escaping": set(),
    "errors": {"escaping"},
    "ordinary_causes": {"errors"},
    "streams": {"escaping"},
    "drawing": {"escaping", "programs"},
    "quantities": {"errors"},
    "units": {"errors", "quantities"},
    "kinds": set(),
    "devices": {"errors", "quantities", "units"},
    "kinds.disk": {"devices"},
    "kinds.predicting": TYPES | {"kinds.disk", "engine"},
    "kinds.change": STUDY | {"kinds.disk"},
    "run_token": set(),
    "durability": set(),
    "plain_files": {"errors", "units", "interruption"},
    "programs": {"errors"},
    "wire": {"quantities"},
    "series": {"wire"},
    "steady_window": set(),
    "preconditioning": set(),
    "machine": {"preconditioning"},
    "parts": {"wire"},
    "starts": set(),
    "merging": {"wire", "series", "parts"},
    "strikes": {"units"},
    "traffic": set(),
    "private_server": set(),
    "record": {
        "wire",
        "machine",
        "parts",
        "merging",
        "preconditioning",
        "starts",
        "strikes",
        "traffic",
        "private_server",
    },
    "under_load": {"wire", "record"},
    "conditions": TYPES | {"machine", "record", "run_token"},
    "factors": TYPES | {"record"},
    "interruption": {"errors"},
    "study": STUDY | {"kinds.disk", "devices"},
    "access": set(),
    "access.keys": STUDY,
    "access.words": STUDY,
    "workload": STUDY | {"access.words"},
    "plan.power": TYPES,
    "plan": STUDY | {"workload", "plan.power", "access.words", "durability"},
    "rig.host.machine": MACHINE,
    "storage": STUDY | {"rig.host.machine"},
    "system": STUDY | {"rig.host.machine"},
    "access.server": STUDY | {"rig.host.machine", "programs", "private_server"},
    "rig": STUDY
    | {"workload", "plan", "rig.host.machine", "storage", "system", "access.server"}
    | {"programs", "engine", "starts", "traffic", "interruption", "plain_files", "hands"},
    "hands": TYPES | {"programs"},
    "lease": TYPES,
    "engine_process": {"errors"},
    "engine": TYPES | {"programs", "lease", "engine_process"},
    "store": TYPES | {"parts", "record", "factors", "series", "plain_files", "interruption"},
    "stats": STATS,
    "published.trial": set(),
    "published.ledger": TYPES | {"published.trial"},
    "published": STATS | {"published.trial", "published.ledger", "study", "store", "stats"},
    "report": STATS
    | {
        "store",
        "stats",
        "pages",
        "plain_files",
        "drawing",
        "escaping",
        "published.trial",
        "published.ledger",
        "published",
    },
    "scan": TYPES | {"plain_files", "escaping"},
    "pages": TYPES,
    "crosscheck": STUDY
    | {"workload", "plan", "rig.host.machine", "rig", "engine", "store", "stats", "plain_files"},
    "age": STUDY
    | {"interruption", "rig.host.machine", "storage", "system", "rig", "engine"}
    | {"store", "scan", "plain_files", "escaping"},
    "terminal": set(),
    "progress": STUDY | {"scan", "under_load", "stats", "terminal", "escaping", "streams"},
    "chromium": {"errors", "programs", "rig.host.machine"},
    "bisect": STATS | {"stats", "report"},
    "coherence": STUDY | {"hands", "rig", "report"},
    "failure": STUDY | {"hands", "rig", "report"},
    "sweep": STATS | {"study", "stats", "report", "plain_files", "programs", "interruption"},
}
OF_KINDS = {
    "keys": "study",
    "cells": "study",
    "factors": "factors",
    "disk_keys": "study",
    "disk_change": "kinds.change",
    "allocating": "study",
    "mix": "study",
    "disk": "kinds.disk",
    "predicting": "kinds.predicting",
    "analysis": "stats",
    "page": "report",
    "published": "report",
    "observed": "published",
    "tests": "factors",
}
"""The layer of each file and folder of a kind; of all others, that of its method."""
MADE = "wire/generated.py"
"""scripts/wire makes it; it is as long as the contract."""
EVERYTHING = {"run", "cli", "__main__", "__init__"}


def part_of(path: Path) -> str:
    return part_of_module(list(path.relative_to(PACKAGE).with_suffix("").parts))


def part_of_module(names: list[str]) -> str:
    """The part that a module below `fsgauge` belongs to."""
    names = [name for name in names if name != "__init__"]
    if names[:1] == ["kinds"] and len(names) > 2:
        return OF_KINDS.get(names[2], "workload")
    if names[:1] == ["kinds"]:
        return "kinds"
    if (
        names[:2] == ["rig", "host"]
        and (PACKAGE / "rig" / "host" / (names[2:] or ["."])[0]).is_dir()
    ):
        return "rig.host.machine" if len(names) > 2 else "rig"
    for length in (2, 1):
        if (part := ".".join(names[:length])) in MAY_IMPORT:
            return part
    return names[0] if names else "__init__"


def imports_of(path: Path) -> set[str]:
    """Parts of `fsgauge` that a file imports, at its top or inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
            if node.module in ("fsgauge", "fsgauge.plan", "fsgauge.access", "fsgauge.kinds"):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {
            part_of_module(name.split(".")[1:]) for name in names if name.startswith("fsgauge.")
        }
    return found


def test_no_kind_imports_another() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {other}"
        for path in files()
        if (kind := kind_of(path.relative_to(PACKAGE).parts)) is not None
        for other in kinds_imported_by(path) - {kind}
    ]
    assert wrong == []


def test_nothing_outside_a_kind_imports_it() -> None:
    """What a kind declares is found through its folder (fsgauge.kinds), by whoever asks for it."""
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {', '.join(found)}"
        for path in files()
        if kind_of(path.relative_to(PACKAGE).parts) is None
        if (found := kinds_imported_by(path))
    ]
    assert wrong == []


def test_only_the_registry_knows_the_host_rig() -> None:
    """Nothing outside asks which rig it is: it has one by name, and describe() and block()."""
    own = "rig|session|systems|turn|turn_steps|work|prepared"
    inside = re.compile(rf"fsgauge\.rig\.host\.({own})\b")
    found = {
        str(path.relative_to(PACKAGE))
        for path in files()
        if path.parent != PACKAGE / "rig" / "host"
        if inside.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"rig/registry.py"}


def kind_of(parts: tuple[str, ...]) -> str | None:
    return parts[1] if parts[0] == "kinds" and len(parts) > 2 else None


def kinds_imported_by(path: Path) -> set[str]:
    found = re.findall(r"fsgauge\.kinds\.(\w+)", path.read_text(encoding="utf-8"))
    return {name for name in found if (PACKAGE / "kinds" / name).is_dir()}


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
