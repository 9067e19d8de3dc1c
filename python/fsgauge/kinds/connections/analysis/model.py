"""What statistics say of many clients, and of servers between them and the files, for report.json.

Values are raw: nanoseconds, bytes per second, shares of 1. An `Estimate` is a geometric mean over
blocks with a 95 % t interval on logs. `cell` is a cell's id.
"""

from __future__ import annotations

from pydantic import Field

from fsgauge.engine.wire import ClientOperation
from fsgauge.stats.client_errors import ErrorRow, GivenUp
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.metrics import Unit
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults


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
    Systems may have different numbers of runs: a baseline runs twice in each block."""

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


class OperationTime(ResultModel):
    """One operation of one system in one cell: the call itself beside the response. `operations` is
    the mean number in a run; `share` is mean service over mean response."""

    cell: str
    system: str
    operation: ClientOperation
    operations: float
    service_ns: Estimate
    share: Estimate


class ClientShares(ResultModel):
    """How evenly clients were served, as shares of their mean pace; and when they were done."""

    cell: str
    system: str
    clients: int
    smallest: Estimate
    tenth: Estimate
    half: Estimate
    nine_tenths: Estimate
    largest: Estimate
    first_done_ns: Estimate | None
    last_done_ns: Estimate | None


class LittleRow(ResultModel):
    """N = X (R + Z) over all runs of one system in one cell, added up.

    `active` is N, `rate` X in operations per second, `product` X (R + Z); `difference_percent` is
    of N. With several operations of a client at a time N counts operations (`counts`).
    `with_errors`: operations failed, whose time is in N alone.
    """

    cell: str
    system: str
    counts: str
    active: float
    rate: float
    response_ns: float
    think_ns: float
    product: float
    difference_percent: float
    with_errors: bool


class CellExtents(ResultModel):
    """What the files of one writing cell lie in, after they were synced.

    `files` have an extent; `fragmented_share` of them lie in more than one. `ratio` is extents per
    file over the reference's: more is worse. `lengths` gives the share of bytes in extents of at
    least so many bytes, all blocks together; `by_extents` the share of files with so many extents
    (to below twice that), empty in older records.
    """

    cell: str
    system: str
    files: float
    extents: Estimate
    per_file: Estimate
    fragmented_share: float
    mean_extent_bytes: float
    ratio: JudgedRatio | None
    lengths: list[tuple[int, float]]
    by_extents: list[tuple[int, float]] = Field([])


class ByClients(ResultModel):
    """One test of one system with one number of clients, where that is swept.

    `rate` is in `unit`; `response_ns` that of the `operation` of which the test is made most.
    `rate_ratio` and `response_ratio` are over those of the fewest clients, `gain_ratio` the ratio
    of the rate to the baseline's over what that is with the fewest; None for these themselves.
    """

    cell: str
    test: str
    system: str
    clients: int
    unit: Unit
    operation: str
    rate: Estimate
    response_ns: Estimate | None
    rate_ratio: JudgedRatio | None
    response_ratio: JudgedRatio | None
    gain_ratio: JudgedRatio | None


class CallRow(ResultModel):
    """The call that carried an operation; `reason` says why it was not io_uring."""

    operation: ClientOperation
    call: str
    reason: str | None


class Connections(OwnResults):
    """Everything that only many clients have.

    `dispatch` is one in a sound study; `threads` are event loops, or threads. `extents_primary`:
    the study names extents among its primary numbers; `without_extents` are systems whose files
    have none that can be read.
    """

    clients: int
    outstanding: int
    rests: bool
    dispatch: list[str]
    threads: list[int]
    calls: list[CallRow]
    peak_memory_bytes: int
    checked_records: int
    bad_records: int
    times: list[OperationTime]
    shares: list[ClientShares]
    little: list[LittleRow]
    extents: list[CellExtents]
    extents_primary: bool
    extents_reference: str
    without_extents: list[str]
    errors: list[ErrorRow]
    given_up: list[GivenUp]
    serving: Serving | None = None
    by_clients: list[ByClients] = Field([])

    def extents_of(self, cell: str, system: str) -> CellExtents | None:
        for entry in self.extents:
            if (entry.cell, entry.system) == (cell, system):
                return entry
        return None
