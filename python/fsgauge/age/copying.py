"""A copy of an aged image: a reflink where the file system supports it, else a sparse file.

The copy is checked, not the original: one that differs from the record never gets its name.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from pathlib import Path
from typing import Literal

from fsgauge.age.image import checksum_of, data_blocks, take_name
from fsgauge.age.record import KeptAge, beside, read_age
from fsgauge.age.target import require_no_swap, require_place
from fsgauge.errors import InputError, RefusedError, RigError
from fsgauge.machine.device.loop_devices import loops_of
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.plain_files import write_whole

_FICLONE = 0x40049409  # linux/fs.h
_NO_REFLINK = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ETXTBSY)
How = Literal["reflink", "sparse copy"]


def copy_image(image: Path, target: Path, ledger: Ledger) -> tuple[How, KeptAge]:
    """Copy an aged image with its record; RefusedError if it has changed since it was aged."""
    require_place(target.absolute().parent)
    folder = require_no_swap(target.absolute().parent)
    target = folder / target.name
    kept = read_age(image)
    record = beside(folder, target.name).age
    if record.exists():
        raise RefusedError(f"{record} exists already, so it is left alone")
    devices = loops_of(image.absolute())
    if devices:
        raise RefusedError(
            f"{image} is attached to {devices[0]}, so it could change during the copy",
            next=f"umount {devices[0]}; losetup --detach {devices[0]}",
        )
    with ledger.folder(folder, "age") as ours:
        copy = ours / "image"
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
        raise InputError(f"cannot read {image}: {error.strerror}", next=f"ls -l {image}") from error
    try:
        if not stat.S_ISREG(os.fstat(source).st_mode):
            raise InputError(f"{image} is not a regular file", next=f"ls -l {image}")
        made = os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            return _filled(source, made)
        finally:
            os.close(made)
    except OSError as error:
        raise RigError(
            f"cannot copy {image}: {error.strerror}", next=f"df -h {copy.parent.parent}"
        ) from error
    finally:
        os.close(source)


def _filled(source: int, made: int) -> How:
    try:
        fcntl.ioctl(made, _FICLONE, source)
    except OSError as error:
        if error.errno not in _NO_REFLINK:
            raise
    else:
        return "reflink"
    for offset, block in data_blocks(source):
        _write_all(made, block, offset)
    os.truncate(made, os.fstat(source).st_size)
    os.fsync(made)
    return "sparse copy"


def _write_all(descriptor: int, block: bytes, offset: int) -> None:
    done = 0
    while done < len(block):
        done += os.pwrite(descriptor, block[done:], offset + done)
