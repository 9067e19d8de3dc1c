"""ext3: ext2 with a journal, block maps."""

from __future__ import annotations

from fsgauge.system.ext_family import ExtFamily


class Ext3(ExtFamily):
    """The file system ext3."""

    name = "ext3"
    summary = "ext3 (ext2 with a journal, block maps)"
    driver = "ext3"
    mkfs = "mkfs.ext3"


SYSTEM = Ext3()
