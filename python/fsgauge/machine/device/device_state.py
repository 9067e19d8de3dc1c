"""The state of a device, so that writes of other programs can be detected later.

Writes show in its counters, whatever they write; a new file system shows where superblocks are,
also where it came by another way (the disk below, a loop device's file). Who writes through the
device's node shows as well, while it is watched.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.machine.device.block_device import BlockDevice, DeviceCounters, read_counters
from fsgauge.machine.device.device_bytes import device_bytes, superblock_places
from fsgauge.machine.device.loop_devices import backing_of
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error
from fsgauge.units import format_size

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
    """When the file behind a loop device was last written, by whatever way."""
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
