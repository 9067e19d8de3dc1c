"""How clients reach their files, in words."""

from __future__ import annotations

from collections.abc import Collection

from fsgauge.access.keys import AccessKeys
from fsgauge.study.smb_protection import Protection, protection_of

_SERVERS = {"samba": "a private Samba server", "ganesha": "a private NFS-Ganesha server"}


def through(workload: AccessKeys, protections: Collection[Protection] = ()) -> str:
    """ "interface auto", "through a private Samba server (SMB 3.0.2, not signed)".

    `protections` are those of the study's systems, where their servers have a say.
    """
    if workload.protocol == "path":
        return f"interface {workload.interface}"
    where = _SERVERS.get(workload.serve, "servers that run already")
    if workload.protocol == "nfs":
        return f"through {where} (NFS version 3)"
    words = [
        f"SMB {workload.smb_dialect}",
        _protected(protections or (protection_of(workload, {}),)),
        *(["with oplocks"] if workload.smb_oplocks else []),
    ]
    return f"through {where} ({', '.join(words)})"


def _protected(protections: Collection[Protection]) -> str:
    found = set(protections)
    if len(found) > 1:
        return "signed or encrypted as each system's server wants it"
    return str(*found)
