"""Where files are placed, for loads that come to them by it: asked before anything is measured.

FS_IOC_FIEMAP (include/uapi/linux/fiemap.h, Linux 6.12) of a file without a name, which is gone at
once. File systems in memory and most of other machines have no such call.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.plain_files.opening import closing
from fsgauge.rig.refusing import or_without
from fsgauge.study.model import Study, System
from fsgauge.workload import method_of

_FIEMAP = 0xC020660B
_HEAD = struct.Struct("=QQIIII")
"""struct fiemap: start, length, flags, mapped, room, reserved. No room: extents are counted."""
_WITHOUT = (errno.EOPNOTSUPP, errno.ENOTTY, errno.ENOSYS, errno.EINVAL)


def require_extents(study: Study, system: System, directory: str) -> None:
    """Raise InputError where the study asks where files in `directory` are placed, and their file
    system does not say."""
    instead = method_of(study.workload).without_extents()
    if not instead or tells_extents(directory) is not False:
        return
    mount = mount_holding(directory)
    kind = mount.file_system if mount else "a file system"
    raise InputError(
        f'"{system.name}" does not say where files are placed',
        cause=f"{directory} is on {kind}, which has no FIEMAP",
        next=or_without(study, system, instead),
    )


def tells_extents(directory: str) -> bool | None:
    """Whether files in a folder have extents that can be asked for; None where that cannot be
    tried."""
    try:
        file = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    with closing(file):
        try:
            fcntl.ioctl(file, _FIEMAP, _HEAD.pack(0, 2**64 - 1, 0, 0, 0, 0))
        except OSError as error:
            return False if error.errno in _WITHOUT else None
    return True
