"""A folder held open. Names are relative to it: "records/000-00-raw/turn.json".

Everything in it is reached from there, one component at a time, and no component is a link. Root
reads and writes in another user's folder what that user could.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import islice
from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import bounds, opening
from fsgauge.plain_files.bounds import values_of_json
from fsgauge.plain_files.opening import NotPlainError
from fsgauge.plain_files.rights import open_named, require_roots_alone, rights_of, was_moved
from fsgauge.programs.interruption import undisturbed
from fsgauge.units import format_size

_STALE_SECONDS = 3600

Sealed = Callable[[str, int], None]
"""Gets the SHA-256 and the size of a file that is on disk and about to be renamed."""


class MissingError(InputError):
    """There is no such file or folder."""


class PlainFolder:
    def __init__(self, path: Path, descriptor: int, *, as_owner: bool) -> None:
        self.path = path
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self._owner = (status.st_uid, status.st_gid)
        self._as_owner_if_another = as_owner
        self._as_owner = as_owner and os.geteuid() == 0 and status.st_uid != 0
        self._digested_bytes = 0
        self._values = 0

    @classmethod
    @contextmanager
    def opened(cls, path: Path, *, as_owner: bool = True) -> Iterator[PlainFolder]:
        """A folder that is there; raises InputError. For links in its path see `naming`."""
        try:
            descriptor = open_named(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise MissingError(
                f"there is no folder {path}",
                cause="the name is mistyped, or it was moved or removed",
                next=f"ls -ld {quoted(path.parent)}",
            ) from error
        except OSError as error:
            raise InputError(
                f"cannot open the folder {path}: {error.strerror}",
                cause="it belongs to another user",
                next=f"ls -ld {quoted(path)}",
            ) from error
        with opening.closing(descriptor):
            yield cls(path, descriptor, as_owner=as_owner)

    @classmethod
    @contextmanager
    def made(cls, path: Path, *, as_owner: bool = True) -> Iterator[PlainFolder]:
        """The same, made where it is missing, with the folders above it; also raises OSError."""
        there = next(each for each in (path, *path.parents) if os.path.lexists(each))
        with cls.opened(there, as_owner=as_owner) as parent:
            if there == path:
                yield parent
                return
            below = str(path.relative_to(there))
            parent.make_folder(below)
            with parent.below(below) as folder:
                yield folder

    @contextmanager
    def below(self, name: str) -> Iterator[PlainFolder]:
        """A folder in this one, held open too; raises OSError."""
        with self.descriptor_of(name) as descriptor:
            yield PlainFolder(self.path / name, descriptor, as_owner=self._as_owner_if_another)

    def read(self, name: str, limit_bytes: int = bounds.LARGEST_BYTES) -> bytes:
        """A plain file's content; raises InputError that names the file, MissingError for none."""
        with self._reading(name) as descriptor:
            self._require_small(name, os.fstat(descriptor).st_size, limit_bytes)
            content = opening.read_at_most(descriptor, limit_bytes)
        self._require_small(name, len(content), limit_bytes)
        return content

    def read_json(self, name: str, bound: bounds.Bound) -> bytes:
        """The same of a JSON document, or of lines of them, which has no more values than `bound`;
        all that are read from this folder have no more than a results folder may."""
        content = self.read(name, bound.size_bytes)
        self._values += values_of_json(content, self.path / name, bound)
        if self._values > bounds.ALL_RECORDS.values:
            raise self._too_much(f"{bounds.ALL_RECORDS.values:,} values")
        return content

    def digest(self, name: str) -> tuple[str, int]:
        """SHA-256 and size of a plain file; raises as `read` does."""
        with self._reading(name) as descriptor:
            size_bytes = os.fstat(descriptor).st_size
            self._require_small(name, size_bytes, bounds.LARGEST_BYTES)
            self._digested_bytes += size_bytes
            if self._digested_bytes > bounds.MOST_BYTES_OF_FOLDER:
                raise self._too_much(format_size(bounds.MOST_BYTES_OF_FOLDER))
            return opening.digest_of(descriptor)

    @contextmanager
    def pinned(self, name: str) -> Iterator[Path]:
        with self._reading(name) as descriptor:
            yield Path(f"/proc/self/fd/{descriptor}")

    def is_file(self, name: str) -> bool:
        status = self._status(name)
        return status is not None and stat.S_ISREG(status.st_mode)

    def size_bytes(self, name: str) -> int:
        status = self._status(name)
        return status.st_size if status is not None else 0

    def exists(self, name: str) -> bool:
        """Whether anything is there, a link that leads nowhere too."""
        return self._status(name) is not None

    def names(self, name: str = "") -> list[str]:
        """Sorted names in a folder below, none where it is missing; raises InputError."""
        found: list[str] = []
        try:
            with self.descriptor_of(name) as descriptor, opening.entries_of(descriptor) as entries:
                for entry in entries:
                    found.append(entry.name)
                    if len(found) > bounds.MOST_NAMES:
                        raise InputError(
                            f"{self.path / name} holds more than {bounds.MOST_NAMES} names",
                            cause="another program fills it",
                            next=f"ls -U {quoted(self.path / name)} | head",
                        )
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._cannot_read(name, error) from error
        return sorted(found)

    def folders(self, name: str) -> list[str]:
        """Sorted names of real folders in a folder below; a link is none. Raises InputError."""
        found = [(each, self._status(f"{name}/{each}")) for each in self.names(name)]
        return [each for each, status in found if status and stat.S_ISDIR(status.st_mode)]

    def write(self, name: str, content: str | bytes, sealed: Sealed | None = None) -> None:
        """Write a file whole, durably; a folder that it needs is made. Raises OSError."""
        parent = name.rpartition("/")[0]
        if parent:
            self.make_folder(parent)
        with self.replacing(name, sealed) as descriptor:
            opening.write_all(descriptor, content.encode() if isinstance(content, str) else content)

    @contextmanager
    def replacing(self, name: str, sealed: Sealed | None = None) -> Iterator[int]:
        """An open new file, which then takes the place of `name` durably; OSError. A reader sees
        the old file or the new one. On failure the new one is gone."""
        parent, _, last = name.rpartition("/")
        beside = f".{last}.{secrets.token_hex(4)}.new"
        with self.descriptor_of(parent) as folder:
            with self.rights():
                _forget_stale(folder, last)
                descriptor = opening.open_new(folder, beside)
            try:
                yield descriptor
                os.fsync(descriptor)
                # What was announced and is not there counts as a changed record.
                with undisturbed():
                    if sealed is not None:
                        os.lseek(descriptor, 0, os.SEEK_SET)
                        sealed(*opening.digest_of(descriptor))
                    with self.rights():
                        os.rename(beside, last, src_dir_fd=folder, dst_dir_fd=folder)
                    os.fsync(folder)
            except BaseException:
                with self.rights(), suppress(OSError):
                    os.unlink(beside, dir_fd=folder)
                raise
            finally:
                os.close(descriptor)

    def make_folder(self, name: str) -> None:
        """Make a folder below and those above it; one that is there is left. Raises OSError."""
        parts = name.split("/")
        for count, part in enumerate(parts):
            with self.descriptor_of("/".join(parts[:count])) as folder, self.rights():
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=folder)
                os.close(opening.open_folder_in(folder, part))

    def make_new_folder(self, name: str) -> None:
        """Make a folder in this one; raises FileExistsError where anything has the name."""
        with self.rights():
            os.mkdir(name, 0o755, dir_fd=self._descriptor)

    def move(self, name: str, to: str) -> None:
        """Rename something below, into a folder below that is there; raises OSError."""
        (parent, _, last), (new_parent, _, new_last) = name.rpartition("/"), to.rpartition("/")
        with (
            self.descriptor_of(parent) as source,
            self.descriptor_of(new_parent) as target,
            self.rights(),
        ):
            os.rename(last, new_last, src_dir_fd=source, dst_dir_fd=target)

    def open_to_append(self, name: str) -> int:
        """A plain file in this folder, made if missing, to append to and to read; OSError."""
        with self.rights():
            return opening.open_to_append(self._descriptor, name)

    def require_roots_alone(self, look: str = "fsgauge report") -> None:
        """Raise InputError where root would go on in what another user owns or can write."""
        if os.geteuid() == 0:
            require_roots_alone(self.path, self._everything(), look)

    def identity(self) -> tuple[int, int, int]:
        status = os.fstat(self._descriptor)
        return status.st_dev, status.st_ino, status.st_uid

    def require_still(self) -> None:
        """RigError where its path leads elsewhere now, or nowhere."""
        if not self.is_at(Path(os.path.realpath(self.path))):
            raise was_moved(self.path, self._descriptor)

    def is_at(self, path: Path) -> bool:
        """Whether `path` itself is this very folder, not a link to it."""
        try:
            return os.path.samestat(path.lstat(), os.fstat(self._descriptor))
        except OSError:
            return False

    def _everything(self) -> Iterator[tuple[str, os.stat_result]]:
        """The folder and all that is below it, none of it through a link; raises InputError."""
        yield "", os.fstat(self._descriptor)
        waiting, seen = [""], 0
        while waiting:
            place = waiting.pop()
            for each in self.names(place):
                name = f"{place}/{each}" if place else each
                status, seen = self._status(name), seen + 1
                if seen > bounds.MOST_FILES:
                    raise self._too_much(f"{bounds.MOST_FILES:,} files")
                if status is not None:
                    yield name, status
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(name)

    def _status(self, name: str) -> os.stat_result | None:
        """What lies there; None also where it cannot be reached."""
        parent, _, last = name.rpartition("/")
        try:
            with self.descriptor_of(parent) as folder, self.rights():
                return opening.status_in(folder, last)
        except OSError:
            return None

    @contextmanager
    def _reading(self, name: str) -> Iterator[int]:
        parent, _, last = name.rpartition("/")
        try:
            with self.descriptor_of(parent) as folder, self.rights():
                descriptor = opening.open_to_read(folder, last)
        except FileNotFoundError as error:
            raise MissingError(
                f"{self.path / name} is missing",
                cause="the folder was copied in part, or the study was killed before its first run",
                next=f"ls {quoted((self.path / name).parent)}",
            ) from error
        except OSError as error:
            raise self._cannot_read(name, error) from error
        try:
            yield descriptor
        except OSError as error:
            raise self._cannot_read(name, error) from error
        finally:
            os.close(descriptor)

    @contextmanager
    def descriptor_of(self, name: str) -> Iterator[int]:
        """A folder below, open, also for a process that is to work there; OSError. No component of
        its name is a link."""
        descriptor = os.dup(self._descriptor)
        try:
            with self.rights():
                for part in name.split("/") if name else ():
                    if part in ("", ".", ".."):
                        raise NotPlainError(f"{name!r} leads out of the folder")
                    deeper = opening.open_folder_in(descriptor, part)
                    os.close(descriptor)
                    descriptor = deeper
            yield descriptor
        finally:
            os.close(descriptor)

    def rights(self) -> AbstractContextManager[None]:
        return rights_of(*self._owner) if self._as_owner else nullcontext()

    def _require_small(self, name: str, size_bytes: int, limit_bytes: int) -> None:
        if size_bytes > limit_bytes:
            raise InputError(
                f"{self.path / name} is too large: more than {format_size(limit_bytes)} are not"
                " read",
                cause="it was damaged, or another program wrote it",
                next=f"ls -l {quoted(self.path / name)}",
            )

    def _too_much(self, limit: str) -> InputError:
        return InputError(
            f"the records in {self.path} are too large together: more than {limit} are not read",
            cause="another program wrote them",
            next=f"du -sh {quoted(self.path)}",
        )

    def _cannot_read(self, name: str, error: OSError) -> InputError:
        if self._as_owner and error.errno in (errno.EACCES, errno.EPERM):
            return InputError(
                f"cannot read {self.path / name}: {error.strerror}",
                cause=f"root reads another user's folder with the rights of its owner, user"
                f" {self._owner[0]}, who may not read this",
                next=f"ls -la {quoted((self.path / name).parent)}; or copy the folder to one of"
                " root's own, and name that",
            )
        strange = isinstance(error, NotPlainError) or error.errno in (errno.ELOOP, errno.ENOTDIR)
        return InputError(
            f"cannot read {self.path / name}: {error.strerror or error}",
            cause="another program put it there; fsgauge reads plain files only and follows no link"
            if strange
            else "the file was damaged, or belongs to another user",
            next=f"ls -la {quoted((self.path / name).parent)}"
            if strange
            else "restore it from a copy of the folder",
        )


def _forget_stale(folder: int, name: str) -> None:
    """Remove what killed writers of this file left; a living one is done within the hour."""
    with opening.entries_of(folder) as entries:
        names = [each.name for each in islice(entries, bounds.MOST_NAMES)]
    for each in names:
        if each.startswith(f".{name}.") and each.endswith(".new"):
            status = opening.status_in(folder, each)
            if status is not None and status.st_mtime < time.time() - _STALE_SECONDS:
                with suppress(OSError):
                    os.unlink(each, dir_fd=folder)


Identity = tuple[int, int, int]
