"""What starts hosts, for whoever needs them: it hands each its bootstrap, and can end it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fsgauge.rig.fleet.bootstrap import Bootstrap
from fsgauge.rig.fleet.model import Host


class Started(Protocol):
    """A host's process, as far as it can be seen from here."""

    def why_ended(self) -> str | None:
        """Why it has ended, in its own words; None while it runs."""
        ...

    def end(self, seconds: float = 20.0) -> bool:
        """End it; whether it ended by itself in that time."""
        ...


class Launcher(Protocol):
    """A way to start hosts."""

    @property
    def is_one_machine(self) -> bool:
        """Whether all hosts are this machine on purpose."""
        ...

    @property
    def wave(self) -> int:
        """How many are started at once."""
        ...

    @property
    def register_seconds(self) -> float:
        """How long a wave may take until all of it is connected."""
        ...

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        """Start some hosts; gives each by its name. Raises InputError or RigError."""
        ...

    def by_hand(self, host: Host, *, looks: bool = False) -> str:
        """The command with which a person cleans up a host that gave no answer, or `looks` whether
        fsgauge answers there."""
        ...
