"""The files that all hosts work on: the first host lays them out, the others have links to them.

Every host has a folder of its own on the shared file system. In that of the first host are the
files, in those of the others hard links of the same names, so that nothing else need know of it.
Symbolic links would do as well, but the engine follows none in a folder that others could replace.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from fsgauge.engine.wire import FilesTarget, LayoutResult, Note
from fsgauge.errors import RigError, quoted
from fsgauge.machine.folder.open_folder import BELOW
from fsgauge.plain_files.kept import Kept
from fsgauge.plain_files.opening import closing
from fsgauge.rig.fleet.control import SAME_VERSION
from fsgauge.units import format_size
from fsgauge.workload.dealing import Share, own_prefix

_SLOWEST_BYTES_PER_SECOND = 5 << 20
"""What the first host lays files out with at least."""


class FilesOfAll(Kept):
    """Where the first host has laid them out: the name of its folder, and how that went."""

    folder: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=255)]
    layout: LayoutResult


def offered(target: FilesTarget, layout: LayoutResult) -> str:
    return FilesOfAll(folder=Path(target.directory).name, layout=layout).model_dump_json()


def taken(text: str, target: FilesTarget, own: int, files: int) -> LayoutResult:
    """Link to the first `files` files of the first host; gives how they were laid out.

    `own` is this host's folder, open. What this host has laid out itself, in their place and beside
    them, has names of its own as well, `own_prefix`. Raises RigError where they are not there: then
    the hosts' folders are on different file systems.
    """
    try:
        found = FilesOfAll.model_validate_json(text)
    except ValidationError as error:
        raise RigError(
            "the first host offered something other than a folder of its files",
            cause="its fsgauge is of another version",
            next=SAME_VERSION,
        ) from error
    place = Path(target.directory).parent / found.folder
    with closing(_opened(place, own)) as theirs:
        for number in range(files):
            name = f"{target.prefix}{number:04d}"
            _require(theirs, place / name, target.file_size_bytes)
            with suppress(FileNotFoundError):
                os.rename(name, _own(target, number), src_dir_fd=own, dst_dir_fd=own)
            _link(theirs, name, own, name)
    for number in range(files, target.count):
        _link(own, f"{target.prefix}{number:04d}", own, _own(target, number))
    note = Note(
        code="files.of_all", text=f"its files are links to those of the first host, in {place}"
    )
    return found.layout.model_copy(update={"notes": [*found.layout.notes, note]})


def _own(target: FilesTarget, number: int) -> str:
    return f"{own_prefix(target.prefix)}{number:04d}"


def _opened(place: Path, own: int) -> int:
    """The first host's folder, beside this host's open one and of the same user."""
    if Path(place.name).name != place.name:
        raise RigError(
            f"the first host names a folder that is none: {place.name!a}",
            cause="its fsgauge is of another version",
            next=SAME_VERSION,
        )
    with closing(os.open("..", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=own)) as above:
        try:
            theirs = os.open(place.name, BELOW, dir_fd=above)
        except OSError as error:
            raise _not_there(place, str(error.strerror)) from error
    if os.fstat(theirs).st_uid != os.fstat(own).st_uid:
        os.close(theirs)
        raise _not_there(place, "the folder of that name is another user's")
    return theirs


def _link(from_folder: int, file: str, to_folder: int, name: str) -> None:
    try:
        os.link(file, name, src_dir_fd=from_folder, dst_dir_fd=to_folder, follow_symlinks=False)
    except OSError as error:
        raise RigError(
            f"{file} of all hosts cannot have a second name: {error.strerror}",
            cause="hosts share files by hard links, which this file system does not make",
            next="a file system with hard links: ext4, XFS, NFS, CephFS, Lustre, GFS2",
        ) from error


def linked_parts(
    target: FilesTarget, own: int, files: int, share: Share, numbers: Iterable[int]
) -> None:
    """Links by which a host finds its part of the files, where so many hosts divide them."""
    for hosts in numbers:
        part = replace(share, hosts=hosts)
        if not 0 < share.number < hosts:
            continue
        first = part.first(files)
        for number in range(part.of(files)):
            link = f"{part.prefix_of_part(target.prefix)}{number:04d}"
            _link(own, f"{target.prefix}{first + number:04d}", own, link)


def patience_seconds(target: FilesTarget) -> float:
    return target.count * target.file_size_bytes / _SLOWEST_BYTES_PER_SECOND


def _require(folder: int, path: Path, size_bytes: int) -> None:
    try:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        raise _not_there(path, str(error.strerror)) from error
    if not stat.S_ISREG(found.st_mode):
        raise _not_there(path, "something else has its name")
    if found.st_size != size_bytes:
        sizes = f"{format_size(found.st_size)}, and not {format_size(size_bytes)}"
        raise _not_there(path, f"it has {sizes}")


def _not_there(path: Path, why: str) -> RigError:
    return RigError(
        f"{path}, which the first host has laid out, is not there: {why}",
        cause=f"{path.parent.parent} is not the same file system on all hosts, or its changes are"
        " seen late",
        next=f"findmnt --target {quoted(path.parent.parent)}, on each host",
    )
