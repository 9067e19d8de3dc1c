"""How each system of a study is reached, its own words and the study's taken together, and in
words.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.study.access import AccessKeys, merged
from fsgauge.study.model import Study, System
from fsgauge.study.server_options import Protection, protection_of

_SERVERS = {"samba": "a private Samba server", "ganesha": "a private NFS-Ganesha server"}


def access_of(study: Study, system: System) -> AccessKeys:
    """How a system is reached, messages signed and encrypted as a private server of it wants."""
    access = merged(study.access, system.access, is_bare=system.kind == "raw")
    if access.server != "samba":
        return access
    protection = protection_of(access, system.server)
    return access.model_copy(
        update={"smb_signing": protection.signing, "smb_encryption": protection.encryption}
    )


def accesses_of(study: Study) -> tuple[AccessKeys, ...]:
    return tuple(access_of(study, system) for system in study.systems)


def is_beside_path(study: Study, system: System) -> bool:
    """Whether the system has one more turn in each block, over its path without the server."""
    access = access_of(study, system)
    return study.workload.is_told_beside_path and access.server != "none" and access.beside_path


def over_paths(study: Study) -> Study:
    systems = [system.model_copy(update={"access": None}) for system in study.systems]
    return study.model_copy(update={"access": AccessKeys(), "systems": systems})


def is_served(study: Study) -> bool:
    return any(access.protocol != "path" for access in accesses_of(study))


def protection_in(access: AccessKeys) -> Protection:
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
