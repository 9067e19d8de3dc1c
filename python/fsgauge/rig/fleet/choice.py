"""The options that name a fleet, and the one fleet that they mean."""

from __future__ import annotations

import re
import secrets

from pydantic import ValidationError

from fsgauge.errors import InputError
from fsgauge.rig.fleet.hosts_file import read_hosts
from fsgauge.rig.fleet.launcher.slurm import is_in_job
from fsgauge.rig.fleet.model import Fleet, Host
from fsgauge.rig.fleet_choice import FleetChoice
from fsgauge.study.document import source_location

_ADDRESS = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^:@\s]+)(?::(?P<port>\d+))?"
)


def is_submitted(choice: FleetChoice) -> bool:
    """Whether the study is handed to Slurm, to be run in a job."""
    return choice.given == ["--slurm"] and not is_in_job()


def chosen_fleet(choice: FleetChoice) -> Fleet:
    """The fleet; InputError where none is named, two are, or one cannot be understood."""
    given = choice.given
    if not given:
        raise InputError(
            "the fleet rig needs its hosts",
            next="--hosts hosts.toml, or --ssh a,b,c",
        )
    if len(given) > 1:
        raise InputError(
            f"{' and '.join(given)} name the hosts twice", next="one of them says which hosts"
        )
    if choice.hosts is not None:
        return read_hosts(choice.hosts)
    if choice.ssh is not None:
        return fleet_of_ssh(choice.ssh)
    if choice.slurm is not None:
        from fsgauge.rig.fleet.launcher.slurm import fleet_of_job, is_in_job

        if not is_in_job():
            raise InputError(
                "--slurm finds its nodes in a job, and this is none",
                next=f"fsgauge run submits one; or: salloc --nodes={choice.slurm} --exclusive",
            )
        return fleet_of_job(choice.slurm)
    if choice.kubernetes is not None:
        from fsgauge.rig.fleet.launcher.kubernetes import fleet_of_pods, read_pods

        return fleet_of_pods(read_pods(choice.kubernetes), f"fsgauge-{secrets.token_hex(4)}")
    assert choice.scheduler is not None  # noqa: S101 - one of them is given
    from fsgauge.rig.fleet.extra import require_extra

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
        location=source_location("--ssh", text, span, hint, numbered=False),
    )
