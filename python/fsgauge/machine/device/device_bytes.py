"""The bytes of a device: read past the page cache, where superblocks are, and wiped; and its state,
so that writes of other programs can be detected later.

The first superblock may be gone (wiped, overwritten by a boot sector) and the file system intact,
so copies are read as well. blkdiscard and wipefs open the device exclusively, so they refuse
one that is mounted; for a process that holds the claim itself they run with --force.
Writes show in a device's counters, whatever they write; a new file system shows where superblocks
are, also where it came by another way (the disk below, a loop device's file). Who writes through
the device's node shows as well, while it is watched.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from fsgauge.errors import RigError, quoted
from fsgauge.machine.device.block_device import BlockDevice, DeviceCounters, read_counters
from fsgauge.machine.device.loop_devices import backing_of
from fsgauge.machine.process.tool import Said, run_tool
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error
from fsgauge.units import format_size

_BLKFLSBUF = 0x1261
"""include/uapi/linux/fs.h."""
LARGEST_READ_BYTES = 4 << 20
ALIGNMENT_BYTES = 64 << 10
"""No device has larger logical blocks."""

LIBC.memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class DeviceBytes:
    """An open device. Make it with `device_bytes`; offsets are multiples of ALIGNMENT_BYTES."""

    def __init__(self, descriptor: int, buffer: mmap.mmap, address: int) -> None:
        self._descriptor = descriptor
        self._buffer = buffer
        self._address = address

    def is_zero(self, offset: int, size_bytes: int) -> bool:
        """Whether a part reads as zero; OSError where it cannot be read."""
        self._read(offset, size_bytes)
        if self._buffer[0] != 0:
            return False
        # Each byte equals the one after it, and the first is zero.
        difference: int = LIBC.memcmp(self._address, self._address + 1, size_bytes - 1)
        return difference == 0

    def read(self, offset: int, size_bytes: int) -> bytes:
        """A part as it is; OSError where it cannot be read."""
        self._read(offset, size_bytes)
        return self._buffer[:size_bytes]

    def _read(self, offset: int, size_bytes: int) -> None:
        with memoryview(self._buffer) as whole, whole[:size_bytes] as part:
            if os.preadv(self._descriptor, [part], offset) != size_bytes:
                raise OSError(errno.EIO, f"a read of {size_bytes} bytes at {offset} is short")


@contextmanager
def device_bytes(path: str) -> Iterator[DeviceBytes]:
    """The device at `path`, flushed first."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError as error:
        raise RigError(
            f"{path} cannot be opened: {error.strerror}",
            cause="the device is gone or failed, or only root may read it",
            next=f"ls -l {quoted(path)}; dmesg | tail",
        ) from error
    try:
        with closing(descriptor), mmap.mmap(-1, LARGEST_READ_BYTES) as buffer:
            os.fsync(descriptor)
            address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
            yield DeviceBytes(descriptor, buffer, address)
    except OSError as error:
        error.filename = error.filename or path
        raise


EDGE_BYTES = 1 << 20
"""Labels, tables and headers at both ends: GPT, MD, LVM, LUKS, ZFS, NTFS."""
PLACE_BYTES = ALIGNMENT_BYTES
_EXT_GROUPS = ((1024, 8192, 1), (2048, 16384, 0), (4096, 32768, 0))
"""Block size, blocks of a group, the first block."""
_EXT_BASES = (3, 5, 7)
_BTRFS = (64 << 10, 64 << 20, 256 << 30)
_XFS_GROUPS = (4, 8, 16, 32)
_PARTITIONS = tuple(size_mib << 20 for size_mib in (1, 2, 4, 8, 16, 100, 128, 512, 1024))
"""Where the first partition, or the one behind a small first one, usually begins."""
_PLACES_LIMIT = 512


def superblock_places(size_bytes: int) -> list[tuple[int, int]]:
    """(offset, bytes) of the parts to read, in order: both ends, and places in between."""
    if size_bytes <= 2 * EDGE_BYTES:
        return [(0, size_bytes)]
    end = (size_bytes - EDGE_BYTES) // ALIGNMENT_BYTES * ALIGNMENT_BYTES
    between = {
        offset // ALIGNMENT_BYTES * ALIGNMENT_BYTES
        for offset in chain(_ext(size_bytes), _BTRFS, _xfs(size_bytes), _PARTITIONS)
    }
    inner = sorted(offset for offset in between if EDGE_BYTES <= offset < end)[:_PLACES_LIMIT]
    return [(0, EDGE_BYTES), *((place, PLACE_BYTES) for place in inner), (end, size_bytes - end)]


