"""What the quota of this user and its group leaves in a folder, which statvfs does not tell.

Quotas of projects and datasets show in statvfs. Root has none: the kernel lets it go beyond them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass

from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC

_QUOTACTL_FD = 443
"""Linux 5.14; one number on every machine that the engine is built for."""
_GET = 0x800007 << 8
_USER, _GROUP = 0, 1
_BLOCK_BYTES = 1024
"""The unit of limits (QIF_DQBLKSIZE); what is used is in bytes."""


class _Limits(ctypes.Structure):
    """`struct if_dqblk`; a limit of 0 is none."""

    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("hard_blocks", "soft_blocks", "used_bytes")),
        *((name, ctypes.c_uint64) for name in ("hard_inodes", "soft_inodes", "used_inodes")),
        *((name, ctypes.c_uint64) for name in ("block_grace", "inode_grace")),
        ("valid", ctypes.c_uint32),
    )


@dataclass(frozen=True)
class Left:
    """Bytes and files that may still be added; None where no quota limits them."""

    size_bytes: int | None
    inodes: int | None


def left_by_quota(directory: str) -> Left:
    """The least of the user's and the group's; hard limits, as a study is over before any grace."""
    if os.geteuid() == 0:
        return Left(None, None)
    limits = list(_limits(directory))
    sizes = [
        max(each.hard_blocks * _BLOCK_BYTES - each.used_bytes, 0)
        for each in limits
        if each.hard_blocks
    ]
    inodes = [max(each.hard_inodes - each.used_inodes, 0) for each in limits if each.hard_inodes]
    return Left(min(sizes, default=None), min(inodes, default=None))


def _limits(directory: str) -> Iterator[_Limits]:
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # said by who looks at the folder
        return
    with closing(descriptor):
        for kind, owner in ((_USER, os.geteuid()), (_GROUP, os.getegid())):
            found = _Limits()
            words = (ctypes.c_uint(_GET | kind), ctypes.c_uint(owner), ctypes.byref(found))
            if LIBC.syscall(_QUOTACTL_FD, ctypes.c_uint(descriptor), *words) == 0:
                yield found
