"""A system as commands to copy: how it is made, mounted, and what the kernel is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MADE = ("btrfs", "ext2", "ext3", "ext4", "f2fs", "gfs2", "nilfs2", "ocfs2", "xfs")
"""What mkfs makes; all else is there already, or a model."""
_CHECKED_AT_BOOT = ("ext2", "ext3", "ext4")
"""Whose fsck does something: those of the others are programs that do nothing."""
_PROC_SYS = "/proc/sys/"
_DEVICE = "{device}"


def commands_of(system: Mapping[str, Any]) -> list[str]:
    """Of a [[system]] of a record: the line of mkfs, of /etc/fstab, of /etc/sysctl.d and of
    /etc/tmpfiles.d; DEVICE, UUID and FOLDER are the reader's. [] of what is not made."""
    kind = str(system["kind"])
    if kind not in MADE:
        return []
    mkfs = " ".join(filter(None, (f"mkfs.{kind}", system.get("mkfs"), "/dev/DEVICE")))
    order = "0 2" if kind in _CHECKED_AT_BOOT else "0 0"
    fstab = f"UUID=... /FOLDER {kind} {system.get('mount') or 'defaults'} {order}"
    return [
        mkfs,
        f"{fstab}      # /etc/fstab",
        *(_setting(name, str(value)) for name, value in (system.get("tunables") or {}).items()),
    ]


def _setting(name: str, value: str) -> str:
    if name.startswith(_PROC_SYS):
        key = name.removeprefix(_PROC_SYS).replace("/", ".")
        return f"{key} = {value}      # /etc/sysctl.d/60-fsgauge.conf"
    path = name if name.startswith("/") else f"/sys/block/{_DEVICE}/{name}"
    path = path.replace(_DEVICE, "DEVICE")
    return f"w {path} - - - - {value}      # /etc/tmpfiles.d/fsgauge.conf"
