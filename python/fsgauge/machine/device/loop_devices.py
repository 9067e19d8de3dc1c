"""Loop devices, and the file or device behind each, known by its inode.

Other programs use loop devices too, so ours are known by their backing file. Its path may lead
elsewhere by now or be in another namespace: the driver (LOOP_GET_STATUS64) has the inode. Files are
identified by statx(2) with AT_STATX_DONT_SYNC, so a server that does not answer blocks nothing.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.machine.facts.pseudo_files import text_of
from fsgauge.machine.process.tool import must_run, run_tool
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error

_AT_FDCWD = -100
_AT_NO_AUTOMOUNT, _AT_STATX_DONT_SYNC = 0x800, 0x4000
_BASIC = 0x7FF
_BYTES = 256
_MODE = struct.Struct("=28xH2xQ")
_NUMBERS = struct.Struct("=128x4I")
"""struct statx (uapi/linux/stat.h): mode and inode; its own numbers, then its file system's."""


@dataclass(frozen=True)
class FileIdentity:
    """A block device by its numbers, anything else by its file system and inode."""

    is_device: bool
    major: int
    minor: int
    inode: int


def identity_at(path: str) -> FileIdentity:
    """Of what `path` leads to; links of /proc/PID/fd are followed to the open file. OSError."""
    if not hasattr(LIBC, "statx"):
        return _by_stat(path)
    answer = ctypes.create_string_buffer(_BYTES)
    flags = _AT_NO_AUTOMOUNT | _AT_STATX_DONT_SYNC
    if LIBC.statx(_AT_FDCWD, os.fsencode(path), flags, _BASIC, answer) != 0:
        raise last_error(path)
    mode, inode = _MODE.unpack_from(answer)
    own_major, own_minor, major, minor = _NUMBERS.unpack_from(answer)
    if stat.S_ISBLK(mode):
        return FileIdentity(True, own_major, own_minor, 0)
    return FileIdentity(False, major, minor, inode)


def identity_of_device(numbers: str) -> FileIdentity:
    major, _, minor = numbers.partition(":")
    return FileIdentity(True, int(major), int(minor), 0)


def _by_stat(path: str) -> FileIdentity:
    found = Path(path).stat()
    if stat.S_ISBLK(found.st_mode):
        return FileIdentity(True, os.major(found.st_rdev), os.minor(found.st_rdev), 0)
    return FileIdentity(False, os.major(found.st_dev), os.minor(found.st_dev), found.st_ino)


_CONTROL = Path("/dev/loop-control")
_DELETED = " (deleted)"


def loops_available() -> str | None:
    """None when loop devices can be made here, otherwise why not."""
    if not _CONTROL.exists():
        return "no /dev/loop-control: the kernel has no loop driver, or this is a container"
    return None


def backing_file(device: str) -> str | None:
    """The file behind a loop device ("/dev/loop3"), or None when it has none."""
    name = Path(device).name
    if not re.fullmatch(r"loop\d+", name):
        return None
    try:
        text = (_SYS_BLOCK / name / "loop" / "backing_file").read_text()
    except OSError:
        return None
    return text.rstrip("\n").removesuffix(_DELETED) or None


def loops_of(file: str | Path) -> list[str]:
    names = sorted(entry.name for entry in _SYS_BLOCK.glob("loop*"))
    return [f"/dev/{name}" for name in names if backing_file(f"/dev/{name}") == str(file)]


def attach(file: Path) -> str:
    """Put a file behind a free loop device and give the device; RigError with losetup's words."""
    said = must_run(
        ["losetup", "--find", "--show", str(file)], what=f"no loop device could be made of {file}"
    )
    return said.output.strip()


def use_direct_io(device: str) -> str | None:
    said = run_tool(["losetup", "--direct-io=on", device])
    if has_direct_io(device):
        return None
    return said.words or "the file system below does not support it"


def has_direct_io(device: str) -> bool:
    return text_of(_SYS_BLOCK / Path(device).name / "loop" / "dio") == "1"


def detach(device: str, file: Path) -> None:
    """Ask for the release of a loop device that is still backed by `file`."""
    if backing_file(device) != str(file):
        return
    said = run_tool(["losetup", "--detach", device])
    if said.exit_code != 0 and backing_file(device) == str(file):
        raise RigError(
            f"{device} could not be detached from {file}",
            details=(said.words,),
            cause="another program has it open, or something on it is mounted",
            next=f"fuser -vm {device}; losetup --detach {device}",
        )


_SYS_BLOCK = Path("/sys/block")
_GET_STATUS = 0x4C05
_STATUS_BYTES = 232
_STATUS = struct.Struct("=5Q")
"""struct loop_info64 begins with: device, inode, rdevice, offset, size limit."""
_END = 1 << 63


@dataclass(frozen=True)
class LoopBacking:
    """The part of a file or device that a loop device shows; `path` is None when it is not seen."""

    loop: str
    identity: FileIdentity
    path: str | None
    first_byte: int
    end_byte: int

    def shares_bytes_with(self, other: LoopBacking) -> bool:
        apart = self.end_byte <= other.first_byte or other.end_byte <= self.first_byte
        return self.identity == other.identity and not apart


def backing_of(loop: str) -> LoopBacking | None:
    """What is behind "/dev/loop3"; None for another device, and for a loop without a file."""
    text = backing_file(loop)
    if text is None:
        return None
    with closing(os.open(loop, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as descriptor:
        try:
            answer = fcntl.ioctl(descriptor, _GET_STATUS, bytes(_STATUS_BYTES))
        except OSError:  # detached meanwhile
            return None
    device, inode, own, offset, limit = _STATUS.unpack_from(answer)
    identity = (
        FileIdentity(True, *_numbers(own), 0)
        if own
        else FileIdentity(False, *_numbers(device), inode)
    )
    end = offset + limit if limit else _END
    return LoopBacking(loop, identity, text if leads_to(text, identity) else None, offset, end)


def all_backings() -> Iterator[LoopBacking]:
    for entry in sorted(_SYS_BLOCK.glob("loop*/loop")):
        found = backing_of(f"/dev/{entry.parent.name}")
        if found is not None:
            yield found


def leads_to(path: str, identity: FileIdentity) -> bool:
    """Whether a path is that very file; False where it cannot be looked at."""
    try:
        return identity_at(path) == identity
    except OSError:
        return False


def _numbers(encoded: int) -> tuple[int, int]:
    """new_encode_dev of the kernel (include/linux/kdev_t.h)."""
    return (encoded & 0xFFF00) >> 8, (encoded & 0xFF) | ((encoded >> 12) & 0xFFF00)
