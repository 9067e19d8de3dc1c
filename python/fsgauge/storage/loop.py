"""A scratch file behind a loop device with direct I/O: loop storage in a folder of our own, RAM
storage on a private tmpfs, where no disk takes part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.machine.device import loop_devices
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.device.device_chain import Link, chain_of_device, under
from fsgauge.machine.facts.limits import available_memory_bytes
from fsgauge.machine.folder.places import require_only_ours
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.traces import LoopTrace, MountTrace
from fsgauge.machine.process.tool import must_run
from fsgauge.plain_files import cause_of
from fsgauge.plain_files.opening import closing
from fsgauge.record.machine import StorageFacts
from fsgauge.storage.base import ROOM_PERCENT, Base, free_bytes, typed
from fsgauge.study.model import LoopStorage, RamStorage
from fsgauge.units import format_size

INSTEAD = "compare folders of mounted file systems: --system /mnt/a --system /mnt/b"
"""What works without root and without loop devices."""
_FILE = "storage.img"
_ROUND_BYTES = 1 << 20


def check(storage: LoopStorage) -> None:
    _require_no_limits(storage)
    require_loops()
    require_place(storage, "loop file")


def require_place(storage: LoopStorage, what: str, number: int = 1) -> None:
    folder = Path(storage.directory)
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {folder} for the {what}",
            next="name one on the disk to be measured: --set storage.directory=/var/tmp",
        )
    require_only_ours(folder, what)
    require_room(folder, storage.size * number)


def _require_no_limits(storage: LoopStorage) -> None:
    """InputError for limits, which only a virtual disk has."""
    for key in ("iops", "bandwidth", "latency"):
        if getattr(storage, key) is not None:
            raise InputError(
                f"storage.{key} limits a virtual disk, and a loop file has the rate of its disk",
                next=f"--rig vm, or leave storage.{key} out",
            )


def require_loops() -> None:
    """RigError on a host without loop devices."""
    reason = loop_devices.loops_available()
    if reason:
        raise RigError("loop devices are not available", cause=reason, next=INSTEAD)


def has_room(folder: Path, size_bytes: int) -> bool:
    """Whether the file system of `folder` can hold that much, and a little for itself."""
    return free_bytes(folder) * 100 >= size_bytes * ROOM_PERCENT


def require_room(folder: Path, size_bytes: int) -> None:
    """InputError when the file system of `folder` cannot hold the file; a sparse one fills too."""
    if has_room(folder, size_bytes):
        return
    free = free_bytes(folder)
    fits = free * 100 // ROOM_PERCENT * 9 // 10
    raise InputError(
        f"{folder} has {format_size(free)} free, and the storage is {format_size(size_bytes)}",
        cause="the runs write the whole file, so it must fit",
        next=f"--storage loop:{typed(fits)}, or another storage.directory",
    )


@contextmanager
def attach(storage: LoopStorage, ledger: Ledger, suffix: str = "") -> Iterator[Base]:
    directory = require_only_ours(Path(storage.directory), "loop file")
    require_room(directory, storage.size)
    with ledger.folder(directory, f"loop{suffix}") as folder:
        file = folder / _FILE
        make_file(file, storage.size, preallocate=storage.preallocate)
        with loop_device(file, ledger) as (device, cautions):
            chain = chain_of_device(device)
            facts = StorageFacts(
                kind="loop",
                sentence=_sentence(storage, chain),
                size_bytes=_size_of(device),
                device_chain=chain,
                cautions=[*_sharing(chain), *cautions],
            )
            refill = file if storage.preallocate else None
            yield Base(device, None, facts.size_bytes, facts, refill, suffix=suffix)


def make_file(file: Path, size_bytes: int, *, preallocate: bool) -> None:
    size_bytes -= size_bytes % _ROUND_BYTES
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with closing(os.open(file, flags, 0o600)) as descriptor:
        try:
            os.truncate(descriptor, size_bytes)
            if preallocate:
                os.posix_fallocate(descriptor, 0, size_bytes)
        except OSError as error:
            raise RigError(
                f"cannot allocate {format_size(size_bytes)} for {file}: {error.strerror}",
                cause=cause_of(error),
                next=f"df -h {quoted(file.parent)}; less: --set storage.size=1GiB",
            ) from error


@contextmanager
def loop_device(file: Path, ledger: Ledger) -> Iterator[tuple[str, list[str]]]:
    """A loop device over `file` and the cautions that go with it."""
    with ledger.holding(LoopTrace(file=str(file), token=ledger.token)):
        device = loop_devices.attach(file)
        refused = loop_devices.use_direct_io(device)
        cautions = []
        if refused:
            cautions.append(
                f"the loop device uses the page cache (direct I/O refused: {refused}),"
                " so reads of every system may be cached below it"
            )
        yield device, cautions


def _size_of(device: str) -> int:
    found = device_at(device)
    if found is None:
        raise RigError(
            f"{device} vanished while it was being attached",
            cause="another program detached it (losetup --detach-all)",
            next="losetup --list; dmesg | tail",
        )
    return found.size_bytes


def _sentence(storage: LoopStorage, chain: list[Link]) -> str:
    lies_on = next(
        (link.get("file_system") for link in chain if link["kind"] == "file_system"), None
    )
    whole = "preallocated loop file" if storage.preallocate else "loop file"
    return (
        f"{whole} {format_size(storage.size)} on {lies_on or 'an unknown file system'}"
        f" at {storage.directory} (on a shared disk)"
    )


def _sharing(chain: list[Link]) -> list[str]:
    return [
        f"the storage is a file on {under(chain[1:])}: its allocation and everything else that"
        " uses the disk affect every run"
    ]


_SLACK_BYTES = 16 << 20
_SHARE_OF_MEMORY = 0.8


def memory_has_room(size_bytes: int) -> bool:
    """Whether so much memory may be taken; True where the kernel does not say what is free."""
    available = available_memory_bytes()
    return available is None or size_bytes <= available * _SHARE_OF_MEMORY


def check_memory(storage: RamStorage) -> None:
    require_loops()
    available = available_memory_bytes()
    if available is not None and not memory_has_room(storage.size):
        fits = int(available * _SHARE_OF_MEMORY) * 9 // 10
        raise InputError(
            f"the storage is {format_size(storage.size)} of memory,"
            f" and {format_size(available)} are available",
            next=f"--storage ram:{typed(fits)}, or --storage loop:8GiB",
        )


@contextmanager
def attach_memory(storage: RamStorage, ledger: Ledger, suffix: str = "") -> Iterator[Base]:
    check_memory(storage)
    with (
        ledger.folder(ledger.mount_folder, f"ram{suffix}") as folder,
        _tmpfs(folder, storage.size, ledger) as inside,
    ):
        file = inside / _FILE
        make_file(file, storage.size, preallocate=False)
        with loop_device(file, ledger) as (device, cautions):
            facts = StorageFacts(
                kind="ram",
                sentence=f"{format_size(storage.size)} of memory behind a loop device"
                " (no disk: this is the software's cost)",
                size_bytes=storage.size - storage.size % (1 << 20),
                device_chain=chain_of_device(device),
                cautions=cautions,
            )
            yield Base(device, None, facts.size_bytes, facts, suffix=suffix)


@contextmanager
def _tmpfs(folder: Path, size_bytes: int, ledger: Ledger) -> Iterator[Path]:
    """A tmpfs with a marked folder in it, since the loop's file must be in our own folder."""
    options = f"size={size_bytes + _SLACK_BYTES},mode=0700,nosuid,nodev"
    with ledger.holding(MountTrace(path=str(folder))):
        must_run(
            ["mount", "-t", "tmpfs", "-o", options, "fsgauge", str(folder)],
            what="cannot mount a tmpfs",
        )
        with ledger.folder(folder, "ram") as inside:
            yield inside
