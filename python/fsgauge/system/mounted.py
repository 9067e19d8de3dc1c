"""mounted: a file system that is already mounted, used in a scratch folder as it stands."""

from __future__ import annotations

from fsgauge.system.kind import SystemKind


class Mounted(SystemKind):
    """Whatever lies at a path: local, network or stacked."""

    name = "mounted"
    summary = "a file system that is mounted already; a scratch folder in it, nothing formatted"
    placement = "folder"


SYSTEM = Mounted()
