"""ext2: without a journal."""

from __future__ import annotations

from fsgauge.system.ext_family import ExtFamily


class Ext2(ExtFamily):
    """The file system ext2."""

    name = "ext2"
    summary = "ext2 (no journal)"
    driver = "ext2"
    mkfs = "mkfs.ext2"


SYSTEM = Ext2()
