"""XFS: extents, delayed allocation, allocation groups."""

from __future__ import annotations

from fsgauge.system import kind

_MKFS: kind.Switches = {
    "-b": kind.numbers("size log"),
    "-d": {
        **kind.numbers("agcount agsize su sw sunit swidth sectsize sectlog size concurrency"),
        **kind.numbers("extszinherit cowextsize projinherit daxinherit"),
        **kind.flags("noalign"),
    },
    "-i": kind.numbers("size log perblock align maxpct attr projid32bit sparse nrext64 exchange"),
    "-K": kind.NOTHING,
    "-l": {
        **kind.numbers("agnum size version su sunit sectsize sectlog lazy-count concurrency"),
        "internal": kind.perhaps(kind.NUMBER),
    },
    "-m": kind.numbers("crc finobt inobtcount reflink rmapbt bigtime autofsck metadir"),
    "-n": {**kind.numbers("size log ftype parent"), "version": kind.one_of("1", "2", "ci")},
    "-s": kind.numbers("size log"),
}
"""mkfs.xfs(8). Not -d name, -l logdev, -r rtdev: devices; -c, -p: files; -L, -m uuid: names of
other disks; -N: makes nothing."""
_MOUNT = {
    **kind.flags(
        "attr2 noattr2 discard nodiscard filestreams ikeep noikeep inode32 inode64 largeio"
        " nolargeio noalign swalloc wsync grpid nogrpid bsdgroups sysvgroups barrier nobarrier"
        " quota noquota uquota usrquota gquota grpquota pquota prjquota uqnoenforce qnoenforce"
        " gqnoenforce pqnoenforce lifetime nolifetime"
    ),
    **kind.numbers("allocsize logbufs logbsize sunit swidth max_atomic_write"),
    "dax": kind.perhaps(kind.one_of("always", "never", "inode")),
}
"""xfs(5). Not logdev=, rtdev=: devices; not nouuid, which lets two with one name be mounted."""


_INODE_BYTES = 512
_OWN_INODES = 64
"""A chunk: the root and its like."""
_MOST_PERCENT = 90
"""Files have names, and a log is there."""


class Xfs(kind.FileSystem):
    name = "xfs"
    summary = "xfs (extents, delayed allocation, allocation groups)"
    package = "xfsprogs"
    mkfs_defaults = ("-q", "-f")
    mkfs_without_discard = ("-K",)
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 300 << 20
    facts_command = ("xfs_info", "{directory}")

    def more_inodes(self, number: int, size_bytes: int) -> str:
        """The share of its space that they may take."""
        percent = -(-100 * (number + _OWN_INODES) * _INODE_BYTES // size_bytes)
        return f"-i maxpct={percent}" if percent <= _MOST_PERCENT else ""

    def read_facts(self, output: str) -> kind.Facts:
        """Each section of xfs_info: meta-data, data, naming, log, realtime."""
        found: kind.Facts = {}
        section = ""
        for line in output.splitlines():
            name, _, values = line.partition("=")
            section = name.strip() or section
            found[section] = " ".join([*found.get(section, "").split(), *values.split()])
        return found


SYSTEM = Xfs()
