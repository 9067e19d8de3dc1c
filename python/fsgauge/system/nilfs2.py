"""NILFS2: log-structured, with continuous snapshots."""

from __future__ import annotations

from fsgauge.system.kind import NOTHING, NUMBER, FileSystem, Switches, flags, numbers, one_of

_MKFS: Switches = {
    **dict.fromkeys(("-b", "-B", "-m"), NUMBER),
    "-K": NOTHING,
    "-O": one_of("block_count", "none"),
}
"""mkfs.nilfs2(8). Not -c: bad blocks; -L: names of other disks; -n: makes nothing."""
_MOUNT = {
    **flags("barrier nobarrier discard nodiscard norecovery nogc"),
    **numbers("pp"),
    "order": one_of("relaxed", "strict"),
    "errors": one_of("continue", "remount-ro"),
}
"""mount.nilfs2(8). Not cp=: a snapshot, which is read-only. pp is how long overwritten blocks are
kept, an hour unless it is set: until then the cleaner gives no space back."""


class Nilfs2(FileSystem):
    """The file system NILFS2."""

    name = "nilfs2"
    summary = "nilfs2 (log-structured, continuous snapshots)"
    driver = "nilfs2"
    mkfs = "mkfs.nilfs2"
    package = "nilfs-tools"
    mkfs_defaults = ("-q", "-f")
    mkfs_without_discard = ("-K",)
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 128 << 20
    facts_command = ("nilfs-tune", "-l", "{device}")
    facts_wanted = (
        "Filesystem features",
        "Block size",
        "Blocks per segment",
        "Reserved segments ratio",
    )


SYSTEM = Nilfs2()
