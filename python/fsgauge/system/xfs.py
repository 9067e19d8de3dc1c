"""XFS: extents, delayed allocation, allocation groups."""

from __future__ import annotations

from fsgauge.system.kind import Facts, FileSystem


class Xfs(FileSystem):
    """The file system XFS."""

    name = "xfs"
    summary = "xfs (extents, delayed allocation, allocation groups)"
    driver = "xfs"
    mkfs = "mkfs.xfs"
    package = "xfsprogs"
    mkfs_defaults = ("-q", "-f")
    smallest_bytes = 300 << 20
    facts_command = ("xfs_info", "{directory}")

    def read_facts(self, output: str) -> Facts:
        """Each section of xfs_info: meta-data, data, naming, log, realtime."""
        found: Facts = {}
        section = ""
        for line in output.splitlines():
            name, _, values = line.partition("=")
            section = name.strip() or section
            found[section] = " ".join([*found.get(section, "").split(), *values.split()])
        return found


SYSTEM = Xfs()
