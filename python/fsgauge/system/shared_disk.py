"""GFS2 and OCFS2: for a disk that several machines share; made here for one machine alone."""

from __future__ import annotations

from fsgauge.system import kind

_GFS2_MKFS: kind.Switches = {
    **dict.fromkeys(("-b", "-c", "-j", "-J", "-r"), kind.NUMBER),
    "-K": kind.NOTHING,
    "-o": {**kind.numbers("format sunit swidth"), "align": kind.one_of("0", "1")},
}
"""mkfs.gfs2(8). Not -p, -t: the rig's; -U: the name of another disk."""
_GFS2_MOUNT = {
    **kind.flags("acl noacl discard nodiscard barrier nobarrier localflocks suiddir loccookie"),
    **kind.flags("noloccookie rgrplvb norgrplvb"),
    **kind.numbers("commit quota_quantum statfs_quantum statfs_percent"),
    "data": kind.one_of("ordered", "writeback"),
    "errors": kind.one_of("withdraw"),
    "quota": kind.one_of("off", "account", "on", "quiet"),
}
"""gfs2(5). Not lockproto, locktable, hostdata: the rig's; spectator: read-only; errors=panic."""


class Gfs2(kind.FileSystem):
    """The file system GFS2 without its cluster; the virtual rig shares it between machines."""

    name = "gfs2"
    summary = "gfs2 (for a shared disk; on one machine without a cluster)"
    package = "gfs2-utils"
    mkfs_defaults = ("-q", "-O", "-p", "lock_nolock", "-j", "1")
    mkfs_without_discard = ("-K",)
    mkfs_options = _GFS2_MKFS
    mount_options = _GFS2_MOUNT
    smallest_bytes = 16 << 20
    facts_command = ("tunegfs2", "-l", "{device}")
    facts_wanted = ("Block size", "Lock protocol", "File system format version")


GFS2 = Gfs2()


_OCFS2_MKFS: kind.Switches = {
    **dict.fromkeys(("-b", "-C", "-N"), kind.NUMBER),
    "-J": {**kind.numbers("size"), **kind.flags("block32 block64")},
    "-T": kind.one_of("mail", "datafiles", "vmstore"),
    "--fs-feature-level": kind.one_of("max-compat", "default", "max-features"),
    "--fs-features": kind.FEATURES,
}
"""mkfs.ocfs2(8). Not -L, -U: names of other disks; -M and --cluster-...: the rig's."""
_OCFS2_MOUNT = {
    **kind.flags(
        "acl noacl user_xattr nouser_xattr intr nointr inode64 localflocks usrquota grpquota"
    ),
    **kind.numbers("atime_quantum commit localalloc preferred_slot resv_level dir_resv_level"),
    "barrier": kind.one_of("0", "1"),
    "coherency": kind.one_of("full", "buffered"),
    "data": kind.one_of("ordered", "writeback"),
    "errors": kind.one_of("continue", "remount-ro"),
}
"""kernel.org Documentation/filesystems/ocfs2.rst. Not heartbeat, cluster_stack;
journal_async_commit; errors=panic."""


class Ocfs2(kind.FileSystem):
    """The file system OCFS2 without its cluster; the virtual rig shares it between machines."""

    name = "ocfs2"
    summary = "ocfs2 (for a shared disk; on one machine without a cluster)"
    package = "ocfs2-tools"
    mkfs_defaults = ("-q", "-F", "-M", "local")
    mkfs_options = _OCFS2_MKFS
    mount_options = _OCFS2_MOUNT
    smallest_bytes = 16 << 20
    facts_command = ("stat", "--file-system", "{directory}")
    facts_wanted = ("Block size",)


OCFS2 = Ocfs2()
