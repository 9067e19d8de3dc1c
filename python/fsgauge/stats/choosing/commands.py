"""A system as commands to copy: how it is made, mounted, and what the kernel is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.durability import made_by, weakened
from fsgauge.units import format_size, grouped

MADE = ("btrfs", "ext2", "ext3", "ext4", "f2fs", "gfs2", "nilfs2", "ocfs2", "xfs")
"""What mkfs makes; all else is there already, or a model."""
FOR_ONE_MACHINE = {"gfs2": "-p lock_nolock -j 1", "ocfs2": "-M local"}
"""What the rig gives mkfs of a file system that is for a cluster."""
_CHECKED_AT_BOOT = ("ext2", "ext3", "ext4")
"""Whose fsck does something: those of the others are programs that do nothing."""
_PROC_SYS = "/proc/sys/"


def commands_of(system: Mapping[str, Any]) -> list[str]:
    """Of a [[system]] of a record: mkfs, /etc/fstab, /etc/sysctl.d and /etc/tmpfiles.d, each below
    the name of its file; then what it gives up. DEVICE, UUID and FOLDER are the reader's. [] of
    what is not made."""
    kind = str(system["kind"])
    if kind not in MADE:
        return []
    order = "0 2" if kind in _CHECKED_AT_BOOT else "0 0"
    hint, chunk = system.get("extent_size_hint"), system.get("allocation_chunk")
    alone = FOR_ONE_MACHINE.get(kind)
    lines = [
        " ".join(filter(None, (f"mkfs.{kind}", alone, system.get("mkfs"), "/dev/DEVICE"))),
        "# /etc/fstab",
        f"UUID=... /FOLDER {kind} {system.get('mount') or 'defaults'} {order}",
    ]
    if hint:
        lines += ["# once it is mounted", f"xfs_io -c 'extsize {hint}' /FOLDER"]
    if chunk:
        lines.append(f"# files get their space by fallocate, {format_size(chunk)} at a time")
    made = made_by(system)
    for file, own in grouped(_setting(*each) for each in made.tunables.items()).items():
        lines += [f"# {file}", *own]
    lines += [f"# the server: {name} = {value}" for name, value in made.server.items()]
    return [*lines, *(f"# {each.option}: {each.loses}" for each in weakened(made))]


def _setting(name: str, value: str) -> tuple[str, str]:
    """The file that sets it at each start of the machine, and the line."""
    if name.startswith(_PROC_SYS):
        key = name.removeprefix(_PROC_SYS).replace("/", ".")
        return "/etc/sysctl.d/60-fsgauge.conf", f"{key} = {value}"
    path = name if name.startswith("/") else f"/sys/block/DEVICE/{name}"
    path = path.replace("{device}", "DEVICE")
    return "/etc/tmpfiles.d/fsgauge.conf", f"w {path} - - - - {value}"
