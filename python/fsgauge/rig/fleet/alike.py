"""What the hosts of a fleet must have in common, and what --same asks for beside that."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.errors import InputError, RigError
from fsgauge.rig.fleet.identity import HostIdentity, own_identity

_COMPARED = {
    "kernel": "kernel",
    "architecture": "architecture",
    "processor": "processor",
    "processor_count": "number of processors",
}


def require_alike(identities: Mapping[str, HostIdentity], *, one_machine: bool) -> None:
    """Raise InputError for two names of one machine, another version, or another engine.

    With `one_machine`, hosts are processes of this machine on purpose.
    """
    own = own_identity()
    seen: dict[tuple[str, str], str] = {}
    for name, found in identities.items():
        if found.fsgauge != own.fsgauge:
            raise other_version(name, found.fsgauge)
        if found.engine_sha256 is None:
            raise RigError(
                f"{name}: {found.engine_missing or 'the engine cannot be read'}",
                cause="fsgauge is installed there without its engine",
                next=f"install fsgauge {own.fsgauge} on {name} again",
            )
        if own.engine_sha256 is not None and found.engine_sha256 != own.engine_sha256:
            raise InputError(
                f"{name} has another build of the engine than this machine",
                details=(
                    f"here    {own.engine_sha256[:16]}",
                    f"{name}    {found.engine_sha256[:16]}",
                ),
                cause="hosts with different engines would be compared with one another",
                next=f"install on {name} what is installed here",
            )
        one = (found.machine, found.boot)
        if not one_machine and one in seen:
            raise InputError(
                f"{seen[one]} and {name} are two names of one machine",
                details=(f"both are {found.host_name}, machine {found.machine[:12]}",),
                cause="its load would be counted twice",
                next="leave one of them out of the hosts",
            )
        seen[one] = name


def require_same(identities: Mapping[str, HostIdentity]) -> None:
    """Raise InputError where hosts differ in their kernel or processors: what --same asks for."""
    (first, expected), *others = identities.items()
    for name, found in others:
        for key, words in _COMPARED.items():
            here, there = getattr(expected, key), getattr(found, key)
            if here != there:
                raise InputError(
                    f"{name} has another {words} than {first}, and --same asks for equal hosts",
                    details=(f"{first}: {here}", f"{name}: {there}"),
                    cause="a host that is slower than the others may be so because of it",
                    next=f"leave {name} out; or leave out --same, and the page says it",
                )


def other_version(name: str, version: str | None) -> InputError:
    """A host with another fsgauge; None where what it says of itself is not understood."""
    from fsgauge import __version__

    has = f"fsgauge {version}" if version else "another version of fsgauge"
    return InputError(
        f"{name} has {has}, and this is fsgauge {__version__}",
        cause="both ends of a fleet must be the same version",
        next=f"on {name}: pipx install --force the wheel that is installed here",
    )
