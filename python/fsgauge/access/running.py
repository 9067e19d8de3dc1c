"""A private server over one system: started as our child, watched, stopped and removed.

It listens in a network of its own, where the engine is started too: no other process of this
machine can connect.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fsgauge.access.kind import (
    LOOPBACK,
    PORT,
    SECOND_PORT,
    START_LOG,
    Account,
    Clients,
    ServerKind,
    Serving,
    Target,
)
from fsgauge.errors import RigError
from fsgauge.machine.facts.pseudo_files import number_in
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.traces import MountTrace, ServerTrace
from fsgauge.machine.process.own_network import OwnNetwork, own_network
from fsgauge.machine.process.servers import children, end_server, group_processes
from fsgauge.machine.process.tool import find_tool, must_run, run_tool
from fsgauge.programs import Process, start
from fsgauge.record.parts import ServerFacts

_PLACES = Path("/run")
"""For a server's own folder, whose name must be short: it holds Unix sockets (unix(7): 107 bytes);
and for a share's second place, to which anybody may walk."""
_MOST_RESTARTS = 5
_IDLE_LOOKS = 20
_IDLE_PAUSE_SECONDS = 0.06
_STOP_SECONDS = 5.0
_PAUSE_SECONDS = 0.02
_OWN = "own"


@dataclass(frozen=True)
class Server:
    """A server that answers; `target` is where clients find the system's root."""

    kind: ServerKind
    target: Target
    facts: ServerFacts
    child: Child

    def reached(self) -> AbstractContextManager[None]:
        """Within, what this thread starts can connect to the server; nothing else can."""
        return self.child.network.entered()


@contextmanager
def served(
    kind: ServerKind,
    directory: Path,
    clients: Clients,
    options: dict[str, str],
    ledger: Ledger,
    account: Account | None = None,
) -> Iterator[Server]:
    """Share `directory` until the context ends; RigError with the server's last words. `account` is
    whose the clients' files are, where that was asked of the kind before."""
    account = account or kind.account()
    with ExitStack() as stack:
        folder = stack.enter_context(ledger.folder(_PLACES, f"server-{kind.name}"))
        shared = directory
        if kind.shares_by_a_mount_of_its_own:
            shared = stack.enter_context(_walkable(directory, ledger))
        trace = ServerTrace(folder=str(folder), name=kind.title, token=ledger.token)
        stack.enter_context(ledger.holding(trace))
        network = stack.enter_context(own_network())
        own = folder / _OWN
        own.mkdir(mode=0o700)
        serving = Serving(own, shared, clients, account, options)
        kind.configure(serving)
        child = Child(kind, serving, network, ledger.token)
        stack.callback(child.stop)
        child.start()
        with network.entered():
            facts = _facts(child)
        yield Server(kind, kind.target(child.serving), facts, child)


@contextmanager
def _walkable(directory: Path, ledger: Ledger) -> Iterator[Path]:
    """The same files at a place to which the server's user can walk."""
    with ledger.folder(_PLACES, "share") as place, ledger.holding(MountTrace(path=str(place))):
        words = ["mount", "--bind", "--no-canonicalize", str(directory), str(place)]
        must_run(words, what="the share has no place")
        yield place


