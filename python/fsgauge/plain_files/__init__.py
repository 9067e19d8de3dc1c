"""Files that another user may have laid out: opened only when they are plain, from an open folder.

bounds.py    how much is read; how many values a text has, before anything is made of it
folder.py    a folder held open; what is read and written in it
kept.py      the base of what files and messages keep, for models of pydantic
opening.py   what a plain file is, checked before it is opened
rights.py    root in another user's folder: which links it follows, with whose rights it acts
whole.py     one file by its path; why a folder does not take a file
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files.bounds import require_few_in_toml
from fsgauge.plain_files.folder import Identity, MissingError, PlainFolder
from fsgauge.plain_files.opening import open_to_read, write_all
from fsgauge.plain_files.rights import was_moved
from fsgauge.plain_files.whole import (
    cannot_write,
    cause_in,
    cause_of,
    head_of,
    read_json,
    read_named,
    read_named_json,
    read_plain,
    require_room,
    require_writable,
    write_whole,
)

__all__ = [
    "MissingError",
    "PlainFolder",
    "SeenFolder",
    "cannot_write",
    "cause_in",
    "cause_of",
    "head_of",
    "open_to_read",
    "read_json",
    "read_named",
    "read_named_json",
    "read_plain",
    "require_few_in_toml",
    "require_room",
    "require_writable",
    "was_moved",
    "write_all",
    "write_whole",
]


@dataclass(frozen=True)
class SeenFolder:
    """Where a folder was, and which: its device, inode and owner."""

    path: Path
    identity: Identity

    @classmethod
    def of(cls, folder: PlainFolder) -> SeenFolder:
        return cls(folder.path, folder.identity())

    @contextmanager
    def opened(self) -> Iterator[PlainFolder]:
        """The same folder; raises InputError where another one is in its place."""
        with PlainFolder.opened(self.path) as folder:
            if folder.identity() != self.identity:
                raise InputError(
                    f"{self.path} is not the folder whose records were read",
                    cause="another program renamed it, replaced it or changed its owner meanwhile",
                    next=f"ls -ld {quoted(self.path)}",
                )
            yield folder
