"""Btrfs: copy on write, checksums."""

from __future__ import annotations

from fsgauge.system import kind

_CHECKSUM = kind.one_of("crc32c", "xxhash", "sha256", "blake2")
_MKFS: kind.Switches = {
    **dict.fromkeys(("-d", "--data", "-m", "--metadata"), kind.one_of("single", "dup")),
    **dict.fromkeys(("-M", "--mixed", "-K", "--nodiscard"), kind.NOTHING),
    **dict.fromkeys(("--csum", "--checksum"), _CHECKSUM),
    **dict.fromkeys(("-n", "--nodesize", "-s", "--sectorsize", "-b", "--byte-count"), kind.NUMBER),
    **dict.fromkeys(("-O", "--features", "-R", "--runtime-features"), kind.FEATURES),
}
"""mkfs.btrfs(8). Not -r, --rootdir, -u: folders; -L, -U, --device-uuid: names of other disks."""
_MOUNT = {
    **kind.flags(
        "acl noacl autodefrag noautodefrag barrier nobarrier clear_cache datacow nodatacow datasum"
        " nodatasum nodiscard flushoncommit noflushoncommit treelog notreelog nospace_cache ssd"
        " nossd ssd_spread nossd_spread"
    ),
    **kind.numbers("commit max_inline metadata_ratio thread_pool"),
    **dict.fromkeys(("compress", "compress-force"), kind.perhaps(kind.LEVEL)),
    "discard": kind.perhaps(kind.one_of("sync", "async")),
    "space_cache": kind.perhaps(kind.WORD),
}
"""btrfs(5). Not device=, degraded, rescue=: other devices; not subvol=: a path."""


class Btrfs(kind.FileSystem):
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
