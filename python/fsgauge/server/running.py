"""A private server over one system: started as our child, watched, stopped and removed."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fsgauge.child_environment import child_environment
from fsgauge.errors import RigError
from fsgauge.host.ledger import Ledger
from fsgauge.host.servers import end_server, group_processes
from fsgauge.host.tool import find_tool, must_run, run_tool
from fsgauge.host.traces import MountTrace, ServerTrace
from fsgauge.record import ServerFacts
from fsgauge.server.kind import LOOPBACK, ServerKind, Serving, Target, free_ports
from fsgauge.server.observation import Observation
from fsgauge.study.workload import ConnectionsWorkload

_PLACES = Path("/run")
"""For a server's own folder, whose name must be short: it holds Unix sockets (unix(7): 107 bytes);
and for a share's second place, to which anybody may walk."""
_ATTEMPTS = 3
_MOST_RESTARTS = 5
_IDLE_LOOKS = 20
_IDLE_PAUSE_SECONDS = 0.06
_STOP_SECONDS = 5.0
_PAUSE_SECONDS = 0.02
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Server:
    """A server that answers; `target` is where clients find the system's root."""

    kind: ServerKind
    target: Target
    facts: ServerFacts
    child: Child

    def observe(self) -> Observation:
        """Begin to look on while a load runs."""
        grows = self.kind.processes_for_a_client > 0
        child, port = self.child, self.child.serving.port
        return Observation(child.leader, child.revive, port=port, idle=child.idle, grows=grows)


@contextmanager
def served(
    kind: ServerKind,
    directory: Path,
    workload: ConnectionsWorkload,
    options: dict[str, str],
    ledger: Ledger,
) -> Iterator[Server]:
    """Share `directory` until the context ends; RigError with the server's last words."""
    with ExitStack() as stack:
        folder = stack.enter_context(ledger.folder(_PLACES, f"server-{kind.name}"))
        shared = directory
        if kind.shares_by_a_mount_of_its_own:
            shared = stack.enter_context(_walkable(directory, ledger))
        trace = ServerTrace(folder=str(folder), name=kind.title)
        stack.enter_context(ledger.holding(trace))
        child = _started(kind, folder, shared, workload, options)
        stack.callback(child.stop)
        yield Server(kind, kind.target(child.serving), _facts(child), child)


@contextmanager
def _walkable(directory: Path, ledger: Ledger) -> Iterator[Path]:
    """The same files at a place to which the server's user can walk."""
    with ledger.folder(_PLACES, "share") as place, ledger.holding(MountTrace(path=str(place))):
        must_run(["mount", "--bind", str(directory), str(place)], what="the share has no place")
        yield place


def _started(
    kind: ServerKind,
    folder: Path,
    shared: Path,
    workload: ConnectionsWorkload,
    options: dict[str, str],
) -> Child:
    """A free port may be taken by another before the server has it: then once more."""
    for attempt in range(_ATTEMPTS):
        own = folder / f"{attempt}"
        own.mkdir(mode=0o700)
        first, second = free_ports(2)
        serving = Serving(own, shared, first, second, workload, options)
        kind.configure(serving)
        child = Child(kind, serving)
        try:
            child.start()
            return child
        except RigError:
            child.stop()
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


class Child:
    """The server's first process; all others are in its process group."""

    def __init__(self, kind: ServerKind, serving: Serving) -> None:
        self.kind, self.serving = kind, serving
        self.idle = 1
        self.ready_ns = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._restarts = 0

    def start(self, *, again: bool = False) -> None:
        """Start it and wait until every port answers.

        A server that is started again belongs to a thread that ends before it: then the kernel
        cannot be asked to end it with its parent, and the ledger alone knows of it.
        """
        command = self.kind.command(self.serving)
        began = time.monotonic_ns()
        with (self.serving.folder / "log.start").open("ab") as log:
            self._process = subprocess.Popen(
                [find_tool(command[0]) or command[0], *command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                cwd="/",
                env=child_environment(),
                preexec_fn=None if again else _end_with_parent,
            )
        self._wait_until_ready()
        self.ready_ns = time.monotonic_ns() - began
        self.idle = self._processes_when_idle()

    def leader(self) -> int:
        """The process id of the first process, which is the group's number too."""
        assert self._process is not None  # noqa: S101 - started before anybody asks
        return self._process.pid

    def revive(self) -> bool:
        """Start it again when it has died; bounded, and the port stays the same."""
        if self._process is None or self._process.poll() is None:
            return False
        if self._restarts >= _MOST_RESTARTS:
            return False
        self._restarts += 1
        end_server(str(self.serving.folder))
        try:
            self.start(again=True)
        except RigError:
            return True  # clients will say that nobody answers
        return True

    def stop(self) -> None:
        """Gone, with all its sessions; may be repeated."""
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

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.kind.ready_seconds
        waiting = self.kind.ports(self.serving)
        while waiting:
            if self._process is None or self._process.poll() is not None:
                raise self._did_not_start("it ended by itself")
            if time.monotonic() > deadline:
                raise self._did_not_start(f"no answer in {self.kind.ready_seconds:.0f} s")
            if _answers(waiting[0]):
                waiting = waiting[1:]
            else:
                time.sleep(_PAUSE_SECONDS)
        if self._process is None or self._process.poll() is not None:
            raise self._did_not_start("another program has its port")
        complaints = self.kind.complaints(self.serving)
        if complaints:
            raise RigError(
                f"{self.kind.title} does not accept the options of this system's server",
                details=tuple(complaints[:4]),
                next="fsgauge explain system.server",
            )

    def _processes_when_idle(self) -> int:
        """Without those that the questions for readiness began: the same number twice."""
        before = -1
        for _ in range(_IDLE_LOOKS):
            now = len(group_processes(self.leader()))
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
        user=kind.user,
        options=dict(serving.options),
        configuration=_without_places(serving),
        command=[_placeless(word, serving) for word in kind.command(serving)],
        ready_ns=child.ready_ns,
        listen_backlog=_listen_backlog(serving.port),
        somaxconn=_limit("net/core/somaxconn"),
        syn_backlog=_limit("net/ipv4/tcp_max_syn_backlog"),
    )


def _without_places(serving: Serving) -> list[str]:
    files = [path for path in sorted(serving.folder.glob("*.conf")) if path.is_file()]
    text = "".join(path.read_text() for path in files)
    return [_placeless(line, serving) for line in text.splitlines() if line.strip()]


def _placeless(text: str, serving: Serving) -> str:
    for found, name in (
        (str(serving.folder), "FOLDER"),
        (str(serving.shared), "SHARED"),
        (str(serving.port), "PORT"),
        (str(serving.second_port), "MOUNT_PORT"),
    ):
        text = text.replace(found, name)
    return text


def _listen_backlog(port: int) -> int | None:
    """The length of the queue of a listening socket, as ss shows it."""
    if find_tool("ss") is None:
        return None
    said = run_tool(["ss", "-Hltn", f"sport = :{port}"])
    found = said.output.split()
    return int(found[2]) if len(found) > 2 and found[2].isdecimal() else None


def _limit(name: str) -> int | None:
    try:
        return int((Path("/proc/sys") / name).read_text())
    except (OSError, ValueError):
        return None


def _end_with_parent() -> None:
    """Runs in the child: a killed fsgauge takes its server with it, as far as the kernel helps."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
