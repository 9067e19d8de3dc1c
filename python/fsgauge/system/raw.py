"""raw: the block device itself, the same number of bytes that the files of the others fill."""

from __future__ import annotations

from fsgauge.system.kind import SystemKind


class Raw(SystemKind):
    """No file system."""

    name = "raw"
    summary = "the bare block device, no file system"
    placement = "bare"


SYSTEM = Raw()
