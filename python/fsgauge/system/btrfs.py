"""Btrfs: copy on write, checksums."""

from __future__ import annotations

from fsgauge.system.kind import (
    FEATURES,
    LEVEL,
    NOTHING,
    NUMBER,
    WORD,
    FileSystem,
    Switches,
    flags,
    numbers,
    one_of,
    perhaps,
)

_CHECKSUM = one_of("crc32c", "xxhash", "sha256", "blake2")
_MKFS: Switches = {
    **dict.fromkeys(("-d", "--data", "-m", "--metadata"), one_of("single", "dup")),
    **dict.fromkeys(("-M", "--mixed", "-K", "--nodiscard"), NOTHING),
    **dict.fromkeys(("--csum", "--checksum"), _CHECKSUM),
    **dict.fromkeys(("-n", "--nodesize", "-s", "--sectorsize", "-b", "--byte-count"), NUMBER),
    **dict.fromkeys(("-O", "--features", "-R", "--runtime-features"), FEATURES),
}
"""mkfs.btrfs(8). Not -r, --rootdir, -u: folders; -L, -U, --device-uuid: names of other disks."""
_MOUNT = {
    **flags(
        "acl noacl autodefrag noautodefrag barrier nobarrier clear_cache datacow nodatacow datasum"
        " nodatasum nodiscard flushoncommit noflushoncommit treelog notreelog nospace_cache ssd"
        " nossd ssd_spread nossd_spread"
    ),
    **numbers("commit max_inline metadata_ratio thread_pool"),
    **dict.fromkeys(("compress", "compress-force"), perhaps(LEVEL)),
    "discard": perhaps(one_of("sync", "async")),
    "space_cache": perhaps(WORD),
}
"""btrfs(5). Not device=, degraded, rescue=: other devices; not subvol=: a path."""


class Btrfs(FileSystem):
    """The file system Btrfs."""

    name = "btrfs"
    summary = "btrfs (copy on write, checksums)"
    package = "btrfs-progs"
    mkfs_defaults = ("-q", "-f")
    mkfs_without_discard = ("--nodiscard",)
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 256 << 20
    writes_nothing_when_read_only = True
    facts_command = ("btrfs", "filesystem", "df", "{directory}")
    forget_command = ("btrfs", "device", "scan", "--forget", "{device}")


SYSTEM = Btrfs()
