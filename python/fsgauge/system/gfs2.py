"""GFS2: for a disk that several machines share; made here for one machine alone."""

from __future__ import annotations

from fsgauge.system.kind import NOTHING, NUMBER, FileSystem, Switches, flags, numbers, one_of

_MKFS: Switches = {
    **dict.fromkeys(("-b", "-c", "-j", "-J", "-r"), NUMBER),
    "-K": NOTHING,
    "-o": {**numbers("format sunit swidth"), "align": one_of("0", "1")},
}
"""mkfs.gfs2(8). Not -p, -t: the rig's; -U: the name of another disk."""
_MOUNT = {
    **flags("acl noacl discard nodiscard barrier nobarrier localflocks suiddir loccookie"),
    **flags("noloccookie rgrplvb norgrplvb"),
    **numbers("commit quota_quantum statfs_quantum statfs_percent"),
    "data": one_of("ordered", "writeback"),
    "errors": one_of("withdraw"),
    "quota": one_of("off", "account", "on", "quiet"),
}
"""gfs2(5). Not lockproto, locktable, hostdata: the rig's; spectator: read-only; errors=panic."""


class Gfs2(FileSystem):
    """The file system GFS2 without its cluster; the virtual rig shares it between machines."""

    name = "gfs2"
    summary = "gfs2 (for a shared disk; on one machine without a cluster)"
    driver = "gfs2"
    mkfs = "mkfs.gfs2"
    package = "gfs2-utils"
    mkfs_defaults = ("-q", "-O", "-p", "lock_nolock", "-j", "1")
    mkfs_without_discard = ("-K",)
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 16 << 20
    facts_command = ("tunegfs2", "-l", "{device}")
    facts_wanted = ("Block size", "Lock protocol", "File system format version")


SYSTEM = Gfs2()
