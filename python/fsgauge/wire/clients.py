"""Many clients on one file set, every operation timed: the job of kind "clients" and its result.

The result is a `LoadResult` with `clients` in it; `read` and `write` are records, `jobs` are
clients.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.wire.base import Wire
from fsgauge.wire.histogram import Histogram
from fsgauge.wire.load_job import Data, IncompressibleData

Dispatch = Literal["event_loop", "threads"]
ClientsInterface = Literal["auto", "io_uring", "plain"]
Activity = Literal["read", "create", "save", "delete", "stat", "list"]
BackupOrder = Literal["directory", "inode", "physical"]
ClientOperation = Literal[
    "connect",
    "create",
    "open",
    "read",
    "write",
    "fsync",
    "close",
    "stat",
    "list",
    "rename",
    "unlink",
]
ClientErrorKind = Literal[
    "no_space",
    "quota",
    "too_many_open_files",
    "permission_denied",
    "read_only",
    "exists",
    "missing",
    "io",
    "short",
    "connection_refused",
    "connection_lost",
    "timed_out",
    "login_refused",
    "protocol",
    "other",
]
SmbDialect = Literal["2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"]


class NullClientsTarget(Wire):
    """Nothing: every operation succeeds at once."""

    kind: Literal["null"] = "null"


class PathTarget(Wire):
    """An existing directory of this machine; the file set lies below it."""

    kind: Literal["path"] = "path"
    directory: str


class EnvironmentPassword(Wire):
    """In a variable of the engine's environment."""

    kind: Literal["environment"] = "environment"
    name: str


class FilePassword(Wire):
    """In a file that only its owner can read."""

    kind: Literal["file"] = "file"
    path: str


PasswordSource = Annotated[EnvironmentPassword | FilePassword, Field(discriminator="kind")]
"""Where the engine finds a password: it stands in no job."""


class SmbTarget(Wire):
    """A share of an SMB server: a TCP connection and a session a client.

    The file set lies in `directory`, below the share's root; a writing phase makes it.
    """

    kind: Literal["smb"] = "smb"
    host: str
    port: int
    share: str
    directory: str
    user: str
    password: PasswordSource | None = None
    dialect: SmbDialect = "3.0.2"
    signing: bool = False
    encryption: bool = False
    oplocks: bool = False


class NfsTarget(Wire):
    """An export of an NFS server, version 3: a TCP connection a client."""

    kind: Literal["nfs"] = "nfs"
    host: str
    port: int
    mount_port: int | None = None
    export: str
    directory: str
    user_id: int
    group_id: int


ClientsTarget = Annotated[
    NullClientsTarget | PathTarget | SmbTarget | NfsTarget, Field(discriminator="kind")
]


class WritePhase(Wire):
    """Each client makes its directory, then writes all of its files from start to end."""

    kind: Literal["write"] = "write"
    create: Literal["and_write", "then_open"] = "and_write"


class ReadPhase(Wire):
    """Each client opens, reads from start to end and closes all of its files."""

    kind: Literal["read"] = "read"


class StatPhase(Wire):
    """Each client asks for the attributes of all of its files."""

    kind: Literal["stat"] = "stat"


class DeletePhase(Wire):
    """Each client removes all of its files."""

    kind: Literal["delete"] = "delete"


class WeightedActivity(Wire):
    """One activity and how often it is drawn, relative to the others."""

    activity: Activity
    weight: int


class MixPhase(Wire):
    """Each client does one activity after the other, drawn by weight, until the time is up."""

    kind: Literal["mix"] = "mix"
    activities: list[WeightedActivity]


class BackupPhase(Wire):
    """One reader opens, reads and closes every file below the target's directory."""

    kind: Literal["backup"] = "backup"
    order: BackupOrder
    block_size_bytes: int


class ClearPhase(Wire):
    """Of a share or an export: the file set, its directories and the target's own are removed."""

    kind: Literal["clear"] = "clear"


Phase = Annotated[
    WritePhase | ReadPhase | StatPhase | DeletePhase | MixPhase | BackupPhase | ClearPhase,
    Field(discriminator="kind"),
]
"""What the clients do."""


class Think(Wire):
    """A client's rest."""

    mean_ns: int
    spread: Literal["constant", "exponential"]


