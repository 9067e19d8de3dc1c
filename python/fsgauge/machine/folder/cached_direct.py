"""Whether direct I/O in a folder is direct, found by looking at the page cache while it is done.

A file system may take O_DIRECT and copy all the same: btrfs with checksums writes through the page
cache (Linux 6.14), ext4 with data=journal reads and writes through it. The pages of such a write
may be gone when it returns, so they are counted meanwhile (mincore).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error

LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
_FAILED = ctypes.c_void_p(-1).value
_TRIED_BYTES = 4 << 20
_FEWEST_TRIES, _TRIES, _TRIES_SECONDS = 3, 10, 1.0
"""A processor that is busy may not look while a write goes on: three such writes were missed at
once, by two processors with nine processes. On slow storage one try is long enough to be seen."""


@dataclass(frozen=True)
class CachedDirect:
    """Of the `pages` of a direct write and a direct read, how many were seen in the page cache."""

    pages: int
    written: int
    read: int

    @property
    def words(self) -> str:
        """ "1,024 of 1,024 pages of a direct write"; "" where it is direct."""
        seen = [
            f"{count:,} of {self.pages:,} pages of a direct {what}"
            for count, what in ((self.written, "write"), (self.read, "read"))
            if count
        ]
        return " and ".join(seen)


def cached_direct(directory: str) -> CachedDirect | None:
    """Written and read by a file without a name, which is gone afterwards; None where that cannot
    be tried."""
    flags = os.O_TMPFILE | os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC
    try:
        with (
            closing(os.open(directory, flags, 0o600)) as descriptor,
            mmap.mmap(-1, _TRIED_BYTES) as memory,
            memoryview(memory) as data,
        ):
            data[:] = os.urandom(_TRIED_BYTES)
            return _tried(descriptor, data)
    except OSError:
        return None


def _tried(descriptor: int, data: memoryview) -> CachedDirect:
    os.ftruncate(descriptor, _TRIED_BYTES)
    with _mapped(descriptor) as pages:
        written, until = 0, time.monotonic() + _TRIES_SECONDS
        for tried in range(_TRIES):
            if written or (tried >= _FEWEST_TRIES and time.monotonic() > until):
                break
            written = pages.most_while(lambda: os.pwritev(descriptor, [data], 0))
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        before = pages.resident()
        os.preadv(descriptor, [data], 0)
        read = max(pages.resident() - before, 0)
    return CachedDirect(_TRIED_BYTES // mmap.PAGESIZE, written, read)


@dataclass(frozen=True)
class _Pages:
    """A file's pages, as they are mapped here; none of them is touched."""

    address: int

    def resident(self) -> int:
        found = ctypes.create_string_buffer(_TRIED_BYTES // mmap.PAGESIZE)
        if LIBC.mincore(self.address, _TRIED_BYTES, found):
            raise last_error("mincore")
        return sum(byte & 1 for byte in found.raw)

    def most_while(self, work: Callable[[], object]) -> int:
        """The most of them that were there at once while the work was done, and after it."""
        failed: list[OSError] = []

        def done() -> None:
            try:
                work()
            except OSError as error:
                failed.append(error)

        thread = threading.Thread(target=done)
        thread.start()
        most = 0
        while thread.is_alive():
            most = max(most, self.resident())
        thread.join()
        if failed:
            raise failed[0]
        return max(most, self.resident())


@contextmanager
def _mapped(descriptor: int) -> Iterator[_Pages]:
    address = LIBC.mmap(None, _TRIED_BYTES, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if address == _FAILED:
        raise last_error("mmap")
    try:
        yield _Pages(address)
    finally:
        LIBC.munmap(address, _TRIED_BYTES)
