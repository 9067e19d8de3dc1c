"""How each system of a study is reached, its own words and the study's taken together."""

from __future__ import annotations

from fsgauge.study.access import AccessKeys, merged
from fsgauge.study.model import Study, System
from fsgauge.study.smb_protection import protection_of


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
    """How the systems are reached, in their order."""
    return tuple(access_of(study, system) for system in study.systems)


def is_beside_path(study: Study, system: System) -> bool:
    """Whether the system has one more turn in each block, over its path without the server."""
    access = access_of(study, system)
    return study.workload.is_told_beside_path and access.server != "none" and access.beside_path


def over_paths(study: Study) -> Study:
    """The same study over the systems' paths."""
    systems = [system.model_copy(update={"access": None}) for system in study.systems]
    return study.model_copy(update={"access": AccessKeys(), "systems": systems})


def is_served(study: Study) -> bool:
    """Whether any system's files are reached through a server, the study's own or another."""
    return any(access.protocol != "path" for access in accesses_of(study))
