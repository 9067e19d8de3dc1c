"""The options of the command line that name the hosts of a fleet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FleetChoice:
    """--hosts, --ssh, --scheduler, --slurm and --kubernetes, as typed; one of them is given."""

    hosts: Path | None = None
    ssh: str | None = None
    scheduler: str | None = None
    slurm: int | None = None
    kubernetes: Path | None = None
    same: bool = False
    """Refuse hosts that differ in their kernel or processors."""

    @property
    def given(self) -> list[str]:
        """The options that name the hosts, as typed."""
        named = {name: value for name, value in vars(self).items() if name != "same"}
        return [f"--{name}" for name, value in named.items() if value is not None]

    @property
    def typed(self) -> list[str]:
        """All of its options that were typed, those that name the hosts first."""
        return [*self.given, *(["--same"] if self.same else [])]
