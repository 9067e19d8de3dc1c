"""What a host is, which fsgauge and engine it has, and what all hosts must have alike."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fsgauge import __version__
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.machine.facts.environment import kernel_name, machine_name, processor_name
from fsgauge.machine.facts.pseudo_files import text_of
from fsgauge.machine.process.processes import boot_id
from fsgauge.plain_files.kept import Kept
from fsgauge.programs import find_engine
from fsgauge.rig.fleet.control import Answer, understood
from fsgauge.rig.fleet.messages import Words

_MACHINE_ID = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


class HostIdentity(Kept):
    machine: Words
    boot: Words
    host_name: Words
    fsgauge: Words
    engine_sha256: Words | None
    engine_missing: Words | None
    kernel: Words
    architecture: Words
    processor: Words
    processor_count: int


def own_identity() -> HostIdentity:
    digest, missing = None, None
    try:
        with find_engine().open("rb") as engine:
            digest = hashlib.file_digest(engine, "sha256").hexdigest()
    except (FsgaugeError, OSError) as error:
        missing = error.what if isinstance(error, RigError) else str(error)
    return HostIdentity(
        machine=_machine_id(),
        boot=boot_id(),
        host_name=machine_name(),
        fsgauge=__version__,
        engine_sha256=digest,
        engine_missing=missing,
        kernel=kernel_name(),
        architecture=platform.machine(),
        processor=processor_name(),
        processor_count=len(os.sched_getaffinity(0)),
    )


def _machine_id() -> str:
    """Of the installation; "" in an image that has none, where the boot has to do."""
    return next((text for path in _MACHINE_ID if (text := text_of(path)) is not None), "")


_COMPARED = {
    "kernel": "kernel",
    "architecture": "architecture",
    "processor": "processor",
    "processor_count": "number of processors",
}


def identity_from(name: str, answer: Answer) -> HostIdentity:
    """InputError where another fsgauge says who it is, HostLostError where no fsgauge would."""
    said = understood(name, answer, _Version).fsgauge
    if said != __version__:
        raise InputError(
            f"{name} has fsgauge {said}, and this is fsgauge {__version__}",
            cause="both ends of a fleet must be the same version",
            next=f"on {name}: pipx install --force the wheel that is installed here",
        )
    return understood(name, answer, HostIdentity)


def require_alike(identities: Mapping[str, HostIdentity], *, one_machine: bool) -> None:
    """Raise InputError for two names of one machine, another version, or another engine. With
    `one_machine`, hosts are processes of this machine on purpose."""
    own = own_identity()
    seen: dict[tuple[str, str], str] = {}
    for name, found in identities.items():
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
    """Raise InputError where hosts differ in their kernel or processors: what same:HOSTS asks."""
    (first, expected), *others = identities.items()
    for name, found in others:
        for key, words in _COMPARED.items():
            here, there = getattr(expected, key), getattr(found, key)
            if here != there:
                raise InputError(
                    f"{name} has another {words} than {first}, and same:HOSTS wants equal ones",
                    details=(f"{first}: {here}", f"{name}: {there}"),
                    cause="a host that is slower than the others may be so because of it",
                    next=f"leave {name} out; or leave out same:, and the page says it",
                )


class _Version(BaseModel):
    model_config = ConfigDict(extra="ignore")

    fsgauge: Words
