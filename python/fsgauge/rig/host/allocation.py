"""How files get their space, where the study says: asked of the file system before it matters.

FS_IOC_FSSETXATTR with FS_XFLAG_EXTSZINHERIT (include/uapi/linux/fs.h, Linux 6.12) sets the extent
size hint of a folder; XFS gives it to every file that is made in it, and allocates in multiples.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

from fsgauge.errors import InputError
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.rig.host.steps import allocate
from fsgauge.study.model import System
from fsgauge.units import exact_size

_FORM = struct.Struct("=5I8x")
"""struct fsxattr: flags, extent size, number of extents, project, extent size of copies."""
_GET, _SET = 0x801C581F, 0x401C5820
_INHERITED = 0x1000
_BLOCK_BYTES = 4096
_FILE = "file"
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def asks_for_allocation(system: System) -> bool:
    """Whether a system says how its files get their space."""
    return system.allocation_chunk is not None or system.extent_size_hint is not None


def require_allocation(system: System, folder: OpenFolder) -> None:
    """InputError where a folder cannot give space as the system says; the folder keeps the hint."""
    if not asks_for_allocation(system):
        return
    with folder.opened(folder.path) as here:
        set_extent_size_hint(system, here)
        if system.allocation_chunk is not None:
            _require_fallocate(system, here)


def set_extent_size_hint(system: System, descriptor: int) -> int | None:
    """Set the system's hint on an open folder and give what is in force, read back; None without
    one."""
    wanted = system.extent_size_hint
    if wanted is None:
        return None
    try:
        flags, _, extents, project, copies = _asked(descriptor)
        attributes = _FORM.pack(flags | _INHERITED, wanted, extents, project, copies)
        fcntl.ioctl(descriptor, _SET, attributes)
        flags, found, *_ = _asked(descriptor)
    except OSError as error:
        raise _refused(system, error.strerror or "no such call") from error
    if not flags & _INHERITED or found != wanted:
        raise _refused(system, f"it reads back as {exact_size(found) if found else 'none'}")
    return found


def _asked(descriptor: int) -> tuple[int, ...]:
    return _FORM.unpack(fcntl.ioctl(descriptor, _GET, bytes(_FORM.size)))


def _refused(system: System, reason: str) -> InputError:
    return InputError(
        f'"{system.name}" does not take an extent size hint of'
        f" {exact_size(system.extent_size_hint or 0)}",
        cause=f"{reason}; only XFS has such hints, in multiples of its block size",
        next="leave extent_size_hint out, or allocation_chunk for any system with fallocate",
    )


def _require_fallocate(system: System, folder: int) -> None:
    descriptor = os.open(_FILE, _NEW_FILE, 0o600, dir_fd=folder)
    try:
        allocate(descriptor, 0, _BLOCK_BYTES)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        raise InputError(
            f'"{system.name}" has no fallocate, which its allocation_chunk needs',
            cause=f"{system.kind}: {error.strerror}",
            next="leave allocation_chunk out: files are then written, and the file system's"
            " allocator decides",
        ) from error
    finally:
        os.close(descriptor)
        os.unlink(_FILE, dir_fd=folder)
