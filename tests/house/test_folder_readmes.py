"""Each folder says what is in it, what it may import and where to begin, and names real files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "fsgauge"
LARGE = ("rig/host", "rig/fleet", "rig/vm", "rig/simulator", "stats/folders")
LINES = range(5, 16)


def is_code(folder: Path) -> bool:
    """Not what the interpreter or a tool leaves."""
    return folder.is_dir() and not folder.name.startswith(("__", "."))


def folders() -> list[Path]:
    """Those of the package, the large ones within, each kind and each crate."""
    found = [PACKAGE, *filter(is_code, PACKAGE.iterdir()), *(PACKAGE / name for name in LARGE)]
    found += filter(is_code, (PACKAGE / "kinds").iterdir())
    return sorted(found + list((ROOT / "crates").iterdir()))


FOLDERS = folders()
each_folder = pytest.mark.parametrize(
    "folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT))
)


@each_folder
def test_it_has_its_page_in_a_few_lines(folder: Path) -> None:
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) in LINES
    assert lines[0].startswith("# ")
    assert any(line.startswith("**May import.**") for line in lines)
    assert any(line.startswith("**Begin with**") for line in lines)


@each_folder
def test_every_file_that_it_names_is_there(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+(?:/|\.(?:py|rs|md|toml|json)))`", text)
    places = (folder, PACKAGE, ROOT)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []
    assert named


def test_the_map_names_every_folder_and_crate() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = [folder.name for folder in FOLDERS if folder.parent in (PACKAGE, ROOT / "crates")]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert len(names) > 30
