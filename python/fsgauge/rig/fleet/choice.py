"""What --hosts names, and the fleet that it means. hosts.toml is read and checked: every mistake is
shown with its file, line and column."""

from __future__ import annotations

import re
import secrets
from importlib.util import find_spec
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fsgauge.errors import InputError, RigError
from fsgauge.rig.fleet.launcher.command import fleet_of_job, is_in_job
from fsgauge.rig.fleet.launcher.kubernetes import fleet_of_pods, read_pods
from fsgauge.rig.fleet.model import Fleet, Host, HostKeys, KeyPath, TomlFile, read_text
from fsgauge.rig.rig import FleetChoice
from fsgauge.study.document import Document, source_location


def require_extra() -> None:
    """Raise RigError that names the install where the packages of a fleet are missing."""
    for name in ("cryptography", "distributed"):
        if find_spec(name) is None:
            raise RigError(
                f"the fleet rig needs the package {name}, which is not installed",
                cause="it is in the extra [fleet], here and on every host",
                next="pipx inject fsgauge cryptography distributed, or pip install these two where"
                " fsgauge is installed",
            )


_LAUNCHERS = ("ssh", "local")
_OTHERWISE = {"slurm": "slurm:N", "kubernetes": "kubernetes:FILE", "scheduler": "tls://HOST:PORT"}
_EXAMPLE = 'a hosts file has launcher = "ssh", then for each host: [[host]] and name = "..."'
_KEYS: dict[str, tuple[str, ...]] = {
    "": tuple(Fleet.model_fields),
    "host": tuple(Host.model_fields),
    "defaults": tuple(HostKeys.model_fields),
}


def read_hosts(path: Path) -> Fleet:
    return parse_hosts(read_text(path, "the hosts file", "--hosts FILE"), str(path))


def parse_hosts(text: str, label: str) -> Fleet:
    """The same of a text; `label` stands before line numbers."""
    file = TomlFile(text, label, keys=_keys, example=_EXAMPLE, own_words=_in_words)
    fleet = file.model(Fleet)
    if fleet.launcher not in _LAUNCHERS:
        raise InputError(
            f'hosts of a file are not started by "{fleet.launcher}"',
            location=file.document.value(("launcher",), " or ".join(_LAUNCHERS)),
            next=f"--hosts {_OTHERWISE.get(fleet.launcher, fleet.launcher)}",
        )
    return fleet


def _keys(path: KeyPath) -> tuple[str, ...]:
    return _KEYS["host" if path[0] == "host" else str(path[0]) if path[1:] else ""]


def _in_words(details: ErrorDetails, file: Document) -> InputError | None:
    path = tuple(details["loc"])
    match details["type"]:
        case "missing" if path[-1] == "name":
            return InputError("this host has no name", location=file.value(path), next=_EXAMPLE)
        case "missing" | "too_short":
            return InputError(
                f"{file.label} lists no hosts", location=file.value(path), next=_EXAMPLE
            )
        case "host_twice":
            context = details.get("ctx", {})
            place = ("host", int(context["index"]), str(context["key"]))
            return InputError(
                "this host is in the list already",
                location=file.value(place),
                cause="each host has a name and an address of its own",
                next="leave one of the two out",
            )
        case "string_pattern_mismatch":
            wanted = "it has letters, digits, dots and dashes, at most 60"
            return InputError(
                f'"{path[-1]}" is no name', location=file.value(path, wanted), next=_EXAMPLE
            )
    return None


_ADDRESS = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^:@\s]+)(?::(?P<port>\d+))?"
)


def is_submitted(choice: FleetChoice) -> bool:
    return choice.slurm is not None and not is_in_job()


def chosen_fleet(choice: FleetChoice) -> Fleet:
    """The fleet; InputError where none is named, or one cannot be understood."""
    if choice.hosts is not None:
        return read_hosts(choice.hosts)
    if choice.ssh is not None:
        return fleet_of_ssh(choice.ssh)
    if choice.slurm is not None:
        if not is_in_job():
            raise InputError(
                "--hosts slurm:N finds its nodes in a job, and this is none",
                next=f"fsgauge run submits one; or: salloc --nodes={choice.slurm} --exclusive",
            )
        return fleet_of_job(choice.slurm)
    if choice.kubernetes is not None:
        return fleet_of_pods(read_pods(choice.kubernetes), f"fsgauge-{secrets.token_hex(4)}")
    if choice.scheduler is None:
        raise InputError(
            "the fleet rig needs its hosts", next="--hosts a,b,c, or --hosts hosts.toml"
        )
    require_extra()
    from fsgauge.rig.fleet.existing import fleet_of_scheduler

    return fleet_of_scheduler(choice.scheduler)


def fleet_of_ssh(text: str) -> Fleet:
    """Hosts from "a,b,user@c:2222"; the name of each is its address."""
    hosts: list[Host] = []
    at = 0
    for word in text.split(","):
        span = (at, at + len(word))
        at += len(word) + 1
        found = _ADDRESS.fullmatch(word.strip())
        if found is None:
            raise _not_a_host(text, span, "HOST, USER@HOST or USER@HOST:PORT")
        address = found["host"].strip("[]")
        try:
            hosts.append(
                Host(
                    name=re.sub(r"[^A-Za-z0-9._-]", "-", address).strip("-."),
                    address=address,
                    user=found["user"],
                    port=int(found["port"]) if found["port"] else None,
                )
            )
        except ValidationError:
            raise _not_a_host(text, span, "HOST, USER@HOST or USER@HOST:PORT") from None
        if hosts[-1].name in [host.name for host in hosts[:-1]]:
            raise _not_a_host(text, span, "it is in the list already")
    return Fleet(launcher="ssh", host=hosts)


def _not_a_host(text: str, span: tuple[int, int], hint: str) -> InputError:
    word = text[slice(*span)]
    return InputError(
        f'"{word}" is not a host of its own' if word.strip() else "a host's name is empty",
        location=source_location("--hosts", text, span, hint, numbered=False),
        next="--hosts a,b,u@c:2222",
    )
