"""Marked folders as a run makes and leaves them."""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.folder.marked_folder import Owner, make_marked, remove_left
from fsgauge.machine.folder.open_folder import open_place


def marked(path: Path, owner: Owner) -> None:
    """Make one and leave it."""
    with open_place(path.parent) as place:
        make_marked(place, path.name, owner).close()


def removed(path: Path, token: str) -> bool:
    """Remove one that a dead run made, of which no more than its path and token are known."""
    return remove_left(path, token, None, same_boot=True)
