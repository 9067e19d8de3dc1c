"""mb_groups of a mounted ext4 or ldiskfs, a line a group, as readers of its kernel know it."""

from __future__ import annotations

from pathlib import Path

from fsgauge.engine.wire import ScanSource
from fsgauge.errors import InputError

PROC = Path("/proc/fs")
_KINDS = ("ext4", "ldiskfs")
"""Whose allocator has them, by the folder below /proc/fs."""


def mb_groups(source: ScanSource) -> str:
    """The kernel's own text: free blocks, pieces, the first free block, and buddies by order.

    Raises InputError for what has none, or where it may not be read.
    """
    device = Path(source.device).resolve().name if source.device else ""
    for kind in _KINDS if source.mount_point else ():
        try:
            return (PROC / kind / device / "mb_groups").read_text(encoding="ascii")
        except PermissionError as error:
            raise InputError(
                f"{error.filename} may not be read", next="the same command as root"
            ) from error
        except OSError:
            continue
    raise InputError(
        f"{source.path} has no mb_groups",
        cause="the kernel has them of an ext4 or ldiskfs that is mounted, and of no other",
        next="mount it, and scan the folder",
    )
