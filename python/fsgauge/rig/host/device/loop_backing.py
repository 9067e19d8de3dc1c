"""What lies behind a loop device, as its driver says (LOOP_GET_STATUS64, uapi/linux/loop.h).

The file is known by its inode: its path may lead elsewhere by now, or lie in another namespace.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge.rig.host.device import loop_devices
from fsgauge.rig.host.device.file_identity import FileIdentity, identity_at

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
        """Whether what is written through one can be read through the other."""
        apart = self.end_byte <= other.first_byte or other.end_byte <= self.first_byte
        return self.identity == other.identity and not apart


def backing_of(loop: str) -> LoopBacking | None:
    """What is behind "/dev/loop3"; None for another device, and for a loop without a file."""
    text = loop_devices.backing_file(loop)
    if text is None:
        return None
    descriptor = os.open(loop, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        answer = fcntl.ioctl(descriptor, _GET_STATUS, bytes(_STATUS_BYTES))
    except OSError:  # detached meanwhile
        return None
    finally:
        os.close(descriptor)
    device, inode, own, offset, limit = _STATUS.unpack_from(answer)
    identity = (
        FileIdentity(True, *_numbers(own), 0)
        if own
        else FileIdentity(False, *_numbers(device), inode)
    )
    end = offset + limit if limit else _END
    return LoopBacking(loop, identity, text if _leads_to(text, identity) else None, offset, end)


def all_backings() -> Iterator[LoopBacking]:
    """Of every loop device that has one."""
    for entry in sorted(_SYS_BLOCK.glob("loop*/loop")):
        found = backing_of(f"/dev/{entry.parent.name}")
        if found is not None:
            yield found


def _leads_to(path: str, identity: FileIdentity) -> bool:
    try:
        return identity_at(path) == identity
    except OSError:
        return False


def _numbers(encoded: int) -> tuple[int, int]:
    """new_encode_dev of the kernel (include/linux/kdev_t.h)."""
    return (encoded & 0xFFF00) >> 8, (encoded & 0xFF) | ((encoded >> 12) & 0xFFF00)
