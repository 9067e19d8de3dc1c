"""A folder that was read, to be opened again only if it is still the same one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files.folder import Identity, PlainFolder


@dataclass(frozen=True)
class SeenFolder:
    """Where a folder was, and which: its device, inode and owner."""

    path: Path
    identity: Identity

    @classmethod
    def of(cls, folder: PlainFolder) -> SeenFolder:
        """A folder that is open now."""
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
