"""Imports go down the floors of shape.py, never in a circle; nothing outside a kind names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house import shape
from tests.house.shape import PACKAGE

MADE = "engine/wire/generated.py"
"""scripts/wire makes it; it is as long as the contract."""
FROM_RECORDS_ALONE = {"stats", "published", "report"}
MAKES_RECORDS = {"rig", "system", "machine", "engine"}


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return shape.imports()


def test_there_are_at_most_fourteen_floors_and_each_folder_has_one() -> None:
    assert len(shape.FLOORS) <= 14
    assert {shape.floor_of(name) for name in shape.modules()} == set(shape.FLOORS)


def test_no_import_climbs(graph: dict[str, set[str]]) -> None:
    assert shape.climbs(graph) == []


def test_no_modules_import_one_another(graph: dict[str, set[str]]) -> None:
    assert shape.circles(graph) == []


def test_a_circle_and_a_climb_are_seen() -> None:
    graph = {"cli": {"run"}, "run": {"stats.read"}, "stats.read": {"cli"}, "errors": {"cli"}}
    assert shape.circles(graph) == [["cli", "run", "stats.read"]]
    assert shape.climbs(graph) == [
        "stats.read (stats) imports cli (cli)",
        "errors (ground) imports cli (cli)",
    ]


def test_statistics_and_pages_need_records_alone(graph: dict[str, set[str]]) -> None:
    """They can be repeated years later: no root, no engine, no disk."""
    wrong = [
        f"{name} imports {other}"
        for name, others in graph.items()
        if shape.floor_of(name) in FROM_RECORDS_ALONE
        for other in others
        if other and other.partition(".")[0] not in ("plain_files", "programs")
        if not other.startswith("engine.wire") and shape.floor_of(other) in MAKES_RECORDS
    ]
    assert wrong == []


def test_no_loose_module_stands_beside_the_folders() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} <= shape.LOOSE


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


def test_only_rigs_know_the_host_rig() -> None:
    """Nothing outside asks which rig it is: it has one by name, and describe() and block()."""
    own = "rig|systems|turn|turn_steps"
    inside = re.compile(rf"fsgauge\.rig\.host\.({own})\b")
    found = {
        str(path.relative_to(PACKAGE))
        for path in files()
        if inside.search(path.read_text(encoding="utf-8"))
    }
    assert {name for name in found if not name.startswith("rig/")} == set()


def kind_of(parts: tuple[str, ...]) -> str | None:
    return parts[1] if parts[0] == "kinds" and len(parts) > 2 else None


def kinds_imported_by(path: Path) -> set[str]:
    found = re.findall(r"fsgauge\.kinds\.(\w+)", path.read_text(encoding="utf-8"))
    return {name for name in found if (PACKAGE / "kinds" / name).is_dir()}


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


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
