"""What a kind of server says of itself: how it is configured, started, reached and left alone."""

from __future__ import annotations

import os
import secrets
import socket
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from fsgauge.study.workload import ConnectionsWorkload
from fsgauge.wire import NfsTarget, SmbTarget

Target = SmbTarget | NfsTarget
LOOPBACK = "127.0.0.1"
PASSWORD_FILE = "password"  # noqa: S105 - the file's name, not a password


@dataclass(frozen=True)
class Serving:
    """What a server is started with. `folder` is its own and private, `shared` what it shares."""

    folder: Path
    shared: Path
    port: int
    second_port: int
    workload: ConnectionsWorkload
    options: dict[str, str] = field(default_factory=dict)


class ServerKind(ABC):
    """A server that fsgauge can start. A subclass names its programs and writes its files."""

    name: ClassVar[str]
    title: ClassVar[str]
    protocol: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]
    """All have to be installed."""
    install: ClassVar[str]
    user: ClassVar[str] = "nobody"
    """An unprivileged user of every system: clients' files are its own."""
    processes_for_a_client: ClassVar[int]
    sockets_for_a_client: ClassVar[int]
    memory_for_a_client_bytes: ClassVar[int]
    ready_seconds: ClassVar[float] = 20.0
    shares_by_a_mount_of_its_own: ClassVar[bool]
    """Whether the server's user walks to the share: then it must lie where anybody may walk."""

    @abstractmethod
    def version(self) -> str:
        """What the program says; empty when it does not."""

    def lacks(self) -> str:
        """What an installation lacks beside programs; empty when it is whole."""
        return ""

    def check_options(self, workload: ConnectionsWorkload, options: dict[str, str]) -> None:  # noqa: ARG002
        """InputError for a value that the server would not accept, where it can be asked before."""
        return

    @abstractmethod
    def configure(self, serving: Serving) -> None:
        """Write its configuration into the private folder."""

    @abstractmethod
    def command(self, serving: Serving) -> list[str]:
        """The argument list of the foreground server; it names the private folder."""

    @abstractmethod
    def target(self, serving: Serving) -> Target:
        """Where clients find it; `directory` is left empty."""

    @abstractmethod
    def ports(self, serving: Serving) -> list[int]:
        """Ports that answer when it is ready."""

    def complaints(self, serving: Serving) -> list[str]:  # noqa: ARG002
        """What a server that answers did not accept of its configuration."""
        return []

    def last_words(self, serving: Serving) -> list[str]:
        """The end of its log, for an error."""
        return [line for path in sorted(serving.folder.glob("log*")) for line in _tail(path)]


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address on which nobody listens now, all above 1024."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(count)]
    try:
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def write_private(path: Path, text: str) -> None:
    """A new file that only this user can read."""
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
