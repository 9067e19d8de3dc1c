"""Btrfs: copy on write, checksums."""

from __future__ import annotations

from fsgauge.system.kind import FileSystem


class Btrfs(FileSystem):
    """The file system Btrfs."""

    name = "btrfs"
    summary = "btrfs (copy on write, checksums)"
    driver = "btrfs"
    mkfs = "mkfs.btrfs"
    package = "btrfs-progs"
    mkfs_defaults = ("-q", "-f")
    smallest_bytes = 256 << 20
    facts_command = ("btrfs", "filesystem", "df", "{directory}")
    forget_command = ("btrfs", "device", "scan", "--forget", "{device}")


SYSTEM = Btrfs()
