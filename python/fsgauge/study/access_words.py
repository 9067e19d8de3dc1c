"""How clients reach their files, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.study.access import AccessKeys
from fsgauge.study.smb_protection import Protection

_SERVERS = {"samba": "a private Samba server", "ganesha": "a private NFS-Ganesha server"}


def protection_in(access: AccessKeys) -> Protection:
    """How its messages are protected."""
    return Protection(access.smb_signing, access.smb_encryption)


def way(access: AccessKeys) -> str:
    """One system's way: "its path", "a private Samba server (SMB 3.0.2, not signed)"."""
    return _way(access, str(protection_in(access)))


def ways(accesses: Sequence[AccessKeys]) -> list[str]:
    """The ways in which systems are reached, each once, whatever their messages' protection."""
    return list(dict.fromkeys(_way(access, "") for access in accesses))


def through(accesses: Sequence[AccessKeys], interface: str) -> str:
    """ "interface auto", "through a private Samba server (SMB 3.0.2, not signed)"."""
    remote = list(dict.fromkeys(each for each in accesses if each.protocol != "path"))
    if not remote:
        return f"interface {interface}"
    if len(ways(accesses)) > 1:
        over_path = f" (its path: interface {interface})" * (len(remote) < len(accesses))
        return f"each system as it specifies{over_path}"
    protections = {str(protection_in(each)) for each in remote}
    protected = "signed or encrypted as each system's server requires"
    return f"through {_way(remote[0], protected if len(protections) > 1 else protections.pop())}"


def _way(access: AccessKeys, protected: str) -> str:
    if access.protocol == "path":
        return "its path"
    where = _SERVERS.get(access.server, "running servers")
    if access.protocol == "nfs":
        return f"{where} (NFS version 3)"
    words = [f"SMB {access.smb_dialect}", protected, "with oplocks" if access.smb_oplocks else ""]
    return f"{where} ({', '.join(word for word in words if word)})"