class Child:
    """The server's first process; all others are in its process group."""

    def __init__(self, kind: ServerKind, serving: Serving, network: OwnNetwork, token: str) -> None:
        self.kind, self.serving, self.network = kind, serving, network
        self.idle = 1
        self.ready_ns = 0
        self._token = token
        self._process: Process | None = None
        self._restarts = 0
        self._surroundings: set[int] = set()
        self._main = 0
        self._beginning = threading.Lock()
        self._is_over = False

    def start(self) -> None:
        began = time.monotonic_ns()
        self.network.from_within(self._begin)
        with self.network.entered():
            self._wait_until_ready()
        self.ready_ns = time.monotonic_ns() - began
        shell = next(iter(children(self.leader())), self.leader())
        self._surroundings = {self.leader(), shell}
        self._main = next(iter(children(shell)), shell)
        self.idle = self._processes_when_idle()

    def _begin(self) -> None:
        """The network's own thread begins it, which lives until the server is over."""
        command = self.kind.command(self.serving)
        # Whoever stops the server while another thread revives it waits for the process, or
        # forbids it.
        with self._beginning, (self.serving.folder / START_LOG).open("ab") as log:
            if self._is_over:
                raise self._did_not_start("it was stopped meanwhile")
            self._process = start(command, stdout=log, stderr=log, dies_with_us=True)

    def leader(self) -> int:
        """The process id of the first process, which is the group's number too; -1 of none."""
        process = self._process
        return -1 if process is None else process.pid

    def revive(self) -> bool:
        """Start it again when it has died; bounded, and the port stays the same."""
        process = self._process
        if process is None or process.poll() is None:
            return False
        if self._restarts >= _MOST_RESTARTS:
            return False
        self._restarts += 1
        end_server(str(self.serving.folder), self._token)
        try:
            self.start()
        except (RigError, OSError):
            return True  # clients will say that no server answers
        return True

    def stop(self) -> None:
        """Gone, with all its sessions, for good; may be repeated."""
        with self._beginning:
            self._is_over = True
            process, self._process = self._process, None
        if process is None:
            return
        for ask in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, ask)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_STOP_SECONDS)
            deadline = time.monotonic() + _STOP_SECONDS
            while group_processes(process.pid) and time.monotonic() < deadline:
                time.sleep(_PAUSE_SECONDS)
            if not group_processes(process.pid):
                return

    def processes(self) -> list[int]:
        """The server's living processes, without the two that made its surroundings."""
        return [pid for pid in group_processes(self.leader()) if pid not in self._surroundings]

    def session_processes(self) -> int:
        """Its first own process and those that this one has begun; few files to read."""
        return 1 + len(children(self._main))

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.kind.ready_seconds
        waiting = self.kind.ports
        while waiting:
            process = self._process
            if process is None or process.poll() is not None:
                raise self._did_not_start("it ended by itself")
            if time.monotonic() > deadline:
                raise self._did_not_start(f"no answer in {self.kind.ready_seconds:.0f} s")
            if _answers(waiting[0]):
                waiting = waiting[1:]
            else:
                time.sleep(_PAUSE_SECONDS)
        complaints = self.kind.complaints(self.serving)
        if complaints:
            raise RigError(
                f"{self.kind.title} does not accept the options of this system's server",
                details=tuple(complaints[:4]),
                cause="the installed version does not know them, or not with these values",
                next="fsgauge explain system.server",
            )

    def _processes_when_idle(self) -> int:
        """Without those that the questions for readiness began: the same number twice."""
        before = -1
        for _ in range(_IDLE_LOOKS):
            now = len(self.processes())
            if now == before:
                break
            before = now
            time.sleep(_IDLE_PAUSE_SECONDS)
        return now

    def _did_not_start(self, why: str) -> RigError:
        return RigError(
            f"{self.kind.title} did not start",
            details=tuple(self.kind.last_words(self.serving)[-6:]),
            cause=why,
            next=f"fsgauge doctor; {self.kind.install}",
        )


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1.0):
            return True
    except OSError:
        return False


def _facts(child: Child) -> ServerFacts:
    kind, serving = child.kind, child.serving
    return ServerFacts(
        name=kind.title,
        version=kind.version(),
        protocol=kind.protocol,
        user=serving.account.words,
        options=dict(serving.options),
        configuration=_without_places(serving),
        command=[_placeless(word, serving) for word in kind.command(serving)],
        ready_ns=child.ready_ns,
        listen_backlog=_listen_backlog(PORT),
        somaxconn=number_in("/proc/sys/net/core/somaxconn"),
        syn_backlog=number_in("/proc/sys/net/ipv4/tcp_max_syn_backlog"),
    )


def _without_places(serving: Serving) -> list[str]:
    files = [path for path in sorted(serving.folder.glob("*.conf")) if path.is_file()]
    text = "".join(path.read_text() for path in files)
    return [_placeless(line, serving) for line in text.splitlines() if line.strip()]


def _placeless(text: str, serving: Serving) -> str:
    user, group = serving.account.user_id, serving.account.group_id
    if text == str(user):
        return "USER"
    for found, name in (
        (f"Anonymous_Uid = {user};", "Anonymous_Uid = USER;"),
        (f"Anonymous_Gid = {group};", "Anonymous_Gid = USER;"),
        (str(serving.folder), "FOLDER"),
        (str(serving.shared), "SHARED"),
        (str(PORT), "PORT"),
        (str(SECOND_PORT), "MOUNT_PORT"),
    ):
        text = text.replace(found, name)
    return text


def _listen_backlog(port: int) -> int | None:
    if find_tool("ss") is None:
        return None
    said = run_tool(["ss", "-Hltn", f"sport = :{port}"])
    found = said.output.split()
    return int(found[2]) if len(found) > 2 and found[2].isdecimal() else None
