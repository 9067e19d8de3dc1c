"""What a kind of server says of itself: how it is configured, started, reached and left alone."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from fsgauge.engine.wire import EngineFault, NfsTarget, SmbTarget
from fsgauge.record.parts import ServerRun
from fsgauge.study.access import AccessKeys

Target = SmbTarget | NfsTarget
LOOPBACK = "127.0.0.1"
PORT, SECOND_PORT = 20_445, 20_049
"""Always free in a network of its own; above 1024, which needs no right."""
START_LOG = "log.start"
"""What the server's first processes say: its output and errors."""
PASSWORD_FILE = "password"  # noqa: S105 - the file's name, not a password


@dataclass(frozen=True)
class Account:
    """Whose the clients' files are, whatever clients claim to be. `words` say it in records."""

    user_id: int
    group_id: int
    words: str
    name: str = ""
    """What a server that knows users by names calls it."""


@dataclass(frozen=True)
class Clients:
    """Who will come: how they speak, and how many are connected at once."""

    access: AccessKeys
    count: int


@dataclass(frozen=True)
class Serving:
    """What a server is started with. `folder` is its own and private, `shared` what it shares."""

    folder: Path
    shared: Path
    clients: Clients
    account: Account
    options: dict[str, str] = field(default_factory=dict)


class ServerKind(ABC):
    """A server that fsgauge can start. A subclass names its programs and writes its files."""

    name: ClassVar[str]
    title: ClassVar[str]
    daemon: ClassVar[str]
    """The program that serves."""
    where_it_aborts: ClassVar[str] = ""
    """What to do where it aborted under a load."""
    protocol: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]
    """The programs that have to be installed."""
    install: ClassVar[str]
    processes_for_a_client: ClassVar[int]
    sockets_for_a_client: ClassVar[int]
    memory_for_a_client_bytes: ClassVar[int]
    ports: ClassVar[tuple[int, ...]]
    """TCP ports on which a ready server answers."""
    ready_seconds: ClassVar[float] = 20.0
    shares_by_a_mount_of_its_own: ClassVar[bool]
    """Whether the server's user walks to the share: then it must lie where that user may walk."""
    reaches_whole_file_systems: ClassVar[bool] = False
    """Whether a client that forges a file handle can name files outside of the share."""

    @abstractmethod
    def account(self) -> Account:
        """An unprivileged user, who is no client's choice; RigError where there is none."""

    @abstractmethod
    def version(self) -> str:
        """The version that the program prints; empty when it prints none."""

    def lacks(self) -> str:
        """What an installation lacks beside programs; empty when it is whole."""
        return ""

    def require_possible(self) -> None:
        """RigError where this machine does not let root start it, though all is installed."""
        return

    def check_options(self, access: AccessKeys, options: dict[str, str]) -> None:  # noqa: ARG002
        """InputError for a value that the server would not accept, where it can be asked before."""
        return

    @abstractmethod
    def configure(self, serving: Serving) -> None:
        """Write its configuration into the private folder."""

    @abstractmethod
    def command(self, serving: Serving) -> list[str]:
        """The argument list of the foreground server; it names the private folder. Its first
        process changes no user, and takes all others with it: the kernel ends it with fsgauge."""

    @abstractmethod
    def target(self, serving: Serving) -> Target:
        """Where clients find it; `directory` is left empty."""

    def complaints(self, serving: Serving) -> list[str]:  # noqa: ARG002
        return []

    def aborts(self, said: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Why processes of it aborted, as these lines of its log say it: one reason an abort."""
        return []

    def last_words(self, serving: Serving) -> list[str]:
        return [line for path in sorted(serving.folder.glob("log*")) for line in _tail(path)]


def write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)


def new_password() -> str:
    """For this server alone; it lives as long as the server."""
    return secrets.token_urlsafe(24)


def _tail(path: Path) -> list[str]:
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text[-4000:].splitlines() if line.strip()][-5:]


def explained(fault: EngineFault, kind: ServerKind, used: ServerRun) -> EngineFault:
    """The fault as the server's, where it aborted or died in that run; what clients saw is its
    cause. Its code and errno stay those that the engine gave."""
    if used.aborts:
        what = f"{kind.title}'s {kind.daemon} aborted: {'; '.join(used.aborts)}"
    elif used.restarts:
        what = f"{kind.title}'s {kind.daemon} exited or was killed"
    else:
        return fault
    told = "the last lines of its log are in the run's record"
    return fault.model_copy(
        update={"what": what, "cause": f"{fault.what}; {told}", "next": kind.where_it_aborts}
    )
