"""Whether a rig's systems are where another program can use them."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.rig.rig import Rig
from fsgauge.rig.session import Session


def require_here(rig: Rig, program: str) -> None:
    """InputError for a rig that makes machines of its own."""
    if rig.has_nodes:
        raise InputError(
            f"{program} is compared on this machine alone",
            next="without --rig; or --with bonnie++ --rig vm, for the study sharing",
        )


def lender_of(session: Session, rig: str, program: str) -> Session:
    """The session, which lends its systems; InputError where they are not on this machine."""
    if not session.lends_here:
        raise InputError(
            f"the rig {rig} cannot be cross-checked",
            cause=f"its systems are not on this machine, where {program} could use them",
            next="--rig host",
        )
    return session


def machines_of(session: Session, rig: str) -> Session:
    """The session, whose machines run programs; InputError where they do not."""
    if not session.lends:
        raise InputError(
            f"the rig {rig} runs no programs of others",
            cause="a program runs on the machine that has the file system",
            next="--rig host, or --rig vm",
        )
    return session
