"""What statistics say of servers and connections, for report.json.

Values are raw: nanoseconds, bytes, shares of 1. An `Estimate` is a geometric mean over blocks with
a 95 % t interval on logs. `cell` is a cell's id.
"""

from __future__ import annotations

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import ResultModel


class ServerUse(ResultModel):
    """What the server used for one system in one cell.

    Processor time is that of all its processes over all operations of the clients; what it took to
    let them in is apart, for a session; `busy` is in processors. Memory is the largest of all runs,
    counters are sums.
    """

    cell: str
    system: str
    runs: int
    processor_ns: Estimate | None
    busy: Estimate | None
    session_ns: Estimate | None = None
    memory_bytes: int | None
    memory_processes: int | None
    processes: int
    listen_overflows: int | None
    restarts: int


class OperationShare(ResultModel):
    """The mean response of an operation through the server, and over the path beside it.

    `share` is what the server, its protocol and the clients' sockets add, of the response through
    the server; below 0 where the path was slower. It is None where the two are not the same work:
    over NFS closing a written file makes it durable, over the path it does not.
    """

    cell: str
    system: str
    server: str
    operation: str
    served_ns: Estimate
    path_ns: Estimate
    share: Estimate | None


class ConnectionUse(ResultModel):
    """Connections of the clients in one cell of one system: sums of all runs, medians of times.

    Systems may have different numbers of runs: a baseline runs twice in each block.
    """

    cell: str
    system: str
    runs: int
    protocol: str
    connections: int
    reconnections: int
    null_operation_ns: int
    sent_bytes: int
    received_bytes: int
    connect_ns: Estimate | None
    connect_all_ns: Estimate | None


class Serving(ResultModel):
    """Everything about servers. `servers` are those that the study started, a sentence each."""

    servers: list[str]
    settings: list[str]
    use: list[ServerUse]
    shares: list[OperationShare]
    connections: list[ConnectionUse]
    without_extents: bool
    sampling_share: float | None
