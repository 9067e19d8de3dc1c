"""OCFS2: for a disk that several machines share; made here for one machine alone."""

from __future__ import annotations

from fsgauge.system.kind import (
    FEATURES,
    NUMBER,
    FileSystem,
    Switches,
    flags,
    numbers,
    one_of,
)

_MKFS: Switches = {
    **dict.fromkeys(("-b", "-C", "-N"), NUMBER),
    "-J": {**numbers("size"), **flags("block32 block64")},
    "-T": one_of("mail", "datafiles", "vmstore"),
    "--fs-feature-level": one_of("max-compat", "default", "max-features"),
    "--fs-features": FEATURES,
}
"""mkfs.ocfs2(8). Not -L, -U: names of other disks; -M and --cluster-...: the rig's."""
_MOUNT = {
    **flags("acl noacl user_xattr nouser_xattr intr nointr inode64 localflocks usrquota grpquota"),
    **numbers("atime_quantum commit localalloc preferred_slot resv_level dir_resv_level"),
    "barrier": one_of("0", "1"),
    "coherency": one_of("full", "buffered"),
    "data": one_of("ordered", "writeback"),
    "errors": one_of("continue", "remount-ro"),
}
"""kernel.org Documentation/filesystems/ocfs2.rst. Not heartbeat, cluster_stack;
journal_async_commit; errors=panic."""


class Ocfs2(FileSystem):
    """The file system OCFS2 without its cluster; the virtual rig shares it between machines."""

    name = "ocfs2"
    summary = "ocfs2 (for a shared disk; on one machine without a cluster)"
    driver = "ocfs2"
    mkfs = "mkfs.ocfs2"
    package = "ocfs2-tools"
    mkfs_defaults = ("-q", "-F", "-M", "local")
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 16 << 20
    facts_command = ("stat", "--file-system", "{directory}")
    facts_wanted = ("Block size",)


SYSTEM = Ocfs2()
