"""The page about studies that root runs lists what is accepted, all of it and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from fsgauge.study.server_options import MODULES
from fsgauge.study.tunable_places import OF_A_DEVICE, PROC_SYS
from fsgauge.system import FileSystem, system_kinds
from fsgauge.system.kind import EVERY_MOUNT, Form

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "root-options.md"
KINDS = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]


def names(keys: Iterable[str]) -> str:
    """In the order of a dictionary, each in code."""
    ordered = sorted(keys, key=lambda key: (key.lstrip("-").lower(), key))
    return ", ".join(f"`{key}`" for key in ordered)


def mkfs_cell(kind: FileSystem) -> str:
    """Options of a command line, those that are lists with their keys."""
    parts = []
    for switch in sorted(kind.mkfs_options, key=lambda key: (key.lstrip("-").lower(), key)):
        takes = kind.mkfs_options[switch]
        keys = "" if isinstance(takes, Form) else f" ({names(takes)})"
        parts.append(f"`{switch}`{keys}")
    return ", ".join(parts)


def mount_cell(kind: FileSystem) -> str:
    """Options of mount that are the system's own."""
    return names(kind.mount_options)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_systems_row_is_its_list(kind: FileSystem) -> None:
    rows = [line.split(" | ", 1) for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
    own = {row[1].removesuffix(" |") for row in rows if kind.name in row[0].strip("| ").split(", ")}
    assert own == {mkfs_cell(kind), mount_cell(kind)}


def test_the_other_lists_are_whole() -> None:
    text = PAGE.read_text("utf-8")
    assert f"All: {names(EVERY_MOUNT)}." in text
    for listed in (OF_A_DEVICE, PROC_SYS, MODULES):
        assert ", ".join(f"`{name}`" for name in listed) in text


def test_the_pages_that_speak_of_studies_lead_there() -> None:
    assert "guides/root.md" in (ROOT / "docs" / "start.md").read_text("utf-8")
    assert "docs/guides/root.md" in (ROOT / "SECURITY.md").read_text("utf-8")
    assert "reference/root-options.md" in (ROOT / "docs/guides/root.md").read_text("utf-8")
