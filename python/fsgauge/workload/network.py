"""How clients reach their files, in words."""

from __future__ import annotations

from fsgauge.study.workload import ConnectionsWorkload

_SERVERS = {"samba": "a private Samba server", "ganesha": "a private NFS-Ganesha server"}


def through(workload: ConnectionsWorkload) -> str:
    """ "interface auto", "through a private Samba server (SMB 3.0.2, not signed)"."""
    if workload.protocol == "path":
        return f"interface {workload.interface}"
    where = _SERVERS.get(workload.serve, "servers that run already")
    if workload.protocol == "nfs":
        return f"through {where} (NFS version 3)"
    words = [
        f"SMB {workload.smb_dialect}",
        "signed" if workload.smb_signing else "not signed",
        *(["encrypted"] if workload.smb_encryption else []),
        *(["with oplocks"] if workload.smb_oplocks else []),
    ]
    return f"through {where} ({', '.join(words)})"
