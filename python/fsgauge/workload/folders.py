"""Where many clients work: a folder for each of their two file sets, and how large the sets are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fsgauge.wire import Target

OWN = "files"
"""The folder of the files that clients write, read, mix and delete."""
BACKUP = "backup"
"""The folder of the files that are backed up."""
TREE = "tree"
"""The folder of a tree that an op log leaves."""
WRITTEN = "written"
"""The folder of files that are written beside that tree."""


@dataclass(frozen=True)
class FileSets:
    """Files of each client in the two sets; 0 where the study does not have the set.

    `folders` are made in every system before its load.
    """

    files_per_client: int
    backup_files_per_client: int
    folders: tuple[str, ...] = (OWN, BACKUP)


class ClientFolders(BaseModel):
    """What a system of clients' file sets offers its load; its folders are there, and empty.

    `available_bytes` is what the system had available then; null in records without it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["client_folders"] = "client_folders"
    directory: str
    files_per_client: int
    backup_files_per_client: int
    available_bytes: int | None = None

    def folder(self, name: str) -> str:
        """The folder of one set."""
        return f"{self.directory}/{name}"


Place = Target | ClientFolders
"""What a prepared system offers its load."""
