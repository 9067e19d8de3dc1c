"""A node whose power was off, started again on the same disks, as a part of its group.

A disk that loses what was not flushed is made what it was at its last flush, from the log of all
that was written to it: QEMU's blklogwrites, which has the format of dm-log-writes, a head, then for
each request an entry of one sector and what was written. The head is brought up to date with each
flush alone, so that it says how many entries a disk with a volatile cache is sure to have kept.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order
from fsgauge.rig.vm.qemu import device_of
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind
from fsgauge.units import format_size

_HEAD = struct.Struct("<QQQI")
_MAGIC = 0x6A736677736872
_ENTRY = struct.Struct("<QQQQ")
_DISCARD = 1 << 2
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class Kept:
    """What came of a disk: requests that it kept, and those that it lost."""

    kept: int
    lost: int


def restore(log: Path, image: Path, size_bytes: int) -> Kept:
    """Make the image what it was at the last flush; RigError where the log cannot be followed."""
    with log.open("rb") as source, image.open("wb", buffering=0) as target:
        target.truncate(size_bytes)
        end = os.fstat(source.fileno()).st_size
        if not end:
            return Kept(0, 0)  # nothing was ever asked of the disk
        magic, _, entries, sector_bytes = _HEAD.unpack(source.read(_HEAD.size))
        if magic != _MAGIC:
            raise _unreadable("the log of a disk's writes has no head")
        at = _replayed(source, target, entries, sector_bytes)
        return Kept(entries, _entries_after(source, at, end, sector_bytes))


def _unreadable(what: str) -> RigError:
    return RigError(
        what,
        cause="the disk that holds it is full, or the machine ended while it wrote",
        next="df -h; fsgauge rig test",
    )


def _replayed(source: BinaryIO, target: BinaryIO, entries: int, sector_bytes: int) -> int:
    """Write what the first entries say; gives where the next one is."""
    at = sector_bytes
    for number in range(entries):
        source.seek(at)
        sector, count, flags, _ = _ENTRY.unpack(source.read(_ENTRY.size))
        if not count and not flags:
            raise _unreadable(
                f"entry {number + 1} of {entries} of the log of a disk's writes is torn"
            )
        at += sector_bytes
        if flags & _DISCARD:
            _cleared(target, sector * sector_bytes, count * sector_bytes)
            continue
        source.seek(at)
        target.seek(sector * sector_bytes)
        left = count * sector_bytes
        while left:
            piece = source.read(min(left, _PIECE_BYTES))
            if not piece:
                raise _unreadable("the log of a disk's writes is cut short")
            target.write(piece)
            left -= len(piece)
        at += count * sector_bytes
    return at


def _cleared(target: BinaryIO, start: int, length: int) -> None:
    size_bytes = os.fstat(target.fileno()).st_size
    if start == 0 and length == size_bytes:  # all of it, as before a file system is made
        target.truncate(0)
        target.truncate(size_bytes)
        return
    target.seek(start)
    for piece in range(0, length, _PIECE_BYTES):
        target.write(bytes(min(_PIECE_BYTES, length - piece)))


def _entries_after(source: BinaryIO, at: int, end: int, sector_bytes: int) -> int:
    """How many more there are: they were never flushed."""
    found = 0
    while at + _ENTRY.size <= end:
        source.seek(at)
        _, count, flags, _ = _ENTRY.unpack(source.read(_ENTRY.size))
        if not count and not flags:
            break
        found += 1
        at += sector_bytes * (1 if flags & _DISCARD else 1 + count)
    return found


_SECONDS = 360.0


def power_on(group: NodeGroup, at: int) -> list[str]:
    """Start it and wait until it is up, with its address and its disks' limits; gives what its
    disks have lost, in sentences."""
    node, words = group.nodes[at], []
    for disk in node.spec.disks:
        if disk.log is not None:
            kept = restore(disk.log, disk.image, disk.image.stat().st_size)
            disk.log.write_bytes(b"")
            if kept.lost + kept.kept:
                words.append(f"{disk.serial} lost {kept.lost} writes of {kept.lost + kept.kept}")
    if group.switch is None:
        node.power_on()
    else:
        own, of_machine = socket.socketpair()
        with of_machine:
            node.power_on(of_machine.fileno())
        group.switch.replace(at, own)
    node.wait_until_up()
    group.join_again(at)
    return words


def stands_again(group: NodeGroup, at: int, system: System, stood: SystemOverNodes | None) -> str:
    """What of the system is on the node's disks after its power was off, in a sentence.

    A system that is set up over nodes goes on there; one that a node made for itself is mounted
    and looked at.
    """
    if stood is not None:
        mounting = stood.again(at)
        return f"it was set up again, and mounted in {mounting:.1f} s" if mounting else ""
    if not isinstance(find_kind(system.kind), FileSystem):
        return ""
    node = group.nodes[at]
    words = {
        "system": system.model_copy(update={"rig": None}).model_dump_json(),
        "device": device_of(node.spec.disks[0].serial),
        "folder": FOLDER,
        "anew": False,
    }
    try:
        node.ask(Order(do="stand", words=words), _SECONDS)
    except FsgaugeError as error:
        return f"it could not be mounted again: {'; '.join([error.what, *error.details[-1:]])}"
    try:
        found = json.loads(node.ask(Order(do="seen", words={"folder": FOLDER}), _SECONDS))
    finally:
        with suppress(FsgaugeError):
            node.ask(Order(do="fall", words={"folder": FOLDER}), _SECONDS)
    many = f"{found['files']} file" + "s" * (found["files"] != 1)
    return f"it was mounted again, with {many} of {format_size(found['bytes'])}"
