"""The private server over a system: how it was set up, and what it used in a run."""

from __future__ import annotations

from pydantic import Field

from fsgauge.plain_files.kept import Kept


class ServerFacts(Kept):
    """A server that fsgauge started over a system, as it stood; nothing in it is secret.

    `configuration` is its file without the places and ports that are new in every run. Lengths of
    queues are those of the kernel: `listen_backlog` as asked for by the server.
    """

    name: str
    version: str
    protocol: str
    user: str
    options: dict[str, str]
    configuration: list[str]
    command: list[str]
    ready_ns: int
    listen_backlog: int | None
    somaxconn: int | None
    syn_backlog: int | None


class ServerRun(Kept):
    """What a server used in one run.

    Processor time is that of all its processes, also of those that ended; null when it died on the
    way, or where it could not be read in time. `connecting_ns` is that of letting the clients in,
    `leaving_ns` that of letting them go; the other two lie between. Where either is null, its time
    is in the two.
    Memory is proportional (PSS: shared pages count in parts), that of at most 32 processes
    standing for all `memory_processes`, and the largest of `memory_samples` that took `sampling_ns`
    in all; null where the run was too short for one. `listen_drops` are
    connections that the server's own socket turned away, `listen_overflows` those of all sockets of
    its network; null where they are not known. The sum of the times is exact; `tick_ns` is how
    finely the kernel divides it into user and system time.
    `aborts` says why processes of `daemon` aborted, in the words of its log, each reason once;
    `last_words` are the last lines of the log, at most 20, where one aborted or the server died.
    """

    user_ns: int | None
    system_ns: int | None
    connecting_ns: int | None = None
    leaving_ns: int | None = None
    tick_ns: int
    processes: int
    memory_bytes: int | None
    memory_processes: int | None
    memory_samples: int
    sampling_ns: int
    listen_overflows: int | None
    listen_drops: int | None
    restarts: int
    daemon: str = ""
    aborts: list[str] = Field([])
    last_words: list[str] = Field([])
