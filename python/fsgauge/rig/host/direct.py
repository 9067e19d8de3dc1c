"""Direct I/O as the study wants it, looked at before anything is measured.

A file system says itself what it can do (statx, asked through the engine's probe); a device has its
logical block size in /sys. Memory file systems are known by their type: since Linux 6.6 tmpfs opens
files with O_DIRECT and ignores it (mm/shmem.c, shmem_file_open sets FMODE_CAN_ODIRECT).
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

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ProbeJob
from fsgauge.errors import InputError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.facts.mounts import in_memory, mount_holding
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error
from fsgauge.rig.refusing import or_without
from fsgauge.study.model import Study, System
from fsgauge.system import FileSystem
from fsgauge.units import exact_size
from fsgauge.workload import method_of


def require_direct_files(study: Study, system: System, directory: str, engine: Engine) -> None:
    """Raise InputError where files in `directory` cannot be reached past the page cache."""
    method = method_of(study.workload)
    sizes = method.direct_sizes_bytes()
    if not sizes:
        return
    reason, alignment_bytes = without_direct(directory, engine)
    if reason:
        instead = method.buffered_instead()
        if in_memory(directory):
            instead += (
                f", or without folders --storage ram:{_no_space(study)}, which makes file systems"
                " in memory (as root)"
            )
        raise InputError(
            f'"{system.name}" has no direct I/O',
            cause=f"{directory} is on {reason}",
            next=or_without(study, system, instead),
        )
    _require_multiples(study, f'"{system.name}"', sizes, alignment_bytes)


def without_direct(directory: str, engine: Engine) -> tuple[str, int]:
    """Why a folder has no direct I/O, "" where it has it; and the bytes that it is done in."""
    memory = in_memory(directory)
    if memory:
        return (
            f"{memory}, which lives in the page cache: newer kernels accept O_DIRECT there and"
            " ignore it",
            1,
        )
    found = engine.probe(ProbeJob(directory=directory, without_costs=True))
    if found.direct is False:
        mount = mount_holding(directory)
        kind = mount.file_system if mount else "a file system"
        return f"{kind}, which does not open files with O_DIRECT", 1
    return "", found.direct_alignment_bytes or 1


def direct_in_cache(study: Study, directory: str) -> str:
    """Which pages of direct I/O in `directory` are seen in the page cache, in words; "" for none,
    and where the study does not ask for direct I/O."""
    if not method_of(study.workload).direct_sizes_bytes():
        return ""
    found = cached_direct(directory)
    return found.words if found is not None else ""


def require_direct_made(study: Study, system: System, kind: FileSystem) -> None:
    """Raise InputError where a file system, made and mounted so, has no direct I/O: known before.
    What is not known before is asked once it is made (`require_direct_files`), still before
    anything is measured."""
    reason = kind.without_direct(system.mkfs, system.mount)
    if reason and method_of(study.workload).direct_sizes_bytes():
        raise InputError(
            f'"{system.name}" has no direct I/O',
            cause=reason,
            next=or_without(study, system, method_of(study.workload).buffered_instead()),
        )


def require_direct_device(study: Study, device: str) -> None:
    """Raise InputError where an operation is no whole number of the device's logical blocks."""
    bare = any(system.kind == "raw" for system in study.systems)
    known = device_at(device)
    block_size = known.queue("logical_block_size") if known else None
    if block_size:
        sizes = method_of(study.workload).direct_sizes_bytes(bare=bare)
        _require_multiples(study, device, sizes, int(block_size))


def _no_space(study: Study) -> str:
    size_bytes = getattr(study.storage, "size", 1 << 30)
    return exact_size(size_bytes).replace(" ", "")


def _require_multiples(study: Study, what: str, sizes: list[int], alignment_bytes: int) -> None:
    for size_bytes in sizes:
        if size_bytes % alignment_bytes:
            nearest = -(-size_bytes // alignment_bytes) * alignment_bytes
            raise InputError(
                f"{what} does direct I/O in whole blocks of {exact_size(alignment_bytes)},"
                f" and an operation of the study is {exact_size(size_bytes)}",
                next=f'a block size of "{exact_size(nearest)}",'
                f" or {method_of(study.workload).buffered_instead()}",
            )


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
