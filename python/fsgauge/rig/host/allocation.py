"""How files get their space, where the study says: asked of the file system before it matters.

FS_IOC_FSSETXATTR with FS_XFLAG_EXTSZINHERIT (include/uapi/linux/fs.h, Linux 6.12) sets the extent
size hint of a folder; XFS gives it to every file that is made in it, and allocates in multiples.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.rig.host.steps import allocate
from fsgauge.study.model import System
from fsgauge.units import exact_size

_FORM = struct.Struct("=5I8x")
"""struct fsxattr: flags, extent size, number of extents, project, extent size of copies."""
_GET, _SET = 0x801C581F, 0x401C5820
_INHERITED = 0x1000
_BLOCK_BYTES = 4096


def require_allocation(system: System, directory: str) -> None:
    """InputError where `directory` cannot give space as the system says; nothing stays there."""
    if system.allocation_chunk is None and system.extent_size_hint is None:
        return
    probe = Path(directory, f".fsgauge-probe-{os.getpid()}")
    probe.mkdir(mode=0o700)
    try:
        if system.extent_size_hint is not None:
            set_extent_size_hint(system, str(probe))
        if system.allocation_chunk is not None:
            _require_fallocate(system, probe)
    finally:
        probe.rmdir()


def set_extent_size_hint(system: System, directory: str) -> int | None:
    """Set the system's hint on a folder and give what is in force, read back; None without one."""
    wanted = system.extent_size_hint
    if wanted is None:
        return None
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flags, _, extents, project, copies = _asked(descriptor)
        attributes = _FORM.pack(flags | _INHERITED, wanted, extents, project, copies)
        fcntl.ioctl(descriptor, _SET, attributes)
        flags, found, *_ = _asked(descriptor)
    except OSError as error:
        raise _refused(system, error.strerror or "no such call") from error
    finally:
        os.close(descriptor)
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


def _require_fallocate(system: System, directory: Path) -> None:
    path = directory / "file"
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
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
        path.unlink()
