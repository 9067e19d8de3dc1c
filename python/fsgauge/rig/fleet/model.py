"""A fleet as it was asked for: its hosts, by name, and what starts fsgauge on them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from fsgauge.plain_files.bounds import MOST_HOSTS
from fsgauge.study.base import OneLine, StudyModel
from fsgauge.study.storage import AbsolutePath
from fsgauge.units import DurationNs

_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$"

LauncherName = Literal["ssh", "local", "slurm", "kubernetes", "scheduler"]


def _no_option(text: str) -> str:
    """Refuse what ssh would take for an option of its own."""
    if text.startswith("-") or any(letter.isspace() for letter in text):
        raise PydanticCustomError("not_an_address", "it begins with - or holds a blank")
    return text


HostName = Annotated[str, Field(pattern=_NAME)]
"""Letters, digits, dots, dashes: it is also the name of a folder."""
Address = Annotated[OneLine, AfterValidator(_no_option)]
Port = Annotated[int, Field(ge=1, le=65535)]


class HostKeys(StudyModel):
    """What can be said of one host, and of all of them in [defaults]."""

    user: Address | None = None
    port: Port | None = None
    fsgauge: OneLine | None = None
    path: AbsolutePath | None = None
    device: OneLine | None = None
    interface: Address | None = None


class Host(HostKeys):
    """One host. `address` is where ssh finds it, by default its name; `fsgauge` is the command
    there; `path` and `device` replace the study's folder or device on this host; `interface` is the
    one whose address the host listens on."""

    name: HostName
    address: Address | None = None

    @property
    def reached_at(self) -> str:
        return self.address or self.name


class Fleet(StudyModel):
    """Hosts in the order in which they were named. Machines and parts have this order too.

    `listen` is the address of this machine that hosts find; `lead` is how long before the start of
    a run all hosts are told of it, at least.
    """

    launcher: LauncherName = "ssh"
    listen: Address | None = None
    lead: Annotated[DurationNs, Field(ge=200_000_000, le=60_000_000_000)] = 2_000_000_000
    defaults: HostKeys = HostKeys()
    host: Annotated[list[Host], Field(min_length=1, max_length=MOST_HOSTS)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for key in ("name", "reached_at"):
            seen: set[tuple[str, int | None]] = set()
            for index, host in enumerate(self.host):
                found = (getattr(host, key), host.port if key == "reached_at" else None)
                if found in seen and not (key == "reached_at" and self.launcher == "local"):
                    raise PydanticCustomError(
                        "host_twice",
                        "this host is in the list already",
                        {"index": index, "key": "name" if key == "name" else "address"},
                    )
                seen.add(found)
        return self

    @property
    def hosts(self) -> list[Host]:
        """All of them, with the defaults in place of what they do not say."""
        common = {key: value for key, value in self.defaults if value is not None}
        return [
            host.model_copy(update={k: v for k, v in common.items() if getattr(host, k) is None})
            for host in self.host
        ]
