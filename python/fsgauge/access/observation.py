"""What a server used while a load ran: processor time, memory, processes, refused connections.

One thread looks on. It counts processes often and reads memory seldom, and of few: reading it of
hundreds of processes takes time that the server does not have. So it may take one part in fifty,
a few processes stand for all, and the record says how long it took.
"""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

from fsgauge.access.kind import PORT, ServerKind, Serving
from fsgauge.access.running import Child
from fsgauge.machine.process import servers
from fsgauge.record.parts import ServerRun

_POLL_SECONDS = 0.1
_REST_FACTOR = 50
_SHORTEST_REST_SECONDS = 1.0
_GONE_SECONDS = 3.0
_MOST_READ = 32
"""Sessions are alike: these many of them, evenly taken, stand for all."""


class Observation:
    """From `begin` to `end`. Of a server that `grows`, each session has a process of its own."""

    def __init__(self, server: Child) -> None:
        self._server, self._grows = server, server.kind.processes_for_a_client > 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._most = 0
        self._in: servers.Used | None = None
        self._through: servers.Used | None = None
        self._is_late = False
        """Some clients had gone when the counters were read: leaving costs a server much."""
        self._memory: tuple[int, int] | None = None
        self._samples = 0
        self._sampling_ns = 0
        self._restarts = 0
        self._log = ServerLog(server.kind, server.serving)

    def begin(self) -> None:
        self._restarts += self._server.revive()
        self._wait_until_idle()
        self._log.begin()
        self._began = servers.processor_time(self._server.leader())
        self._overflows, self._drops = self._turned_away()
        self._thread.start()

    def clients_are_in(self) -> None:
        """The measured part begins: what was used until now is that of letting clients in."""
        self._in = servers.processor_time(self._server.leader())

    def clients_are_through(self) -> None:
        """The measured part is over: what is used from now on is that of letting clients go."""
        used = servers.processor_time(self._server.leader())
        if self._in is not None and used.processes >= self._in.processes:
            self._through = used
        else:
            self._is_late = True

    def end(self) -> ServerRun:
        """The difference; waits a moment for sessions to end, whose time is counted then."""
        self._over.set()
        self._thread.join()
        if self._memory is None and not self._grows:
            self._sample()  # its clients left their memory behind
        self._wait_until_idle()
        used = servers.processor_time(self._server.leader())
        overflows, drops = self._turned_away()
        # The counters of a server that died went with it.
        whole = self._restarts == 0 and not self._is_late
        aborts = self._log.aborts()
        since = self._in or self._began
        until = self._through or used
        measured = until.since(since)
        return ServerRun(
            user_ns=measured.user_ns if whole else None,
            system_ns=measured.system_ns if whole else None,
            connecting_ns=since.total_ns - self._began.total_ns if whole and self._in else None,
            leaving_ns=used.total_ns - until.total_ns if whole and self._through else None,
            tick_ns=servers.TICK_NS,
            processes=max(self._most, self._server.idle),
            memory_bytes=self._memory[0] if self._memory else None,
            memory_processes=self._memory[1] if self._memory else None,
            memory_samples=self._samples,
            sampling_ns=self._sampling_ns,
            listen_overflows=_difference(overflows, self._overflows),
            listen_drops=_difference(drops, self._drops) if self._restarts == 0 else None,
            restarts=self._restarts,
            daemon=self._server.kind.daemon,
            aborts=aborts,
            last_words=self._log.last_words() if aborts or self._restarts else [],
        )

    def _look_on(self) -> None:
        before, rest_until = -1, 0.0
        while not self._over.wait(_POLL_SECONDS):
            self._restarts += self._server.revive()
            now = self._server.session_processes()
            self._most = max(self._most, now)
            connected = not self._grows or now > self._server.idle
            if connected and now == before and time.monotonic() >= rest_until:
                took = self._sample()
                rest_until = time.monotonic() + max(_SHORTEST_REST_SECONDS, _REST_FACTOR * took)
            before = now

    def _sample(self) -> float:
        began = time.monotonic()
        living = self._server.processes()
        some = living[:: -(-len(living) // _MOST_READ)] if living else []
        found = [
            size for pid in some if (size := servers.proportional_memory_bytes(pid)) is not None
        ]
        took = time.monotonic() - began
        self._most = max(self._most, len(living))
        self._samples += 1
        self._sampling_ns += int(took * 1e9)
        total = sum(found) * len(living) // len(found) if found else 0
        if found and (self._memory is None or total > self._memory[0]):
            self._memory = (total, len(living))
        return took

    def _turned_away(self) -> tuple[int | None, int | None]:
        """Connections so far: by any socket of the server's network, and by its own."""
        with self._server.network.entered():
            return servers.listen_overflows(), servers.listen_drops(PORT)

    def _wait_until_idle(self) -> None:
        deadline = time.monotonic() + _GONE_SECONDS
        while self._grows and time.monotonic() < deadline:
            if self._server.session_processes() <= self._server.idle:
                return
            time.sleep(0.02)


def _difference(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before


LAST_LINES = 20
_MOST_BYTES = 256 << 10
"""Of each log, from where it stood; a server that says more in one run is not read to its end."""
_MOST_CHARACTERS = 300
_FRAME = re.compile(r"#\d+ ")


class ServerLog:
    def __init__(self, kind: ServerKind, serving: Serving) -> None:
        self._kind, self._serving = kind, serving
        self._stood: dict[Path, tuple[int, int]] = {}

    def begin(self) -> None:
        self._stood = {path: _where(path) for path in self._paths()}

    def said(self) -> list[str]:
        """The lines since then; a log that was begun anew is read from its start."""
        return [line for path in self._paths() for line in self._since(path)]

    def aborts(self) -> list[str]:
        """Why processes aborted, in the server's words, each reason once."""
        return list(dict.fromkeys(self._kind.aborts(self.said())))

    def last_words(self) -> list[str]:
        """The last lines but for stack frames, without the names of this run's folders."""
        places = ((str(self._serving.folder), "FOLDER"), (str(self._serving.shared), "SHARED"))
        said = [line for line in self.said() if not _FRAME.match(line)]
        lines = [line[:_MOST_CHARACTERS] for line in said[-LAST_LINES:]]
        for place, name in places:
            lines = [line.replace(place, name) for line in lines]
        return lines

    def _paths(self) -> list[Path]:
        return sorted(self._serving.folder.glob("log*"))

    def _since(self, path: Path) -> list[str]:
        node, size_bytes = _where(path)
        then, stood = self._stood.get(path, (node, 0))
        start = stood if then == node and stood <= size_bytes else 0
        try:
            with path.open("rb") as file:
                file.seek(start)
                text = file.read(_MOST_BYTES).decode(errors="replace")
        except OSError:
            return []
        return [line.strip() for line in text.splitlines() if line.strip()]


def _where(path: Path) -> tuple[int, int]:
    """Which file it is, and how long; a log that is full is renamed, and begun anew."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_ino, found.st_size
