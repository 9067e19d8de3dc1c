"""The files that all hosts work on: the first host lays them out, the others have links to them.

Every host has a folder of its own on the shared file system. In that of the first host are the
files, in those of the others links of the same names, so that nothing else need know of it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fsgauge.errors import RigError
from fsgauge.units import format_size
from fsgauge.wire import FilesTarget, LayoutResult, Note
from fsgauge.workload.dealing import Share, own_prefix

_SLOWEST_BYTES_PER_SECOND = 5 << 20
"""What the first host lays files out with at least."""


class FilesOfAll(BaseModel):
    """Where the first host has laid them out: the name of its folder, and how that went."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=255)]
    layout: LayoutResult


def offered(target: FilesTarget, layout: LayoutResult) -> str:
    """What the first host tells the others."""
    return FilesOfAll(folder=Path(target.directory).name, layout=layout).model_dump_json()


def taken(text: str, target: FilesTarget, files: int) -> LayoutResult:
    """Link to the first `files` files of the first host; gives how they were laid out.

    What this host has laid out itself, in their place and beside them, has names of its own as
    well, `own_prefix`. Raises RigError where they are not there: then the hosts' folders are on
    different file systems.
    """
    try:
        found = FilesOfAll.model_validate_json(text)
    except ValidationError as error:
        raise RigError("what the first host offers is no folder of its files") from error
    own = Path(target.directory)
    theirs = own.parent / found.folder
    for number in range(files):
        name = f"{target.prefix}{number:04d}"
        _require(theirs / name, target.file_size_bytes)
        if (own / name).exists():
            (own / name).rename(own / f"{own_prefix(target.prefix)}{number:04d}")
        (own / name).symlink_to(theirs / name)
    for number in range(files, target.count):
        link = own / f"{own_prefix(target.prefix)}{number:04d}"
        link.symlink_to(own / f"{target.prefix}{number:04d}")
    note = Note(
        code="files.of_all", text=f"its files are links to those of the first host, in {theirs}"
    )
    return found.layout.model_copy(update={"notes": [*found.layout.notes, note]})


def linked_parts(target: FilesTarget, files: int, share: Share, numbers: Iterable[int]) -> None:
    """Links by which a host finds its part of the files, where so many hosts divide them."""
    own = Path(target.directory)
    for hosts in numbers:
        part = replace(share, hosts=hosts)
        if not 0 < share.number < hosts:
            continue
        first = part.first(files)
        for number in range(part.of(files)):
            link = own / f"{part.prefix_of_part(target.prefix)}{number:04d}"
            link.symlink_to(own / f"{target.prefix}{first + number:04d}")


def patience_seconds(target: FilesTarget) -> float:
    """How long the others wait for the first host at most."""
    return target.count * target.file_size_bytes / _SLOWEST_BYTES_PER_SECOND


def _require(path: Path, size_bytes: int) -> None:
    try:
        found = path.lstat()
    except OSError as error:
        why = str(error.strerror)
    else:
        if not stat.S_ISREG(found.st_mode):
            why = "it is no file"
        elif found.st_size == size_bytes:
            return
        else:
            why = f"it has {format_size(found.st_size)}, and not {format_size(size_bytes)}"
    raise RigError(
        f"{path}, which the first host has laid out, is not there: {why}",
        cause=f"{path.parent.parent} is not the same file system on all hosts, or its changes are"
        " seen late",
        next=f"findmnt --target {path.parent.parent}, on each host",
    )
