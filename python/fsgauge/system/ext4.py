"""ext4: extents, delayed allocation, journal."""

from __future__ import annotations

from fsgauge.system.ext_family import ExtFamily


class Ext4(ExtFamily):
    """The file system ext4."""

    name = "ext4"
    summary = "ext4 (extents, delayed allocation, journal)"
    driver = "ext4"
    mkfs = "mkfs.ext4"


SYSTEM = Ext4()
