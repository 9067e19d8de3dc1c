"""An image of our own: a sparse file, made, mounted, aged and unmounted; then it takes its name.

Until then it lies in a marked folder beside the target: an interruption leaves no partial image,
nothing mounted and no loop device.

Its checksum is SHA-256 over every block of 4 KiB that is not all zero, each after its offset, so
sparseness does not matter. After mode fast, which writes no data, that is the file system's own
metadata: superblock, bitmaps, trees.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fsgauge.age.record import Checksum, KeptAge, read_age, record_files
from fsgauge.age.target import require_no_swap
from fsgauge.age.wearing import Order, Worn, wear
from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, RefusedError, RigError, quoted
from fsgauge.machine.device.device_chain import chain_of_device
from fsgauge.machine.device.loop_devices import loops_of
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.plain_files import require_writable, write_all, write_whole
from fsgauge.plain_files.opening import closing
from fsgauge.progress.scan_and_age import StageProgress
from fsgauge.record.machine import StorageFacts
from fsgauge.rig.host.formatted import formatted
from fsgauge.storage.base import Base
from fsgauge.storage.loop import loop_device, make_file
from fsgauge.study.model import System
from fsgauge.system import FileSystem
from fsgauge.units import format_size

_NAME = "image"


@dataclass(frozen=True)
class WornImage:
    """An aged image, unmounted, and how it was made."""

    file: Path
    worn: Worn
    mkfs: str
    mount_options: str


@contextmanager
def worn_image(
    engine: Engine,
    ledger: Ledger,
    folder: Path,
    system: System,
    kind: FileSystem,
    size_bytes: int,
    order: Order,
    progress: StageProgress,
) -> Iterator[WornImage]:
    """An aged image below `folder`, until the context ends."""
    with ledger.folder(folder, "age") as ours:
        file = ours / _NAME
        make_file(file, size_bytes, preallocate=False)
        progress.stage(f"making {kind.name}")
        with loop_device(file, ledger) as (device, cautions):
            size_bytes = file.stat().st_size
            facts = StorageFacts(
                kind="loop",
                sentence=f"sparse image {format_size(size_bytes)}",
                size_bytes=size_bytes,
                device_chain=chain_of_device(device),
                cautions=cautions,
            )
            with formatted(kind, system, Base(device, None, size_bytes, facts), ledger) as made:
                worn = wear(engine, str(made.directory), order, progress)
                progress.stage("unmounting")
        command = " ".join(made.mkfs.command)
        yield WornImage(file, worn, command, made.mount_options)


def take_name(file: Path, target: Path) -> None:
    """Give a finished image its name; RefusedError where something else has taken it."""
    try:
        os.link(file, target)
    except FileExistsError as error:
        raise RefusedError(
            f"{target} was created meanwhile, so it is left alone and the image is discarded",
            next="the same command with another name",
        ) from error
    except OSError as error:
        raise RigError(
            f"cannot create {target}: {error.strerror}",
            cause="the file system may not support hard links",
            next="an image on ext4, XFS or btrfs",
        ) from error


BLOCK_BYTES = 4096
_PIECE_BYTES = 1 << 20
_ZERO = bytes(BLOCK_BYTES)


def checksum_of(file: Path) -> Checksum:
    """Read all data of `file`; RigError where that fails."""
    digest = hashlib.sha256()
    data_bytes = 0
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        with closing(os.open(file, flags)) as descriptor:
            for offset, block in data_blocks(descriptor):
                digest.update(offset.to_bytes(8, "little"))
                digest.update(block)
                data_bytes += len(block)
            size_bytes = os.fstat(descriptor).st_size
    except OSError as error:
        raise RigError(
            f"cannot read {file}: {error.strerror}",
            cause="the disk under it failed, or the file was removed meanwhile",
            next="dmesg | tail",
        ) from error
    digest.update(size_bytes.to_bytes(8, "little"))
    return Checksum(sha256=digest.hexdigest(), size_bytes=size_bytes, data_bytes=data_bytes)


def data_blocks(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Offset and content of each block that is not all zero; holes are not read."""
    for begin, end in _data_ranges(descriptor):
        for offset in range(begin, end, _PIECE_BYTES):
            piece = os.pread(descriptor, min(_PIECE_BYTES, end - offset), offset)
            for at in range(0, len(piece), BLOCK_BYTES):
                block = piece[at : at + BLOCK_BYTES]
                if block != _ZERO[: len(block)]:
                    yield offset + at, block


def _data_ranges(descriptor: int) -> Iterator[tuple[int, int]]:
    """Where the file has data, in whole blocks that do not overlap."""
    size_bytes = os.fstat(descriptor).st_size
    end = 0
    while end < size_bytes:
        try:
            begin = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        hole = os.lseek(descriptor, begin, os.SEEK_HOLE)
        begin = max(begin - begin % BLOCK_BYTES, end)
        end = min(hole + -hole % BLOCK_BYTES, size_bytes)
        yield begin, end


_FICLONE = 0x40049409  # linux/fs.h
_NO_REFLINK = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ETXTBSY)
How = Literal["reflink", "sparse copy"]


def copy_image(image: Path, target: Path, ledger: Ledger) -> tuple[How, KeptAge]:
    """Copy an aged image with its record; RefusedError if it has changed since it was aged."""
    require_writable(target.absolute().parent)
    folder = require_no_swap(target.absolute().parent)
    target = folder / target.name
    kept = read_age(image)
    record = record_files(folder, target.name).age
    if record.exists():
        raise RefusedError(
            f"{record} exists already, so it is left alone", next="another name for the copy"
        )
    devices = loops_of(image.absolute())
    if devices:
        raise RefusedError(
            f"{image} is attached to {devices[0]}, so it could change during the copy",
            next=f"umount {devices[0]}; losetup --detach {devices[0]}",
        )
    with ledger.folder(folder, "age") as ours:
        copy = ours / _NAME
        how = _copied(image, copy)
        if checksum_of(copy) != kept.checksum:
            raise RefusedError(
                f"{image} has changed since it was aged",
                cause="it was mounted, written or damaged; mounting alone changes an image",
                next="age a new one: the record next to it has profile, seed and options",
            )
        take_name(copy, target)
    write_whole(record, kept.text)
    return how, kept


def _copied(image: Path, copy: Path) -> How:
    try:
        source = os.open(image, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(
            f"cannot read {image}: {error.strerror}",
            cause="it is another user's, or not there",
            next=f"ls -l {quoted(image)}",
        ) from error
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with closing(source):
        if not stat.S_ISREG(os.fstat(source).st_mode):
            raise InputError(f"{image} is not a regular file", next=f"ls -l {quoted(image)}")
        try:
            with closing(os.open(copy, flags, 0o600)) as made:
                return _filled(source, made)
        except OSError as error:
            raise RigError(
                f"cannot copy {image}: {error.strerror}",
                cause="there is no room for the copy, or its folder may not be written",
                next=f"df -h {quoted(copy.parent.parent)}",
            ) from error


def _filled(source: int, made: int) -> How:
    try:
        fcntl.ioctl(made, _FICLONE, source)
    except OSError as error:
        if error.errno not in _NO_REFLINK:
            raise
    else:
        return "reflink"
    for offset, block in data_blocks(source):
        os.lseek(made, offset, os.SEEK_SET)
        write_all(made, block)
    os.truncate(made, os.fstat(source).st_size)
    os.fsync(made)
    return "sparse copy"
