"""share: a share or an export of a server that runs already, reached over the network."""

from __future__ import annotations

from fsgauge.system.kind import SystemKind


class Share(SystemKind):
    """Whatever a server shares over SMB or NFS."""

    name = "share"
    summary = "a share of a running server (SMB, NFS), each client with its own session"
    placement = "share"


SYSTEM = Share()
"""Where it is stands in the study: the access of the system, or of all."""
