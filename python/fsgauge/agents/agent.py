"""What one node does to files that others share with it, a step at a time.

It needs Python's own library alone, 3.8 or later: a host of which nothing but ssh and python3 is
known gets this file as its program. Files hold versions: each sector says which version it is of,
so whoever reads it knows what it has read.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import struct
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECTOR_BYTES = 512
RECORD_BYTES = 64
NO_VERSION = -1
_HEAD = struct.Struct(">4sQQ")
_NUMBER_BYTES = 16
_POLL_SECONDS = 0.005
_LOCKS: dict[str, Callable[[int, int], Any]] = {"flock": fcntl.flock, "fcntl": fcntl.lockf}


def content(version: int, size_bytes: int) -> bytes:
    """A file of that version, in whole sectors."""
    return b"".join(_sector(version, at) for at in range(size_bytes // SECTOR_BYTES))


def _sector(version: int, at: int) -> bytes:
    head = _HEAD.pack(b"fsg1", version, at)
    return (head * (SECTOR_BYTES // len(head) + 1))[:SECTOR_BYTES]


def versions_in(data: bytes) -> dict[str, int]:
    """How many sectors are of which version; what is of none counts as NO_VERSION."""
    found: dict[str, int] = Counter()
    for at in range((len(data) + SECTOR_BYTES - 1) // SECTOR_BYTES):
        sector = data[at * SECTOR_BYTES : (at + 1) * SECTOR_BYTES]
        version = _HEAD.unpack(sector[: _HEAD.size])[1] if len(sector) == SECTOR_BYTES else 0
        of_version = sector == _sector(version, at)
        found[str(version if of_version else NO_VERSION)] += 1
    return dict(found)


def record(node: int, number: int) -> bytes:
    """A record of a log: which node wrote it, and its number there."""
    words = b"%d %d" % (node, number)
    return (b"%s %08x" % (words, zlib.crc32(words))).ljust(RECORD_BYTES - 1) + b"\n"


def records_in(data: bytes) -> tuple[list[tuple[int, int]], int]:
    """The whole records of a log, and how many places of it hold none."""
    found, torn = [], 0
    for start in range(0, len(data), RECORD_BYTES):
        piece = data[start : start + RECORD_BYTES]
        words = piece.split()
        try:
            node, number = int(words[0]), int(words[1])
        except (IndexError, ValueError):
            node, number = -1, -1
        if node >= 0 and piece == record(node, number):
            found.append((node, number))
        else:
            torn += 1
    return found, torn


_PASSING = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_WRITES = os.O_WRONLY | os.O_RDWR
MOVED = "the folder was renamed or replaced by another user"
"""An answer instead of the name of an error."""


class _Folder:
    """The folder of the steps, by its path, and what has to be found there.

    Its path is looked up anew for each step, as programs do. Where another user can write a folder
    of the path, something else may be there then: nothing in it is touched. No link is followed,
    and no file is written that has a second name.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._known: dict[Path, int] = {}

    def make(self) -> None:
        with self._place() as place:
            os.mkdir(self._path.name, 0o700, dir_fd=place)
            self._known.pop(self._path, None)
            with self._itself(place):
                pass

    def is_there(self) -> bool:
        try:
            with self.opened():
                return True
        except FileNotFoundError:
            return False

    def remove(self) -> None:
        with self._place() as place, self._itself(place) as here:
            with os.scandir(f"/proc/self/fd/{here}") as found:
                names = [entry.name for entry in found]
            for name in names:
                os.unlink(name, dir_fd=here)
            os.rmdir(self._path.name, dir_fd=place)

    @contextmanager
    def opened(self) -> Iterator[int]:
        with self._place() as place, self._itself(place) as here:
            yield here

    def open_file(self, name: str, flags: int) -> int:
        with self.opened() as here:
            descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=here)
        if flags & _WRITES:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                os.close(descriptor)
                raise OSError(MOVED)
        return descriptor

    @contextmanager
    def _place(self) -> Iterator[int]:
        with _opened(self._path.parent, _PASSING) as place:
            self._require_known(self._path.parent, place)
            yield place

    @contextmanager
    def _itself(self, place: int) -> Iterator[int]:
        with _opened(self._path.name, _PASSING | os.O_NOFOLLOW, place) as here:
            self._require_known(self._path, here)
            yield here

    def _require_known(self, path: Path, descriptor: int) -> None:
        """OSError where the path led to another folder before."""
        inode = _inode(descriptor)
        if self._known.setdefault(path, inode) != inode:
            raise OSError(MOVED)


@contextmanager
def _opened(path: Path | str, flags: int, place: int | None = None) -> Iterator[int]:
    try:
        descriptor = os.open(path, flags, dir_fd=place)
    except NotADirectoryError:
        raise OSError(MOVED) from None  # a link, or a file
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _inode(descriptor: int) -> int:
    """Of an open folder, as this machine knows it: fstat(2) could ask a server, and what a client
    remembers is what is tested."""
    for line in Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines():
        name, _, number = line.partition(":")
        if name == "ino":
            return int(number)
    return os.fstat(descriptor).st_ino  # before Linux 5.14