def _ext(size_bytes: int) -> Iterator[int]:
    """Backup superblocks: groups 1 and powers of 3, 5 and 7 (sparse_super)."""
    for block_size, blocks, first in _EXT_GROUPS:
        group_bytes = block_size * blocks
        for group in sorted({1, *_powers(size_bytes // group_bytes)}):
            yield group * group_bytes + first * block_size


def _powers(limit: int) -> Iterator[int]:
    for base in _EXT_BASES:
        power = base
        while power <= limit:
            yield power
            power *= base


def _xfs(size_bytes: int) -> Iterator[int]:
    """Superblocks of allocation groups: an equal share of the device each, in whole blocks."""
    for groups in _XFS_GROUPS:
        group_bytes = -(-size_bytes // 4096 // groups) * 4096
        yield from (group * group_bytes for group in range(1, groups))


_FORCE = "--force"
_UNKNOWN = "unrecognized option"
"""Before util-linux 2.36 blkdiscard has no --force and does not open exclusively."""


def discard(device: str, *, claimed: bool, seconds: float, size_bytes: int | None = None) -> Said:
    """blkdiscard of the device, or of its first bytes; RigError when it does not end in time. While
    a device is claimed, the kernel refuses to discard it with EBUSY as long as a buffer of it is
    held, and each processor holds the last ones that a file system used (f2fs, nilfs2)."""
    force = [_FORCE] if claimed else []
    length = ["--length", str(size_bytes)] if size_bytes is not None else []
    if claimed:
        _empty_buffers(device)
    said = run_tool(["blkdiscard", *force, *length, device], seconds=seconds)
    if claimed and _UNKNOWN in said.words:
        said = run_tool(["blkdiscard", *length, device], seconds=seconds)
    return said


def _empty_buffers(device: str) -> None:
    """Write back and forget what the kernel has of a device in memory, if it can be opened."""
    with suppress(OSError), closing(os.open(device, os.O_RDONLY | os.O_CLOEXEC)) as descriptor:
        fcntl.ioctl(descriptor, _BLKFLSBUF, 0)


def wipe(device: str, *, claimed: bool) -> None:
    """Remove every signature that wipefs knows; RigError when that fails."""
    force = [_FORCE] if claimed else []
    said = run_tool(["wipefs", "--all", "--quiet", *force, device])
    if said.exit_code != 0:
        raise RigError(
            f"{device} still carries a signature",
            details=(said.words,),
            cause="it is read-only, or another program has it open",
            next=f"fuser -v {device}; wipefs {device}",
        )


_MODIFIED, _CLOSED_AFTER_WRITING = 0x2, 0x8
_LONGEST_BYTES = 1 << 16


@dataclass(frozen=True)
class DeviceState:
    """At one moment, everything flushed. `attached` changes when a number is given to another."""

    numbers: str
    attached: str | None
    size_bytes: int
    counters: DeviceCounters | None
    places: tuple[tuple[int, str], ...]
    file_changed_ns: int | None

    @property
    def counts_writes(self) -> bool:
        """Whether a write anywhere on it would show."""
        return self.counters is not None


def state_of(device: BlockDevice) -> DeviceState:
    """As it is now; RigError or OSError when it cannot be read."""
    with device_bytes(device.path) as source:
        places = tuple(
            (offset, hashlib.blake2b(source.read(offset, length), digest_size=16).hexdigest())
            for offset, length in superblock_places(device.size_bytes)
        )
    counted = device.queue("iostats") == "1"
    return DeviceState(
        numbers=device.numbers,
        attached=device.disk.read("diskseq"),
        size_bytes=device.size_bytes,
        counters=read_counters(device) if counted else None,
        places=places,
        file_changed_ns=_file_changed_ns(device),
    )


def changes(before: DeviceState, now: DeviceState, *, of_itself: bool = False) -> list[str]:
    """What another program did in between, a line each; empty when nothing shows. `of_itself`: to
    the device alone, whose content something of ours has changed."""
    if (before.numbers, before.attached) != (now.numbers, now.attached):
        return ["it is now a different device"]
    if before.size_bytes != now.size_bytes:
        sizes = (format_size(before.size_bytes), format_size(now.size_bytes))
        return [f"it had {sizes[0]}, and has {sizes[1]} now"]
    if of_itself:
        return []
    found = []
    if before.counters is not None and now.counters is not None:
        gone = now.counters - before.counters
        if gone.write_bytes:  # a flush alone counts as a request of no bytes
            found.append(f"{format_size(gone.write_bytes)} written to it")
        if gone.discard_bytes:
            found.append(f"{format_size(gone.discard_bytes)} of it discarded")
    places = [
        str(offset)
        for (offset, then), (_, digest) in zip(before.places, now.places, strict=True)
        if then != digest
    ]
    if places:
        found.append(f"other bytes at {', '.join(places[:4])}{', ...' if len(places) > 4 else ''}")
    if before.file_changed_ns != now.file_changed_ns:
        found.append("its backing file was written")
    return found


def _file_changed_ns(device: BlockDevice) -> int | None:
    backing = backing_of(device.path)
    if backing is None or backing.path is None or backing.identity.is_device:
        return None
    # Its own clock, which no program can set back: mtime can be.
    return Path(backing.path).stat().st_ctime_ns


@contextmanager
def watched_node(descriptor: int) -> Iterator[Callable[[], list[str]]]:
    """Gives what says, in words or not at all, that somebody wrote to a device through its node
    since the context began (inotify(7)).

    The kernel's own users, a file system that is mounted, go past the node and are not seen.
    `descriptor` is an open one of the device.
    """
    events: int = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if events < 0:
        raise last_error("inotify")
    with closing(events):
        node = f"/proc/self/fd/{descriptor}".encode()
        if LIBC.inotify_add_watch(events, node, _MODIFIED | _CLOSED_AFTER_WRITING) < 0:
            raise last_error("inotify")

        def seen() -> list[str]:
            try:
                os.read(events, _LONGEST_BYTES)
            except BlockingIOError:
                return []
            return ["a program had it open for writing"]

        yield seen
