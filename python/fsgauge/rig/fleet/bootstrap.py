"""What a host's process is told before it can be talked to: by its standard input, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from fsgauge.errors import InputError

if TYPE_CHECKING:
    from fsgauge.rig.fleet.certificates import Credentials

LONGEST_BYTES = 1 << 20


class Bootstrap(BaseModel):
    """Where the coordinator is, who this host is to it, and what proves that. It is secret."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scheduler: str
    name: str
    authority: str
    certificate: str
    key: str
    interface: str | None = None

    @property
    def credentials(self) -> Credentials:
        """The host's own."""
        from fsgauge.rig.fleet.certificates import Credentials

        return Credentials(self.authority, self.certificate, self.key)


def read_bootstrap(text: str) -> Bootstrap:
    """A bootstrap from its JSON; InputError without a word of what is in it."""
    try:
        return Bootstrap.model_validate_json(text)
    except ValueError:
        raise InputError(
            "what came on standard input does not start a host of a fleet",
            cause="fsgauge starts this command itself, on each host",
            next="fsgauge run STUDY --rig fleet --hosts hosts.toml",
        ) from None
