"""Which file or device an open file is, whatever path leads to it.

By statx(2) with AT_STATX_DONT_SYNC: a file on a server that stopped answering must not hold up a
look at what other processes have open.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

_AT_FDCWD = -100
_AT_NO_AUTOMOUNT, _AT_STATX_DONT_SYNC = 0x800, 0x4000
_BASIC = 0x7FF
_BYTES = 256
_MODE = struct.Struct("=28xH2xQ")
_NUMBERS = struct.Struct("=128x4I")
"""struct statx (uapi/linux/stat.h): mode and inode; its own numbers, then its file system's."""

_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class FileIdentity:
    """A block device by its numbers, anything else by its file system and inode."""

    is_device: bool
    major: int
    minor: int
    inode: int


def identity_at(path: str) -> FileIdentity:
    """Of what `path` leads to; links of /proc/PID/fd are followed to the open file. OSError."""
    if not hasattr(_LIBC, "statx"):
        return _by_stat(path)
    answer = ctypes.create_string_buffer(_BYTES)
    flags = _AT_NO_AUTOMOUNT | _AT_STATX_DONT_SYNC
    if _LIBC.statx(_AT_FDCWD, os.fsencode(path), flags, _BASIC, answer) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    mode, inode = _MODE.unpack_from(answer)
    own_major, own_minor, major, minor = _NUMBERS.unpack_from(answer)
    if stat.S_ISBLK(mode):
        return FileIdentity(True, own_major, own_minor, 0)
    return FileIdentity(False, major, minor, inode)


def identity_of_device(numbers: str) -> FileIdentity:
    """Of the block device "major:minor"."""
    major, _, minor = numbers.partition(":")
    return FileIdentity(True, int(major), int(minor), 0)


def _by_stat(path: str) -> FileIdentity:
    found = Path(path).stat()
    if stat.S_ISBLK(found.st_mode):
        return FileIdentity(True, os.major(found.st_rdev), os.minor(found.st_rdev), 0)
    return FileIdentity(False, os.major(found.st_dev), os.minor(found.st_dev), found.st_ino)
