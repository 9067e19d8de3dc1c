"""F2FS and NILFS2: log-structured; one made for flash, one with continuous snapshots."""

from __future__ import annotations

from fsgauge.system import kind

_F2FS_MKFS: kind.Switches = {
    **dict.fromkeys(("-a", "-i", "-o", "-s", "-t", "-w", "-z"), kind.NUMBER),
    "-O": kind.FEATURES,
    "-m": kind.NOTHING,
}
"""mkfs.f2fs(8). Not -c: devices; -e, -E: extensions; -l, -T, -U: names of other disks."""
_F2FS_MOUNT = {
    **kind.flags(
        "acl noacl user_xattr nouser_xattr discard nodiscard no_heap heap inline_xattr"
        " noinline_xattr inline_data noinline_data inline_dentry noinline_dentry flush_merge"
        " noflush_merge barrier nobarrier fastboot extent_cache noextent_cache data_flush"
        " lazytime nolazytime gc_merge nogc_merge atgc quota noquota"
    ),
    **kind.numbers("active_logs inline_xattr_size reserve_root"),
    "background_gc": kind.one_of("on", "off", "sync"),
    "mode": kind.one_of("adaptive", "lfs"),
    "alloc_mode": kind.one_of("default", "reuse"),
    "fsync_mode": kind.one_of("posix", "strict", "nobarrier"),
    "discard_unit": kind.one_of("block", "segment", "section"),
    "errors": kind.one_of("continue", "remount-ro"),
}
"""Documentation/filesystems/f2fs.rst. Not fault_injection; usrjquota: files; checkpoint=disable."""


class F2fs(kind.FileSystem):
    name = "f2fs"
    summary = "f2fs (log-structured, made for flash)"
    package = "f2fs-tools"
    mkfs_defaults = ("-q", "-f")
    mkfs_without_discard = ("-t", "0")
    mkfs_options = _F2FS_MKFS
    mount_options = _F2FS_MOUNT
    smallest_bytes = 64 << 20
    facts_command = ("stat", "--file-system", "{directory}")
    facts_wanted = ("Block size",)


F2FS = F2fs()


_NILFS2_MKFS: kind.Switches = {
    **dict.fromkeys(("-b", "-B", "-m"), kind.NUMBER),
    "-K": kind.NOTHING,
    "-O": kind.one_of("block_count", "none"),
}
"""mkfs.nilfs2(8). Not -c: bad blocks; -L: names of other disks; -n: makes nothing."""
_NILFS2_MOUNT = {
    **kind.flags("barrier nobarrier discard nodiscard norecovery nogc"),
    **kind.numbers("pp"),
    "order": kind.one_of("relaxed", "strict"),
    "errors": kind.one_of("continue", "remount-ro"),
}
"""mount.nilfs2(8). Not cp=: a snapshot, which is read-only. pp is how long overwritten blocks are
kept, an hour unless it is set: until then the cleaner gives no space back."""


class Nilfs2(kind.FileSystem):
    name = "nilfs2"
    summary = "nilfs2 (log-structured, continuous snapshots)"
    package = "nilfs-tools"
    mkfs_defaults = ("-q", "-f")
    mkfs_without_discard = ("-K",)
    mkfs_options = _NILFS2_MKFS
    mount_options = _NILFS2_MOUNT
    smallest_bytes = 128 << 20
    facts_command = ("nilfs-tune", "-l", "{device}")
    facts_wanted = (
        "Filesystem features",
        "Block size",
        "Blocks per segment",
        "Reserved segments ratio",
    )


NILFS2 = Nilfs2()