class CycleSizes(Wire):
    """File k of client c has size number (c + k) modulo how many there are."""

    kind: Literal["cycle"] = "cycle"
    sizes_bytes: list[int]


class WeightedSize(Wire):
    """One file size and how often it is drawn, relative to the others."""

    size_bytes: int
    weight: int


class WeightedSizes(Wire):
    """Drawn by weight."""

    kind: Literal["weighted"] = "weighted"
    sizes: list[WeightedSize]


class LognormalSizes(Wire):
    """Log-normal, cut at both ends by drawing at the limit; `sigma` is of the natural logarithm."""

    kind: Literal["lognormal"] = "lognormal"
    median_bytes: int
    sigma: float
    smallest_bytes: int
    largest_bytes: int


FileSizes = Annotated[CycleSizes | WeightedSizes | LognormalSizes, Field(discriminator="kind")]


class OwnTree(Wire):
    """A directory a client."""

    kind: Literal["own"] = "own"


class SharedTree(Wire):
    """`fan_out` directories in each of `fan_out` directories, `depth` levels deep."""

    kind: Literal["shared"] = "shared"
    depth: int
    fan_out: int


Tree = Annotated[OwnTree | SharedTree, Field(discriminator="kind")]


class FileSet(Wire):
    """The files of all clients, as a formula: nothing is listed."""

    clients: int
    files_per_client: int
    sizes: FileSizes
    record_size_bytes: int
    tree: Tree


class ClientsJob(Wire):
    """Many clients work on a file set; each is a small state machine with few operations at a time.

    Of a backup, `clients` is 1, whatever the file set's number.
    """

    format: Literal[1] = 1
    kind: Literal["clients"] = "clients"
    target: ClientsTarget
    phase: Phase
    clients: int
    outstanding: int = 1
    dispatch: Dispatch = "event_loop"
    threads: int | None = None
    interface: ClientsInterface = "auto"
    ramp_ns: int = 0
    think: Think | None = None
    files: FileSet
    fsync: bool = False
    time_limit_ns: int
    interval_ns: int = 1_000_000_000
    data: Data = IncompressibleData()
    seed: int
    verify: bool = False


class OperationCall(Wire):
    """The call that carried an operation; `reason` says why it was not io_uring."""

    operation: ClientOperation
    call: str
    reason: str | None = None


class ClientOperationResult(Wire):
    """All operations of one kind in the measured part; latencies are of those that succeeded.

    Response counts from the moment the client asked, service from the call.
    """

    operation: ClientOperation
    operations: int
    size_bytes: int
    errors: int
    response_latency: Histogram
    service_latency: Histogram


class ClientError(Wire):
    """Errors of one operation and kind; the first one's path and the system's words."""

    operation: ClientOperation
    kind: ClientErrorKind
    count: int
    first_path: str
    message: str


class BadRecord(Wire):
    """A record that is not what was written; `first_byte` is an offset in the file."""

    path: str
    offset_bytes: int
    first_byte: int


class BackupResult(Wire):
    """What a backup read; `extents` is null where the order did not need them."""

    order: BackupOrder
    files: int
    directories: int
    listing_ns: int
    comparing_ns: int = 0
    extents: int | None = None


class NetworkResult(Wire):
    """What the clients' connections were; bytes are those of the measured part."""

    protocol: str
    connections: int
    reconnections: int
    null_operation_ns: int
    sent_bytes: int
    received_bytes: int


class ClientsResult(Wire):
    """What the clients did. N of Little's law is active_ns / elapsed_ns of the load's result."""

    dispatch: Dispatch
    threads: int
    calls: list[OperationCall]
    connect_ns: int
    operations: list[ClientOperationResult]
    errors: list[ClientError]
    files: int
    files_given_up: int
    clients_gave_up: int
    first_done_ns: int | None = None
    last_done_ns: int | None = None
    active_ns: int
    think_ns: int
    checked_records: int
    bad_records: int
    bad: list[BadRecord]
    backup: BackupResult | None = None
    network: NetworkResult | None = None
    peak_memory_bytes: int

    @property
    def timed(self) -> list[ClientOperationResult]:
        """Operations of the measured part: clients connect before it."""
        return [part for part in self.operations if part.operation != "connect"]
