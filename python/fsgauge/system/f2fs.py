"""F2FS: log-structured, made for flash."""

from __future__ import annotations

from fsgauge.system.kind import (
    FEATURES,
    NOTHING,
    NUMBER,
    FileSystem,
    Switches,
    flags,
    numbers,
    one_of,
)

_MKFS: Switches = {
    **dict.fromkeys(("-a", "-i", "-o", "-s", "-t", "-w", "-z"), NUMBER),
    "-O": FEATURES,
    "-m": NOTHING,
}
"""mkfs.f2fs(8). Not -c: devices; -e, -E: extensions; -l, -T, -U: names of other disks."""
_MOUNT = {
    **flags(
        "acl noacl user_xattr nouser_xattr discard nodiscard no_heap heap inline_xattr"
        " noinline_xattr inline_data noinline_data inline_dentry noinline_dentry flush_merge"
        " noflush_merge barrier nobarrier fastboot extent_cache noextent_cache data_flush"
        " lazytime nolazytime gc_merge nogc_merge atgc quota noquota"
    ),
    **numbers("active_logs inline_xattr_size reserve_root"),
    "background_gc": one_of("on", "off", "sync"),
    "mode": one_of("adaptive", "lfs"),
    "alloc_mode": one_of("default", "reuse"),
    "fsync_mode": one_of("posix", "strict", "nobarrier"),
    "discard_unit": one_of("block", "segment", "section"),
    "errors": one_of("continue", "remount-ro"),
}
"""Documentation/filesystems/f2fs.rst. Not fault_injection; usrjquota: files; checkpoint=disable."""


class F2fs(FileSystem):
    """The file system F2FS."""

    name = "f2fs"
    summary = "f2fs (log-structured, made for flash)"
    driver = "f2fs"
    mkfs = "mkfs.f2fs"
    package = "f2fs-tools"
    mkfs_defaults = ("-q", "-f")
    mkfs_without_discard = ("-t", "0")
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 64 << 20
    facts_command = ("stat", "--file-system", "{directory}")
    facts_wanted = ("Block size",)


SYSTEM = F2fs()
