"""What starts hosts, for whoever needs them: it hands each its bootstrap, and can end it.
`answer_of` runs a program of the cluster (sbatch, scontrol, kubectl), bounded in time."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files.bounds import MOST_HOSTS
from fsgauge.plain_files.kept import Kept
from fsgauge.programs import run_to_end
from fsgauge.rig.fleet.model import Host

LONGEST_BYTES = 1 << 20


class Bootstrap(Kept):
    """Where the coordinator is, who this host is to it, and what proves that. It is secret."""

    scheduler: str
    name: str
    authority: str
    certificate: str
    key: str
    interface: str | None = None


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


class Started(Protocol):
    def why_ended(self) -> str | None:
        """Why it has ended, in its own words; None while it runs."""

    def end(self, seconds: float = 20.0) -> bool:
        """End it; whether it ended by itself in that time."""


class NotOurs:
    """A host's process that is not ended by itself: it ends with all others, or with its owner."""

    def why_ended(self) -> str | None:
        return None

    def end(self, seconds: float = 0.0) -> bool:  # noqa: ARG002 - nothing is ended
        return True


class Launcher(ABC):
    is_one_machine: bool = False
    """Whether all hosts are this machine on purpose."""
    wave: int = MOST_HOSTS
    """How many are started at once."""
    register_seconds: float
    """How long a wave may take until all of it is connected."""

    @abstractmethod
    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        """Start some hosts; gives each by its name. Raises InputError or RigError."""

    @abstractmethod
    def by_hand(self, host: Host, *, looks: bool = False) -> str:
        """The command with which a person cleans up a host that gave no answer, or `looks` whether
        fsgauge answers there."""


_LONGEST_WORDS = 300


def answer_of(
    command: Sequence[str],
    text: str = "",
    *,
    seconds: float,
    look: str,
    missing: tuple[str, str] = ("", ""),
    folder: Path = Path("/"),
) -> str:
    """What it prints. InputError where it is not installed, with cause and next of `missing`;
    RigError where it fails or gives no answer in time. `look` shows the cluster's own state.
    It is started in `folder`."""
    program = command[0]
    try:
        done = run_to_end(command, text.encode(), seconds=seconds, folder=folder)
    except FileNotFoundError:
        raise InputError(
            f"the program {program} is not installed here", cause=missing[0], next=missing[1]
        ) from None
    except subprocess.TimeoutExpired:
        raise RigError(
            f"{program} gave no answer within {seconds:.0f} s",
            cause="what it asks is down, or cannot be reached from here",
            next=look,
        ) from None
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip()[:_LONGEST_WORDS]
        raise RigError(
            f"{program} failed: {words or f'exit code {done.returncode}'}",
            cause=f"{program} is not set up for this user here, or was refused",
            next=look,
        )
    return done.stdout.decode(errors="replace")