class Agent:
    def __init__(self, folder: str) -> None:
        self._path = folder
        self._folder = _Folder(folder)
        self._kept: dict[str, int] = {}

    def done(self, step: dict[str, Any]) -> dict[str, Any]:
        """Carry one out. An error of the file system is an answer, by its name: ESTALE."""
        words = dict(step)
        do = getattr(self, "do_" + words.pop("do"))
        try:
            return dict(do(**words) or {})
        except OSError as error:
            return {"error": errno.errorcode.get(error.errno or 0, str(error))}

    def do_make(self) -> None:
        """Make the folder, which no one may have made before."""
        self._folder.make()

    def do_place(self) -> dict[str, Any]:
        """Whether what the folder is to be made in is a folder, and which one: its device and
        inode. The folder itself is not looked for: a client would remember that it is not there."""
        place = Path(self._path).parent
        found = place.stat()
        return {"is_folder": place.is_dir(), "which": [found.st_dev, found.st_ino]}

    def do_there(self) -> dict[str, Any]:
        return {"there": self._folder.is_there()}

    def do_remove(self) -> None:
        self.do_release()
        self._folder.remove()

    def do_release(self) -> None:
        while self._kept:
            _, descriptor = self._kept.popitem()
            os.close(descriptor)

    def do_put(self, name: str, version: int, size_bytes: int) -> None:
        """Write a version over what is there, fsync, close."""
        self._write(name, content(version, size_bytes), os.O_WRONLY | os.O_CREAT)

    def do_replace(self, name: str, version: int, size_bytes: int) -> None:
        """Write a version into another file, fsync, close, and rename it over the first."""
        new = name + ".new"
        self._write(new, content(version, size_bytes), os.O_WRONLY | os.O_CREAT, is_new=True)
        with self._folder.opened() as here:
            os.rename(new, name, src_dir_fd=here, dst_dir_fd=here)

    def do_look(self, name: str) -> dict[str, Any]:
        return _seen(self._content(name))

    def do_look_kept(self, name: str, anew: bool = False) -> dict[str, Any]:
        """Read all by a descriptor that is kept; `anew` asks the kernel to forget its pages."""
        descriptor = self._keep(name, os.O_RDONLY)
        if anew:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return _seen(_all_of(descriptor))

    def do_append(
        self,
        name: str,
        node: int,
        first: int,
        count: int,
        sync: bool,
        beside: str = "",
        ask_size: bool = False,
    ) -> dict[str, Any]:
        """Append records by a descriptor that is kept; gives how many were whole. `ask_size` calls
        fstat(2) before each. The last record of another file, `beside`, is read then, if there is
        one."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = self._keep(name, flags)
        whole = 0
        try:
            for number in range(first, first + count):
                if ask_size:
                    os.fstat(descriptor)
                whole += os.write(descriptor, record(node, number)) == RECORD_BYTES
                if sync:
                    os.fsync(descriptor)
        except OSError:
            os.close(self._kept.pop(name))  # the next one opens it anew, as programs do
            raise
        if beside:
            self._read_last(beside)
        return {"whole": whole}

    def do_records(self, name: str) -> dict[str, Any]:
        """The records that are there, in their order."""
        found, torn = records_in(self._content(name))
        return {"records": found, "torn": torn}

    def do_claim(self, name: str, count: int) -> dict[str, Any]:
        """Create files that must not exist yet (O_EXCL); gives the numbers of those it made."""
        won = []
        for number in range(count):
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                os.close(self._folder.open_file(f"{name}-{number}", flags))
                won.append(number)
            except FileExistsError:
                continue
        return {"won": won}

    def do_lock(self, name: str, by: str) -> dict[str, Any]:
        return {"granted": self._lock(self._keep(name, os.O_RDWR | os.O_CREAT), by)}

    def do_unlock(self, name: str, by: str) -> None:
        _LOCKS[by](self._keep(name, os.O_RDWR | os.O_CREAT), fcntl.LOCK_UN)

    def do_count_up(self, name: str, times: int, by: str, seconds: float) -> dict[str, Any]:
        """Add one to a number in a file, each time under the lock; gives how often it did."""
        descriptor = self._keep(name, os.O_RDWR | os.O_CREAT)
        ends, done = time.monotonic() + seconds, 0
        while done < times:
            if not self._lock(descriptor, by):
                if time.monotonic() > ends:
                    break
                time.sleep(_POLL_SECONDS)
                continue
            try:
                number = int(os.pread(descriptor, _NUMBER_BYTES, 0) or b"0")
                os.pwrite(descriptor, b"%0*d" % (_NUMBER_BYTES, number + 1), 0)
                done += 1
            finally:
                _LOCKS[by](descriptor, fcntl.LOCK_UN)
        return {"done": done}

    def do_number(self, name: str) -> dict[str, Any]:
        return {"number": int(self._content(name) or b"0")}

    def _content(self, name: str) -> bytes:
        descriptor = self._folder.open_file(name, os.O_RDONLY)
        try:
            return _all_of(descriptor)
        finally:
            os.close(descriptor)

    def _read_last(self, name: str) -> None:
        try:
            descriptor = self._folder.open_file(name, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            size_bytes = os.fstat(descriptor).st_size
            os.pread(descriptor, RECORD_BYTES, max(0, size_bytes - RECORD_BYTES))
        finally:
            os.close(descriptor)

    def _keep(self, name: str, flags: int) -> int:
        if name not in self._kept:
            self._kept[name] = self._folder.open_file(name, flags)
        return self._kept[name]

    @staticmethod
    def _lock(descriptor: int, by: str) -> bool:
        try:
            _LOCKS[by](descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise
        return True

    def _write(self, name: str, data: bytes, flags: int, is_new: bool = False) -> None:
        descriptor = self._folder.open_file(name, flags)
        try:
            if is_new:
                os.ftruncate(descriptor, 0)
            written = 0
            while written < len(data):
                written += os.pwrite(descriptor, data[written:], written)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _all_of(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while True:
        piece = os.pread(descriptor, 1 << 20, at)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        at += len(piece)


def _seen(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "versions": versions_in(data)}


def main(folder: str) -> None:
    """Take steps as lines of JSON, and answer each with a line, until the input ends."""
    agent = Agent(folder)
    while True:
        line = sys.stdin.readline()
        if not line:
            return
        sys.stdout.write(json.dumps(agent.done(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
