"""The faults of a run, carried out while it goes on: each by a thread of its own, and bounded.
Times count from the beginning of the load. Where that is not told, they count from the run's."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from fsgauge.engine.wire import IntervalEvent
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.record.strikes import Strike, Struck
from fsgauge.rig.happenings import Happening, LoadBegins
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import order
from fsgauge.rig.vm.node import BOOT_SECONDS, BOOT_TIMES
from fsgauge.rig.vm.qemu import device_of
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind
from fsgauge.units import format_size

_HEAD = struct.Struct("<QQQI")
_MAGIC = 0x6A736677736872
_ENTRY = struct.Struct("<QQQQ")
_DISCARD = 1 << 2
_PIECE_BYTES = 1 << 20
_NOT_TOLD_SECONDS = 20.0
"""A load that has not told its beginning by then began with its run."""
_UNDO_SECONDS = 600.0


@dataclass
class _Injected:
    strike: Strike
    began: float | None = None
    ended: float | None = None
    back: float | None = None
    words: list[str] = field(default_factory=list)
    fault: str = ""
    is_over: threading.Event = field(default_factory=threading.Event)


class Injection:
    """The strikes of one run. `begin` starts them, `finish` undoes what is left and tells them."""

    def __init__(
        self,
        group: NodeGroup,
        strikes: Sequence[Strike],
        system: System,
        stood: SystemOverNodes | None,
    ) -> None:
        self._group, self._system, self._stood = group, system, stood
        self._injected = [_Injected(strike) for strike in strikes]
        self._over = threading.Event()
        self._told = threading.Event()
        self._begun = self._zero = 0.0
        self._threads = [
            threading.Thread(target=self._carry_out, args=(one,), name="strike", daemon=True)
            for one in self._injected
        ]

    def begin(self) -> None:
        self._begun = self._zero = time.monotonic()
        for thread in self._threads:
            thread.start()

    def hear(self, happening: Happening) -> None:
        """What is told while the run goes on: when its load began."""
        now = time.monotonic()
        if self._told.is_set():
            return
        if isinstance(happening, LoadBegins):
            self._zero = now + happening.ahead_seconds
            self._told.set()
        elif isinstance(happening, IntervalEvent):
            self._zero = now - (happening.start_ns + happening.elapsed_ns) / 1e9
            self._told.set()

    @property
    def is_over(self) -> bool:
        return all(each.is_over.is_set() for each in self._injected)

    def finish(self) -> list[Struck]:
        self._over.set()
        boot_seconds = BOOT_TIMES * max(BOOT_SECONDS.values())
        ends = time.monotonic() + _UNDO_SECONDS * self._group.slowness + boot_seconds
        if self._begun:
            for one in self._injected:
                one.is_over.wait(max(0.0, ends - time.monotonic()))
        return [self._as_it_was(one) for one in self._injected]

    def _as_it_was(self, one: _Injected) -> Struck:
        def since(moment: float | None) -> int | None:
            return None if moment is None else round((moment - self._zero) * 1e9)

        return Struck(
            strike=one.strike,
            began_ns=since(one.began),
            ended_ns=since(one.ended),
            back_ns=since(one.back),
            words=one.words,
            fault=one.fault,
        )

    def _carry_out(self, one: _Injected) -> None:
        """By a thread that lives as long as the nodes: what it has started dies with it."""
        try:
            self._all_of(one)
        finally:
            one.is_over.set()
        if one.back is not None:
            self._group.ended.wait()

    def _all_of(self, one: _Injected) -> None:
        try:
            if not self._wait_for_begin(one.strike.at_ns / 1e9):
                return
            one.began = time.monotonic()
            self._strike(one.strike)
            if one.strike.kind == "power_off":
                time.sleep(one.strike.for_ns / 1e9)  # a run that it ended is no reason to hurry
            else:
                self._over.wait(one.strike.for_ns / 1e9)
            one.ended = time.monotonic()
            self._undo(one)
        except FsgaugeError as error:
            one.fault = error.with_last_words
        except OSError as error:
            one.fault = str(error)
        except Exception as error:  # a thread's traceback would reach the user
            one.fault = f"fsgauge itself failed: {type(error).__name__}: {error}"

    def _wait_for_begin(self, seconds: float) -> bool:
        """Until so long after the load's beginning; False where the run has ended before."""
        ends = time.monotonic() + _NOT_TOLD_SECONDS
        while not self._told.is_set() and time.monotonic() < ends and not self._over.is_set():
            self._told.wait(0.1)
        return not self._over.wait(max(0.0, self._zero + seconds - time.monotonic()))

    def _strike(self, strike: Strike) -> None:
        at = strike.number - 1
        node = self._group.nodes[at]
        match strike.kind:
            case "power_off":
                node.power_off()
            case "link_cut":
                self._cut(at, is_cut=True)
            case "disk_error":
                for disk in node.spec.disks:
                    node.monitor.spoil_disk(disk)
            case "slow_disk":
                self._group.limit_node(at, self._group.slowed(strike.operations_per_second))

    def _undo(self, one: _Injected) -> None:
        at = one.strike.number - 1
        node = self._group.nodes[at]
        match one.strike.kind:
            case "power_off":
                one.words += power_on(self._group, at)
                said = stands_again(self._group, at, self._system, self._stood)
                one.words += [said] if said else []
                node.has_returned()
                one.back = time.monotonic()
            case "link_cut":
                self._cut(at, is_cut=False)
            case "disk_error":
                for disk in node.spec.disks:
                    node.monitor.mend_disk(disk)
            case "slow_disk":
                self._group.limit_node(at)

    def _cut(self, at: int, *, is_cut: bool) -> None:
        if self._group.switch is not None:
            self._group.switch.cut(at, is_cut=is_cut)


@dataclass(frozen=True)
class Kept:
    """What came of a disk: requests that it kept, and those that it lost."""

    kept: int
    lost: int


def restore(log: Path, image: Path, size_bytes: int) -> Kept:
    """Makes a disk that loses what was not flushed what it was at its last flush.

    The log of all that was written to it is QEMU's blklogwrites, of the format of dm-log-writes:
    a head, then for each request an entry of one sector and what was written. The head is
    brought up to date with each flush alone, so it says how many entries are sure to have been
    kept.
    """
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
    """What of the system is on the node's disks after its power was off, in a sentence. A system
    that is set up over nodes goes on there; one that a node made for itself is mounted and looked
    at."""
    if stood is not None:
        mounting = stood.again(at)
        return f"it was set up again, and mounted in {mounting:.1f} s" if mounting else ""
    if not isinstance(find_kind(system.kind), FileSystem):
        return ""
    node = group.nodes[at]
    device = device_of(node.spec.disks[0].serial)
    alone = system.model_copy(update={"rig": None}).model_dump_json()
    stand = order("stand", system=alone, device=device, folder=FOLDER, anew=False)
    try:
        node.ask(stand, _SECONDS)
    except FsgaugeError as error:
        return f"it could not be mounted again: {'; '.join([error.what, *error.details[-1:]])}"
    try:
        found = json.loads(node.ask(order("seen", folder=FOLDER), _SECONDS))
    finally:
        with suppress(FsgaugeError):
            node.ask(order("fall", folder=FOLDER), _SECONDS)
    many = f"{found['files']} file" + "s" * (found["files"] != 1)
    return f"it was mounted again, with {many} of {format_size(found['bytes'])}"
