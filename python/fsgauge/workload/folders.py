"""Where many clients work: a folder for each of their two file sets, and how large the sets are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from fsgauge.engine import wire
from fsgauge.plain_files.kept import Kept

OWN = "files"
"""The folder of the files that clients write, read, mix and delete."""
BACKUP = "backup"
"""The folder of the files that are backed up."""
TREE = "tree"
"""The folder of a tree that an op log leaves."""
WRITTEN = "written"
"""The folder of files that are written beside that tree."""
AGED = "aged"
"""The folder of the files that are aged, then deleted one by one."""
RATE = "rate"
"""The folder of the files of a rate's streams."""


@dataclass(frozen=True)
class FileSets:
    """The folders of a load that makes its own files, and how many files each client has in two.

    `folders` are made in every system before its load; `of_clients` are those in which clients
    work, also through a server.
    """

    files_per_client: int = 0
    backup_files_per_client: int = 0
    folders: tuple[str, ...] = (OWN, BACKUP)
    of_clients: tuple[str, ...] = (OWN, BACKUP)


@dataclass(frozen=True)
class AgedFiles:
    """Sizes of the files that are aged and of those that a rate's streams write."""

    file_size_bytes: int
    rate_file_bytes: int
    folders: tuple[str, ...] = (AGED, RATE)


class ClientFolders(Kept):
    """What a system of clients' file sets offers its load; its folders are there, and empty.

    `available_bytes` is what the system had available then; null in records without it. With
    `share` clients reach them through a server; of "share_folders" nothing lies on this machine,
    and the folders' names begin with `share.directory`.
    """

    kind: Literal["client_folders", "share_folders"] = "client_folders"
    directory: str
    files_per_client: int
    backup_files_per_client: int
    available_bytes: int | None = None
    share: Annotated[wire.SmbTarget | wire.NfsTarget, Field(discriminator="kind")] | None = None

    def folder(self, name: str) -> str:
        return f"{self.directory}/{name}"

    def target(self, name: str) -> wire.ClientsTarget:
        """Where clients find one set: on a path, or through a server."""
        if self.share is None:
            return wire.PathTarget(directory=self.folder(name))
        prefix = f"{self.share.directory}-" if self.share.directory else ""
        return self.share.model_copy(update={"directory": f"{prefix}{name}"})


class AgedFolders(Kept):
    """What a system that will be aged offers its load; both folders are there, and empty.

    `allocation_chunk_bytes` is what files take at a time by fallocate; null: as the file system
    likes. `extent_size_hint_bytes` is in force in both folders. `is_alone`: no one else has files
    on the file system, so all that is free there may be filled.
    """

    kind: Literal["aged_folders"] = "aged_folders"
    directory: str
    file_size_bytes: int
    rate_file_bytes: int
    allocation_chunk_bytes: int | None = None
    extent_size_hint_bytes: int | None = None
    is_alone: bool = Field(default=True, exclude_if=lambda value: value)

    def folder(self, name: str) -> str:
        return f"{self.directory}/{name}"


class ServedFiles(Kept):
    """Files that were laid out in a folder of this machine, and are reached through a server."""

    kind: Literal["served_files"] = "served_files"
    directory: str
    prefix: str
    count: int
    file_size_bytes: int
    share: Annotated[wire.SmbTarget | wire.NfsTarget, Field(discriminator="kind")]

    @property
    def target(self) -> wire.ShareFilesTarget:
        """Where the load finds them."""
        return wire.ShareFilesTarget(
            share=self.share,
            prefix=self.prefix,
            count=self.count,
            file_size_bytes=self.file_size_bytes,
        )


InFolder = wire.FilesTarget | ServedFiles | ClientFolders | AgedFolders
"""What has a `directory`: on this machine, but for share folders."""
Place = wire.Target | ClientFolders | AgedFolders | ServedFiles
"""What a prepared system offers its load."""
Folders = TypeVar("Folders", ClientFolders, AgedFolders)


def folders_of(place: Place, kind: type[Folders]) -> Folders:
    if not isinstance(place, kind):
        raise TypeError(f"the load needs {kind.__name__}, and the place is {place.kind}")
    return place


def laid_out(place: Place) -> wire.Target:
    """The target of a load on files that were laid out; TypeError for another kind's folders."""
    if isinstance(place, ClientFolders | AgedFolders):
        raise TypeError("a plain load cannot use the folders of other kinds")
    return place.target if isinstance(place, ServedFiles) else place


def interface_of(place: Place, here: wire.Interface) -> wire.Interface:
    """What carries a load there: the study's interface here, sockets through a server."""
    return "sockets" if isinstance(place, ServedFiles) else here
