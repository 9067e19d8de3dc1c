"""The types of lab and engine; schema/ says what each is, and scripts/wire makes them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fsgauge.engine.wire.base import Packed, Unsigned, Wire

SmbDialect = Literal["2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"]
Interface = Literal["io_uring", "psync", "libaio", "sockets"]


class Zone(Wire):
    size_percent: Annotated[int, Field(ge=0, le=255)]
    weight: Unsigned


FileOperation = Literal[
    "read",
    "write",
    "fsync",
    "fdatasync",
    "trim",
    "mmap_read",
    "append",
    "create",
    "open",
    "read_file",
    "write_file",
    "stat",
    "list",
    "rename",
    "unlink",
    "truncate",
    "fallocate",
    "close",
]


class WeightedSize(Wire):
    size_bytes: Unsigned
    weight: Unsigned


class BlockSize(Wire):
    size_bytes: Unsigned
    weight: Unsigned = 1


Arrival = Literal["constant", "exponential"]


class Think(Wire):
    mean_ns: Unsigned
    spread: Arrival


class JobsOfAll(Wire):
    first: Unsigned
    of: Unsigned


Workers = Literal["threads", "processes"]
Descriptors = Literal["own", "shared"]
Transfer = Literal["whole", "characters", "bytes", "rewrite", "compared"]


class Finish(Wire):
    fsync: bool
    close: bool


CompanionKind = Literal["reader", "log", "checkpoint"]
ClockKind = Literal["tsc", "clock_gettime"]
Stamps = Literal["operation", "batch"]


class Held(Wire):
    path: str
    descriptor: int


class RunName(Wire):
    id: str
    directory: str


Create = Literal["and_write", "then_open"]
Activity = Literal["read", "create", "save", "delete", "stat", "list"]
BackupOrder = Literal["directory", "inode", "physical"]
Dispatch = Literal["event_loop", "threads"]
ClientsInterface = Literal["auto", "io_uring", "plain"]
FileOrder = Literal["number", "random", "directory"]


class AgeSizeBin(Wire):
    at_least_bytes: Unsigned
    below_bytes: Unsigned
    weight: float


class AgeLifetimeBin(Wire):
    at_least_ns: Unsigned
    below_ns: Unsigned
    weight: float


AgeMode = Literal["write", "direct", "fast"]
Ext4Release = Literal["6.1", "6.12", "6.18"]


class Mke2fs(Wire):
    reserved_percent: float = 0.0
    bytes_per_inode: Unsigned | None = None
    inodes: Unsigned | None = None
    inode_size_bytes: Unsigned = 256
    journal_size_bytes: Unsigned | None = None
    has_64bit: bool = True
    resize_inode: bool = True


class DeviceChange(Wire):
    name: str
    value: float


class PassedFile(Wire):
    physical_bytes: list[int]
    length_bytes: list[int]


class ClockReading(Wire):
    at_ns: Unsigned
    offset_ns: int
    bound_ns: Unsigned
    round_trip_ns: Unsigned
    median_round_trip_ns: Unsigned
    suspended_ns: int
    peer_suspended_ns: int


class NullTarget(Wire):
    kind: Literal["null"] = "null"
    size_bytes: Unsigned


class BlockTarget(Wire):
    kind: Literal["block"] = "block"
    path: str
    offset_bytes: Unsigned = 0
    size_bytes: Unsigned


class FilesTarget(Wire):
    kind: Literal["files"] = "files"
    directory: str
    prefix: str = "fsgauge-"
    count: Unsigned
    file_size_bytes: Unsigned


class FileTarget(Wire):
    kind: Literal["file"] = "file"
    path: str
    size_bytes: Unsigned


class NfsTarget(Wire):
    kind: Literal["nfs"] = "nfs"
    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    mount_port: Annotated[int | None, Field(ge=0, le=65535)] = None
    export: str
    directory: str
    user_id: Unsigned
    group_id: Unsigned


class EnvironmentPassword(Wire):
    kind: Literal["environment"] = "environment"
    name: str


class FilePassword(Wire):
    kind: Literal["file"] = "file"
    path: str


class SequentialAccess(Wire):
    kind: Literal["sequential"] = "sequential"


class RandomAccess(Wire):
    kind: Literal["random"] = "random"


class ZipfAccess(Wire):
    kind: Literal["zipf"] = "zipf"
    theta: float


class BackwardsAccess(Wire):
    kind: Literal["backwards"] = "backwards"


class StridedAccess(Wire):
    kind: Literal["strided"] = "strided"
    stride_bytes: Unsigned


class ParetoAccess(Wire):
    kind: Literal["pareto"] = "pareto"
    h: float


class NormalAccess(Wire):
    kind: Literal["normal"] = "normal"
    deviation_percent: Annotated[int, Field(ge=0, le=255)]


class ZonesAccess(Wire):
    kind: Literal["zones"] = "zones"
    zones: list[Zone]


class CycleSizes(Wire):
    kind: Literal["cycle"] = "cycle"
    sizes_bytes: list[int]


class WeightedSizes(Wire):
    kind: Literal["weighted"] = "weighted"
    sizes: list[WeightedSize]


class LognormalSizes(Wire):
    kind: Literal["lognormal"] = "lognormal"
    median_bytes: Unsigned
    sigma: float
    smallest_bytes: Unsigned
    largest_bytes: Unsigned


class IncompressibleData(Wire):
    kind: Literal["incompressible"] = "incompressible"


class ZeroData(Wire):
    kind: Literal["zero"] = "zero"


class CompressibleData(Wire):
    kind: Literal["compressible"] = "compressible"
    compressible_percent: Annotated[int, Field(ge=0, le=255)]


class DuplicatedData(Wire):
    kind: Literal["duplicated"] = "duplicated"
    duplicate_percent: Annotated[int, Field(ge=0, le=255)]
    compressible_percent: Annotated[int, Field(ge=0, le=255)]


class SharedRanges(Wire):
    kind: Literal["shared"] = "shared"


class SegmentedRanges(Wire):
    kind: Literal["segmented"] = "segmented"


class InterleavedRanges(Wire):
    kind: Literal["interleaved"] = "interleaved"


class StridedRanges(Wire):
    kind: Literal["strided"] = "strided"
    stride_bytes: Unsigned


class OwnFilesRanges(Wire):
    kind: Literal["own_files"] = "own_files"


class NoSync(Wire):
    kind: Literal["none"] = "none"


class DsyncSync(Wire):
    kind: Literal["dsync"] = "dsync"


class FsyncSync(Wire):
    kind: Literal["fsync"] = "fsync"
    every: Unsigned


class FdatasyncSync(Wire):
    kind: Literal["fdatasync"] = "fdatasync"
    every: Unsigned


class RwfDsyncSync(Wire):
    kind: Literal["rwf_dsync"] = "rwf_dsync"


class SyncFileRangeSync(Wire):
    kind: Literal["sync_file_range"] = "sync_file_range"
    every: Unsigned


class NullClientsTarget(Wire):
    kind: Literal["null"] = "null"


class PathTarget(Wire):
    kind: Literal["path"] = "path"
    directory: str


class WritePhase(Wire):
    kind: Literal["write"] = "write"
    create: Create = "and_write"


class ReadPhase(Wire):
    kind: Literal["read"] = "read"


class StatPhase(Wire):
    kind: Literal["stat"] = "stat"


class RenamePhase(Wire):
    kind: Literal["rename"] = "rename"


class ListPhase(Wire):
    kind: Literal["list"] = "list"


class DeletePhase(Wire):
    kind: Literal["delete"] = "delete"


class BackupPhase(Wire):
    kind: Literal["backup"] = "backup"
    order: BackupOrder
    block_size_bytes: Unsigned


class ClearPhase(Wire):
    kind: Literal["clear"] = "clear"


class OwnTree(Wire):
    kind: Literal["own"] = "own"


class SharedTree(Wire):
    kind: Literal["shared"] = "shared"
    depth: Unsigned
    fan_out: Unsigned


class IntermingledProfile(Wire):
    kind: Literal["intermingled"] = "intermingled"
    files: Unsigned = 20
    file_size_bytes: Unsigned | None = None
    chunk_bytes: Unsigned = 1048576
    keep_files: Unsigned | None = None


class ConnectionsProfile(Wire):
    kind: Literal["connections"] = "connections"
    clients: Unsigned = 590
    file_size_bytes: Unsigned = 1048576
    record_bytes: Unsigned = 4096
    fsync: bool = False


class DatabaseProfile(Wire):
    kind: Literal["database"] = "database"
    files: Unsigned = 4
    page_bytes: Unsigned = 4096
    extend_bytes: Unsigned = 1048576
    fsync_every: Unsigned = 64


class LognormalParetoSizes(Wire):
    kind: Literal["lognormal_pareto"] = "lognormal_pareto"
    median_bytes: Unsigned
    sigma: float
    tail_percent: float
    tail_from_bytes: Unsigned
    tail_alpha: float
    largest_bytes: Unsigned | None = None


class BinnedSizes(Wire):
    kind: Literal["bins"] = "bins"
    bins: list[AgeSizeBin]


class LognormalLifetimes(Wire):
    kind: Literal["lognormal"] = "lognormal"
    median_ns: Unsigned
    sigma: float


class ExponentialLifetimes(Wire):
    kind: Literal["exponential"] = "exponential"
    mean_ns: Unsigned


class BinnedLifetimes(Wire):
    kind: Literal["bins"] = "bins"
    bins: list[AgeLifetimeBin]


class CompleteEnd(Wire):
    kind: Literal["complete"] = "complete"


class OperationsEnd(Wire):
    kind: Literal["operations"] = "operations"
    operations: Unsigned


class StorageAgeEnd(Wire):
    kind: Literal["storage_age"] = "storage_age"
    storage_age: float


class VirtualTimeEnd(Wire):
    kind: Literal["virtual_time"] = "virtual_time"
    virtual_time_ns: Unsigned


class Ext4Policy(Wire):
    kind: Literal["ext4"] = "ext4"
    release: Ext4Release
    delays: bool = True
    shared_blocks: Unsigned = 16
    group_preallocation_blocks: Unsigned = 512
    max_to_scan: Unsigned = 200
    min_to_scan: Unsigned = 10
    order2_request: Unsigned = 2
    linear_groups: Unsigned = 4
    stripe_blocks: Unsigned = 0
    processors: Unsigned = 1
    mke2fs: Annotated[Mke2fs, Field(validate_default=True)] = {
        "reserved_percent": 0.0,
        "bytes_per_inode": None,
        "inodes": None,
        "inode_size_bytes": 256,
        "journal_size_bytes": None,
        "has_64bit": True,
        "resize_inode": True,
    }


class LdiskfsPolicy(Wire):
    kind: Literal["ldiskfs"] = "ldiskfs"
    prealloc_table_blocks: list[int]
    last_group: Unsigned = 0


class XfsPolicy(Wire):
    kind: Literal["xfs"] = "xfs"
    preallocation_blocks: Unsigned = 0
    extent_hint_blocks: Unsigned = 0
    groups: Unsigned = 0


class BlockAtATimePolicy(Wire):
    kind: Literal["block_at_a_time"] = "block_at_a_time"


class DelayedPolicy(Wire):
    kind: Literal["delayed"] = "delayed"
    delay_blocks: Unsigned


class FirstFitPolicy(Wire):
    kind: Literal["first_fit"] = "first_fit"


class NextFitPolicy(Wire):
    kind: Literal["next_fit"] = "next_fit"


class BestFitPolicy(Wire):
    kind: Literal["best_fit"] = "best_fit"


class WorstFitPolicy(Wire):
    kind: Literal["worst_fit"] = "worst_fit"


class BuddyPolicy(Wire):
    kind: Literal["buddy"] = "buddy"


class WindowPolicy(Wire):
    kind: Literal["window"] = "window"
    window_blocks: Unsigned


class VxfsPolicy(Wire):
    kind: Literal["vxfs"] = "vxfs"
    initial_blocks: Unsigned
    largest_blocks: Unsigned


class ClearStep(Wire):
    kind: Literal["clear"] = "clear"
    directory: str


class DeleteStep(Wire):
    kind: Literal["delete"] = "delete"
    path: str


class BallastStep(Wire):
    kind: Literal["ballast"] = "ballast"
    path: str
    leave_bytes: Unsigned


class ProbeJob(Wire):
    format: Literal[1] = 1
    kind: Literal["probe"] = "probe"
    directory: str | None = None
    without_costs: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []


class HoldOrder(Wire):
    kind: Literal["hold"] = "hold"


class StartOrder(Wire):
    kind: Literal["start"] = "start"
    start_at_ns: Unsigned


class StopOrder(Wire):
    kind: Literal["stop"] = "stop"


Profile = Literal["release", "debug"]


class Features(Wire):
    registered_files: bool
    registered_buffers: bool
    registered_ring: bool
    single_issuer: bool
    defer_taskrun: bool
    coop_taskrun: bool
    no_sqarray: bool


class Note(Wire):
    code: str
    text: str


Ended = Literal["duration", "size_limit", "interrupted"]
Count = Annotated[tuple[int, int], Field(max_length=2, min_length=2)]


class Histogram(Wire):
    sub_bucket_bits: Unsigned
    counts: list[Count]
    operations: Unsigned
    sum_ns: Unsigned
    min_ns: Unsigned
    max_ns: Unsigned


class JobShare(Wire):
    operations: Unsigned
    size_bytes: Unsigned
    elapsed_ns: Unsigned | None = None


class ProcessorTime(Wire):
    user_ns: Unsigned
    system_ns: Unsigned
    threads: Unsigned


class MachineProcessorTime(Wire):
    busy_ns: Unsigned
    total_ns: Unsigned


class IntervalCount(Wire):
    operations: Unsigned
    size_bytes: Unsigned
    latency_sum_ns: Unsigned


class Steady(Wire):
    judged: bool
    reached: bool
    rounds: Unsigned
    range_share: float | None = None
    slope_share: float | None = None
    change_point_ns: Unsigned | None = None
    change_share: float | None = None
    reason: str | None = None


class SyncResult(Wire):
    calls: Unsigned
    refused: Unsigned = 0
    latency: Histogram
    response_latency: Histogram | None = None


class FileOperationResult(Wire):
    operation: FileOperation
    operations: Unsigned
    refused: Unsigned = 0
    size_bytes: Unsigned
    latency: Histogram


class FinishResult(Wire):
    fsync_ns: Unsigned
    close_ns: Unsigned
    elapsed_ns: Unsigned
    cpu: ProcessorTime


class CompanionResult(Wire):
    role: CompanionKind
    count: Unsigned
    operations: Unsigned
    size_bytes: Unsigned
    latency: Histogram


BlockFault = Literal["corrupt", "torn", "foreign", "stale", "lost"]


class Limits(Wire):
    null_operations_per_second: float
    memory_operations_per_second: float
    memory_touched_operations_per_second: float
    memory_stride_operations_per_second: float | None = None


class Drain(Wire):
    operations: Unsigned
    elapsed_ns: Unsigned
    unanswered: Unsigned


class Pauses(Wire):
    total_ns: Unsigned
    longest_ns: Unsigned
    longest_start_ns: Unsigned | None = None
    late_start_ns: Unsigned
    starved_ns: Unsigned | None = None
    clock_error_ns: int
    wall_clock_step_ns: int


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


class ClientOperationResult(Wire):
    operation: ClientOperation
    operations: Unsigned
    size_bytes: Unsigned
    errors: Unsigned
    response_latency: Histogram
    service_latency: Histogram


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


class BadRecord(Wire):
    path: str
    offset_bytes: Unsigned
    first_byte: Unsigned


class BackupResult(Wire):
    order: BackupOrder
    files: Unsigned
    directories: Unsigned
    listing_ns: Unsigned
    comparing_ns: Unsigned = 0
    extents: Unsigned | None = None


class NetworkResult(Wire):
    protocol: str
    connections: Unsigned
    reconnections: Unsigned
    null_operation_ns: Unsigned
    sent_bytes: Unsigned
    received_bytes: Unsigned


class CommonStart(Wire):
    start_at_ns: Unsigned
    armed_at_ns: Unsigned
    started_at_ns: Unsigned
    last_started_at_ns: Unsigned
    ended_at_ns: Unsigned
    real_time: bool
    spun: bool
    suspended_ns: int


class MixResult(Wire):
    format: Literal[1]
    kind: Literal["mix"]
    results: list[dict[str, Any]]


class NullCost(Wire):
    depth_1: float
    depth_32: float


class ScanSource(Wire):
    path: str
    device: str
    file_system: str
    mount_point: str | None = None
    uuid: str | None = None
    writable: bool
    files_by: str
    space_by: str
    space_reason: str | None = None
    block_size_bytes: Unsigned
    size_bytes: Unsigned
    address_bytes: Unsigned | None = None


class Jumps(Wire):
    far: Unsigned
    near: Unsigned
    passed_bytes: Unsigned


class LengthBin(Wire):
    at_least_bytes: Unsigned
    extents: Unsigned
    size_bytes: Unsigned


class ExactLength(Wire):
    length_bytes: Unsigned
    extents: Unsigned


class FilesBin(Wire):
    at_least_extents: Unsigned
    files: Unsigned
    extents: Unsigned


class MetadataSpace(Wire):
    size_bytes: Unsigned
    free_bytes: Unsigned
    free_device_bytes: Unsigned
    system_bytes: Unsigned = 0
    system_free_bytes: Unsigned = 0


class FreeAtLeast(Wire):
    at_least_bytes: Unsigned
    size_bytes: Unsigned


class Counted(Wire):
    size_bytes: Unsigned
    free_bytes: Unsigned
    available_bytes: Unsigned


class HostFile(Wire):
    path: str
    sparse_bytes: Unsigned
    available_bytes: Unsigned


class Inodes(Wire):
    total: Unsigned
    free: Unsigned


class InodeChunk(Wire):
    least_bytes: Unsigned
    align_bytes: Unsigned
    below_bytes: Unsigned | None = None
    places: Unsigned | None = None
    free_inodes: Unsigned


class FullQuota(Wire):
    kind: str
    id: Unsigned
    of: str
    limit: Unsigned


class FullFolder(Wire):
    name: str
    size_bytes: Unsigned
    index_blocks: Unsigned
    full_index_blocks: Unsigned


class EmptiedFolder(Wire):
    name: str
    size_bytes: Unsigned
    entries: Unsigned


class DeletedFile(Wire):
    path: str
    size_bytes: Unsigned
    process: str
    process_id: Unsigned


class Group(Wire):
    offset_bytes: Unsigned
    size_bytes: Unsigned
    free_bytes: Unsigned
    free_extents: Unsigned
    largest_free_bytes: Unsigned


class ScanMap(Wire):
    order: Unsigned
    cell_bytes: Unsigned
    data: list[int]
    metadata: list[int]
    free: list[int]
    unallocated: list[int]
    owner: list[int]
    names: list[str]


class ListedExtent(Wire):
    logical_bytes: Unsigned
    physical_bytes: Unsigned
    length_bytes: Unsigned


class ScanProblem(Wire):
    code: str
    text: str
    count: Unsigned
    examples: list[str]


AgeEnded = Literal["complete", "time_limit", "out_of_space", "gave_up", "interrupted"]
AgeOperation = Literal["create", "append", "overwrite", "truncate", "delete", "fsync"]


class AgeError(Wire):
    operation: AgeOperation | None = None
    errno: int
    text: str
    count: Unsigned
    first_operation: Unsigned


DeviceKind = Literal["zoned_disk", "flash"]
ParameterOrigin = Literal["printed", "assumed", "fitted"]


class EngineFault(Wire):
    what: str
    cause: str
    next: str
    errno: int | None = None
    code: str


class SimulatedPass(Wire):
    size_bytes: Unsigned
    requests: Unsigned
    pieces: Unsigned
    fastest_ns: Unsigned
    slowest_ns: Unsigned


ServeClockEnded = Literal["time_limit", "reply_limit", "stopped"]


class ClockMoment(Wire):
    own_ns: Unsigned
    peer_ns: int
    bound_ns: Unsigned


ListedExtents = Packed[ListedExtent]
ScanStage = Literal["free_space", "files", "names"]


class ScanProgress(Wire):
    files: Unsigned
    of_files: Unsigned | None = None
    extents: Unsigned
    stage: ScanStage = "files"


class AgeProgress(Wire):
    operations: Unsigned
    share: float | None = None
    failed: Unsigned
    written_bytes: Unsigned
    live_files: Unsigned
    live_bytes: Unsigned
    elapsed_ns: Unsigned


class NoteEvent(Note):
    event: Literal["note"]


class ClientsInEvent(Wire):
    event: Literal["clients_in"]
    connect_ns: Unsigned


class ClientsThroughEvent(Wire):
    event: Literal["clients_through"]


class ClockServedEvent(Wire):
    event: Literal["clock_served"]
    port: Annotated[int, Field(ge=0, le=65535)]


class ArmedEvent(Wire):
    event: Literal["armed"]
    armed_at_ns: Unsigned


class ScanProgressEvent(ScanProgress):
    event: Literal["scan_progress"]


class AgeProgressEvent(AgeProgress):
    event: Literal["age_progress"]


class FailedEvent(Wire):
    event: Literal["failed"]
    error: EngineFault


PasswordSource = Annotated[EnvironmentPassword | FilePassword, Field(discriminator="kind")]
Access = Annotated[
    SequentialAccess
    | RandomAccess
    | ZipfAccess
    | BackwardsAccess
    | StridedAccess
    | ParetoAccess
    | NormalAccess
    | ZonesAccess,
    Field(discriminator="kind"),
]


class WeightedOperation(Wire):
    operation: FileOperation
    weight: Unsigned


FileSizes = Annotated[CycleSizes | WeightedSizes | LognormalSizes, Field(discriminator="kind")]


class Rate(Wire):
    operations_per_second: float
    arrival: Arrival


class Rest(Wire):
    every: Annotated[int, Field(ge=1)]
    think: Think


Data = Annotated[
    IncompressibleData | ZeroData | CompressibleData | DuplicatedData, Field(discriminator="kind")
]
Ranges = Annotated[
    SharedRanges | SegmentedRanges | InterleavedRanges | StridedRanges | OwnFilesRanges,
    Field(discriminator="kind"),
]
Sync = Annotated[
    NoSync | DsyncSync | FsyncSync | FdatasyncSync | RwfDsyncSync | SyncFileRangeSync,
    Field(discriminator="kind"),
]


class Companion(Wire):
    role: CompanionKind
    count: Unsigned
    block_size_bytes: Unsigned


class SelfMeasure(Wire):
    null_ns_per_operation: float
    clock_ns_per_read: float
    clock_ns_per_tick: float = 0.0
    clock: ClockKind
    stamps: Stamps


class Lease(Wire):
    silence_limit_ns: Unsigned
    run: RunName | None = None


class WeightedActivity(Wire):
    activity: Activity
    weight: Unsigned


Tree = Annotated[OwnTree | SharedTree, Field(discriminator="kind")]
AgeSizes = Annotated[LognormalParetoSizes | BinnedSizes, Field(discriminator="kind")]
AgeLifetimes = Annotated[
    LognormalLifetimes | ExponentialLifetimes | BinnedLifetimes, Field(discriminator="kind")
]
AgeEnd = Annotated[
    CompleteEnd | OperationsEnd | StorageAgeEnd | VirtualTimeEnd, Field(discriminator="kind")
]
SimulatedPolicy = Annotated[
    Ext4Policy
    | LdiskfsPolicy
    | XfsPolicy
    | BlockAtATimePolicy
    | DelayedPolicy
    | FirstFitPolicy
    | NextFitPolicy
    | BestFitPolicy
    | WorstFitPolicy
    | BuddyPolicy
    | WindowPolicy
    | VxfsPolicy,
    Field(discriminator="kind"),
]


class SimulatedDevice(Wire):
    model: str
    changes: Annotated[list[DeviceChange], Field(validate_default=True)] = []


class PassedFiles(Wire):
    files: list[PassedFile]


class SmbTarget(Wire):
    kind: Literal["smb"] = "smb"
    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    share: str
    directory: str
    user: str
    password: PasswordSource | None = None
    dialect: SmbDialect = "3.0.2"
    signing: bool = False
    encryption: bool = False
    oplocks: bool = False


class MixPhase(Wire):
    kind: Literal["mix"] = "mix"
    activities: list[WeightedActivity]


class ChurnProfile(Wire):
    kind: Literal["churn"] = "churn"
    sizes: Annotated[AgeSizes, Field(validate_default=True)] = {
        "kind": "lognormal_pareto",
        "median_bytes": 13095,
        "sigma": 2.46,
        "tail_percent": 0.006,
        "tail_from_bytes": 536870912,
        "tail_alpha": 0.91,
        "largest_bytes": None,
    }
    lifetimes: Annotated[AgeLifetimes, Field(validate_default=True)] = {
        "kind": "lognormal",
        "median_ns": 3600000000000,
        "sigma": 4.65,
    }
    streams: Unsigned = 64
    rewrite_percent: Annotated[int, Field(ge=0, le=255)] = 0
    turn_bytes: Unsigned | None = None


class GitLikeProfile(Wire):
    kind: Literal["git_like"] = "git_like"
    sizes: Annotated[AgeSizes, Field(validate_default=True)] = {
        "kind": "lognormal_pareto",
        "median_bytes": 4096,
        "sigma": 1.5,
        "tail_percent": 0.0,
        "tail_from_bytes": 1048576,
        "tail_alpha": 1.0,
        "largest_bytes": None,
    }
    files_per_directory: Unsigned = 16
    update_percent: float = 1.0


class ScanJob(Wire):
    format: Literal[1] = 1
    kind: Literal["scan"] = "scan"
    path: str
    threads: Unsigned | None = None
    top: Unsigned = 0
    list_whole: bool = False
    map_order: Unsigned = 0
    space: bool = True
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class MixJob(Wire):
    format: Literal[1] = 1
    kind: Literal["mix"] = "mix"
    loads: list[dict[str, Any]]
    lay_out: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None
    start_at_ns: Unsigned | None = None
    start_on_order: bool = False


class PredictJob(Wire):
    format: Literal[1] = 1
    kind: Literal["predict"] = "predict"
    device: SimulatedDevice
    passes: list[PassedFiles]
    lease: Lease | None = None


class ServeClockJob(Wire):
    format: Literal[1] = 1
    kind: Literal["serve_clock"] = "serve_clock"
    address: str
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    key: str
    time_limit_ns: Unsigned
    reply_limit: Unsigned = 10000000
    lease: Lease | None = None


class ExchangeClockJob(Wire):
    format: Literal[1] = 1
    kind: Literal["exchange_clock"] = "exchange_clock"
    address: str
    port: Annotated[int, Field(ge=0, le=65535)]
    key: str
    exchanges: Unsigned = 40
    timeout_ns: Unsigned = 100000000
    time_limit_ns: Unsigned = 5000000000
    drift_limit_ppm: float = 50.0
    earlier: ClockReading | None = None
    moments_ns: list[int] = []
    lease: Lease | None = None


Order = Annotated[HoldOrder | StartOrder | StopOrder, Field(discriminator="kind")]


class Engine(Wire):
    version: str
    profile: Profile
    target: str
    commit: str


class OperationResult(Wire):
    operations: Unsigned
    size_bytes: Unsigned
    errors: Unsigned
    refused: Unsigned = 0
    service_latency: Histogram
    response_latency: Histogram | None = None
    backlog_dropped: Unsigned


class Interval(Wire):
    start_ns: Unsigned
    elapsed_ns: Unsigned
    warm_up: bool
    read: IntervalCount
    write: IntervalCount


class FaultyBlock(Wire):
    fault: BlockFault
    file: Unsigned
    offset_bytes: Unsigned
    first_byte: Unsigned
    detail: str


class OperationCall(Wire):
    operation: ClientOperation
    call: str
    reason: str | None = None


class ClientError(Wire):
    operation: ClientOperation
    kind: ClientErrorKind
    count: Unsigned
    first_path: str
    message: str


class LayoutResult(Wire):
    format: Literal[1]
    kind: Literal["layout"]
    ended: Ended
    files: Unsigned
    size_bytes: Unsigned
    elapsed_ns: Unsigned
    fsync_ns: Unsigned
    notes: list[Note]
    engine: Engine


class ProbeResult(Wire):
    format: Literal[1]
    kind: Literal["probe"]
    io_uring: bool
    io_uring_reason: str | None = None
    features: Features
    direct: bool | None = None
    direct_alignment_bytes: Unsigned | None = None
    clock: ClockKind | None = None
    clock_ns_per_read: float | None = None
    null_ns_per_operation: NullCost | None = None
    engine: Engine


class ScanCounts(Wire):
    files: Unsigned
    folders: Unsigned
    files_without_extents: Unsigned
    fragmented_files: Unsigned
    sparse_files: Unsigned
    extents: Unsigned
    extent_bytes: Unsigned
    raw_extents: Unsigned
    unwritten_extents: Unsigned
    delayed_extents: Unsigned
    inline_extents: Unsigned
    compressed_extents: Unsigned
    encrypted_extents: Unsigned
    shared_extents: Unsigned
    shared_bytes: Unsigned = 0
    shared_once_extents: Unsigned | None = None
    shared_once_bytes: Unsigned | None = None
    undecided_extents: Unsigned = 0
    undecided_files: Unsigned = 0
    short_bytes: Unsigned = 0
    jumps: Jumps | None = None
    verity_files: Unsigned = 0
    beyond_end_files: Unsigned = 0
    beyond_end_bytes: Unsigned = 0
    tail_bytes: Unsigned = 0
    unnamed_files: Unsigned = 0
    unnamed_bytes: Unsigned = 0
    block_pairs: Unsigned
    contiguous_block_pairs: Unsigned


class FreeSpace(Wire):
    size_bytes: Unsigned
    device_bytes: Unsigned | None = None
    unallocated_bytes: Unsigned | None = None
    unread_bytes: Unsigned | None = None
    metadata: MetadataSpace | None = None
    extents: Unsigned | None = None
    largest_bytes: Unsigned | None = None
    lengths: list[LengthBin]
    at_least: list[FreeAtLeast]


class DeletedFiles(Wire):
    files: Unsigned
    size_bytes: Unsigned
    all_processes: bool
    largest: list[DeletedFile]


class ListedFile(Wire):
    name: str
    size_bytes: Unsigned
    extents: Unsigned
    list: ListedExtents


class AgeOperationResult(Wire):
    operation: AgeOperation
    done: Unsigned
    failed: Unsigned
    skipped: Unsigned
    size_bytes: Unsigned


class DeviceParameter(Wire):
    name: str
    value: float
    unit: str
    what: str
    source: str
    origin: ParameterOrigin
    is_changed: bool = False


class ServeClockResult(Wire):
    format: Literal[1]
    kind: Literal["serve_clock"]
    engine: Engine
    ended: ServeClockEnded
    replies: Unsigned
    refused: Unsigned
    repeated: Unsigned


class ExchangeClockResult(Wire):
    format: Literal[1]
    kind: Literal["exchange_clock"]
    engine: Engine
    reading: ClockReading
    requests: Unsigned
    answers: Unsigned
    ignored: Unsigned
    drift_ppm: float | None = None
    moments: list[ClockMoment]


class StartedEvent(Wire):
    event: Literal["started"]
    engine: Engine
    unix_ns: Unsigned


class SelfMeasureEvent(SelfMeasure):
    event: Literal["self_measure"]


class IntervalEvent(Interval):
    event: Literal["interval"]


ShareTarget = Annotated[SmbTarget | NfsTarget, Field(discriminator="kind")]
ClientsTarget = Annotated[
    NullClientsTarget | PathTarget | SmbTarget | NfsTarget, Field(discriminator="kind")
]
Phase = Annotated[
    WritePhase
    | ReadPhase
    | StatPhase
    | RenamePhase
    | ListPhase
    | DeletePhase
    | MixPhase
    | BackupPhase
    | ClearPhase,
    Field(discriminator="kind"),
]


class FileSet(Wire):
    clients: Unsigned
    files_per_client: Unsigned
    sizes: FileSizes
    record_size_bytes: Unsigned
    tree: Tree


AgeProfile = Annotated[
    IntermingledProfile | ChurnProfile | ConnectionsProfile | GitLikeProfile | DatabaseProfile,
    Field(discriminator="kind"),
]


class ShareFilesTarget(Wire):
    kind: Literal["share_files"] = "share_files"
    share: ShareTarget
    prefix: str = "fsgauge-"
    count: Unsigned
    file_size_bytes: Unsigned


class ShareFileTarget(Wire):
    kind: Literal["share_file"] = "share_file"
    share: ShareTarget
    name: str
    size_bytes: Unsigned


class AgeJob(Wire):
    format: Literal[1] = 1
    kind: Literal["age"] = "age"
    directory: str
    profile: AgeProfile
    mode: AgeMode
    space_bytes: Unsigned | None = None
    fill_percent: float = 80.0
    end: AgeEnd
    time_limit_ns: Unsigned
    sync_every_bytes: Unsigned | None = None
    seed: Unsigned
    fresh_copy: bool = False
    start_at_ns: Unsigned | None = None
    start_on_order: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class ClientsJob(Wire):
    format: Literal[1] = 1
    kind: Literal["clients"] = "clients"
    target: ClientsTarget
    phase: Phase
    clients: Unsigned
    outstanding: Unsigned = 1
    dispatch: Dispatch = "event_loop"
    threads: Unsigned | None = None
    interface: ClientsInterface = "auto"
    ramp_ns: Unsigned = 0
    think: Think | None = None
    rate: Rate | None = None
    files: FileSet
    order: FileOrder = "number"
    wear_out: bool = False
    only_existing: bool = False
    sync_at_end: bool = False
    fsync: bool = False
    time_limit_ns: Unsigned
    interval_ns: Unsigned = 1000000000
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Unsigned
    verify: bool = False
    start_at_ns: Unsigned | None = None
    start_on_order: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class IntegrityResult(Wire):
    checked_blocks: Unsigned
    corrupt_blocks: Unsigned
    torn_blocks: Unsigned
    foreign_blocks: Unsigned
    stale_blocks: Unsigned
    lost_blocks: Unsigned
    faulty: list[FaultyBlock]
    elapsed_ns: Unsigned


class ClientsResult(Wire):
    dispatch: Dispatch
    threads: Unsigned
    calls: list[OperationCall]
    connect_ns: Unsigned
    operations: list[ClientOperationResult]
    errors: list[ClientError]
    files: Unsigned
    file_latency: Histogram | None = None
    names: Unsigned = 0
    fewest_files: Unsigned = 0
    most_files: Unsigned = 0
    stonewall_ns: Unsigned | None = None
    files_given_up: Unsigned
    clients_gave_up: Unsigned
    first_done_ns: Unsigned | None = None
    last_done_ns: Unsigned | None = None
    sync_at_end_ns: Unsigned | None = None
    active_ns: Unsigned
    think_ns: Unsigned
    checked_records: Unsigned
    bad_records: Unsigned
    bad: list[BadRecord]
    backup: BackupResult | None = None
    network: NetworkResult | None = None
    peak_memory_bytes: Unsigned


class LoadResult(Wire):
    format: Literal[1]
    kind: Literal["load"]
    engine: Engine
    interface: Interface
    features: Features | None = None
    notes: list[Note]
    ended: Ended
    started_unix_ns: Unsigned
    warm_up_ns: Unsigned
    elapsed_ns: Unsigned
    read: OperationResult | None = None
    write: OperationResult | None = None
    jobs: list[JobShare]
    in_flight_mean: float
    cpu: ProcessorTime
    machine_cpu: MachineProcessorTime
    intervals: list[Interval]
    steady: Steady | None = None
    self_measure: SelfMeasure
    sync: SyncResult | None = None
    file_operations: Annotated[list[FileOperationResult], Field(validate_default=True)] = []
    finish: FinishResult | None = None
    companions: Annotated[list[CompanionResult], Field(validate_default=True)] = []
    integrity: IntegrityResult | None = None
    limits: Limits | None = None
    drain: Drain | None = None
    pauses: Pauses | None = None
    clients: ClientsResult | None = None
    common_start: CommonStart | None = None


class Room(Wire):
    counted: Counted | None = None
    reserved_bytes: Unsigned | None = None
    cluster_bytes: Unsigned | None = None
    device_bytes: Unsigned | None = None
    host_file: HostFile | None = None
    metadata_reserve_bytes: Unsigned | None = None
    unpaired_bytes: Unsigned | None = None
    inodes: Inodes | None = None
    inode_chunk: InodeChunk | None = None
    full_quotas: Annotated[list[FullQuota], Field(validate_default=True)] = []
    taken_bytes: Unsigned | None = None
    full_folders: Annotated[list[FullFolder], Field(validate_default=True)] = []
    emptied_folders: Annotated[list[EmptiedFolder], Field(validate_default=True)] = []
    deleted: DeletedFiles | None = None
    is_rotational: bool | None = None


class ScanResult(Wire):
    format: Literal[1]
    kind: Literal["scan"]
    engine: Engine
    source: ScanSource
    ended: Ended
    counts: ScanCounts
    extent_lengths: list[LengthBin]
    exact_lengths: Annotated[list[ExactLength], Field(validate_default=True)] = []
    files_by_extents: Annotated[list[FilesBin], Field(validate_default=True)] = []
    free: FreeSpace | None = None
    room: Annotated[Room, Field(validate_default=True)] = {
        "counted": None,
        "reserved_bytes": None,
        "cluster_bytes": None,
        "device_bytes": None,
        "host_file": None,
        "metadata_reserve_bytes": None,
        "unpaired_bytes": None,
        "inodes": None,
        "inode_chunk": None,
        "full_quotas": [],
        "taken_bytes": None,
        "full_folders": [],
        "emptied_folders": [],
        "deleted": None,
        "is_rotational": None,
    }
    group_count: Unsigned = 0
    groups: Packed[Group]
    map: ScanMap | None = None
    top: list[ListedFile]
    problems: list[ScanProblem]
    notes: list[Note]
    started_unix_ns: Unsigned
    elapsed_ns: Unsigned


class AgeResult(Wire):
    format: Literal[1]
    kind: Literal["age"]
    engine: Engine
    ended: AgeEnded
    mode: AgeMode
    profile: AgeProfile
    end: AgeEnd
    seed: Unsigned
    space_bytes: Unsigned
    fill_percent: float
    sync_every_bytes: Unsigned
    log_checksum: str
    operations: list[AgeOperationResult]
    errors: list[AgeError]
    written_bytes: Unsigned
    live_files: Unsigned
    live_bytes: Unsigned
    storage_age: float | None = None
    virtual_time_ns: Unsigned
    directories: Unsigned
    reopened: Unsigned
    syncs: Unsigned
    sync_ns: Unsigned
    user_ns: Unsigned
    system_ns: Unsigned
    notes: list[Note]
    started_unix_ns: Unsigned
    elapsed_ns: Unsigned
    common_start: CommonStart | None = None


class DeviceFacts(Wire):
    model: str
    kind: DeviceKind
    what: str
    parameters: list[DeviceParameter]


StepResult = Annotated[AgeResult | LoadResult | ScanResult, Field(discriminator="kind")]


class PredictResult(Wire):
    format: Literal[1]
    kind: Literal["predict"]
    engine: Engine
    model_version: Unsigned
    device: DeviceFacts
    passes: list[SimulatedPass]


Target = Annotated[
    NullTarget | BlockTarget | FilesTarget | FileTarget | ShareFilesTarget | ShareFileTarget,
    Field(discriminator="kind"),
]


class LoadJob(Wire):
    format: Literal[1] = 1
    kind: Literal["load"] = "load"
    target: Target
    interface: Interface
    direct: bool
    noatime: bool = False
    access: Access
    random_percent: Annotated[int | None, Field(ge=0, le=255)] = None
    apart: bool = False
    hashed: bool = False
    files_per_job: Annotated[int | None, Field(ge=1)] = None
    files_in_turn: Annotated[int | None, Field(ge=1)] = None
    operations: Annotated[list[WeightedOperation], Field(validate_default=True)] = []
    file_sizes: FileSizes | None = None
    read_percent: Annotated[int, Field(ge=0, le=255)]
    block_sizes: list[BlockSize]
    write_block_sizes: Annotated[list[BlockSize], Field(validate_default=True)] = []
    align_bytes: Annotated[int | None, Field(ge=1)] = None
    queue_depth: Unsigned
    jobs: Unsigned
    batch: Unsigned | None = None
    submit_batch: Unsigned | None = None
    rate: Rate | None = None
    burst: Annotated[int | None, Field(ge=1)] = None
    rest: Rest | None = None
    start_after_ns: Unsigned = 0
    warm_up_ns: Unsigned = 0
    steady_window_ns: Unsigned | None = None
    duration_ns: Unsigned
    size_limit_bytes: Unsigned | None = None
    interval_ns: Unsigned = 1000000000
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Unsigned
    ranges: Ranges | None = None
    jobs_of_all: JobsOfAll | None = None
    passes: Unsigned | None = None
    wear_out: bool = False
    only_existing: bool = False
    extend: bool = False
    preallocate: bool = False
    preallocate_chunk_bytes: Unsigned | None = None
    workers: Workers = "threads"
    descriptors: Descriptors = "own"
    sync: Annotated[Sync, Field(validate_default=True)] = {"kind": "none"}
    continue_when_full: bool = False
    transfer: Transfer = "whole"
    finish: Annotated[Finish, Field(validate_default=True)] = {"fsync": False, "close": False}
    verify: bool = False
    companions: Annotated[list[Companion], Field(validate_default=True)] = []
    measure_limits: bool = False
    limits_stride_bytes: Annotated[int | None, Field(ge=1)] = None
    measured_before: SelfMeasure | None = None
    start_at_ns: Unsigned | None = None
    start_on_order: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class LayoutJob(Wire):
    format: Literal[1] = 1
    kind: Literal["layout"] = "layout"
    target: Target
    block_size_bytes: Unsigned = 1048576
    queue_depth: Unsigned = 8
    direct: bool
    preallocate: bool = False
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Unsigned
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class SimulatedStep(Wire):
    fault: EngineFault | None = None
    size_bytes: Unsigned
    free_bytes: Unsigned
    elapsed_ns: Unsigned
    moved: SimulatedPass | None = None
    result: StepResult | None = None


class SimulateResult(Wire):
    format: Literal[1]
    kind: Literal["simulate"]
    engine: Engine
    ended: Ended
    model_version: Unsigned
    policy: str
    proof: str
    device: DeviceFacts
    free_bytes: Unsigned
    steps: list[SimulatedStep]


Result = Annotated[
    LoadResult
    | MixResult
    | LayoutResult
    | ProbeResult
    | ScanResult
    | AgeResult
    | SimulateResult
    | PredictResult
    | ServeClockResult
    | ExchangeClockResult,
    Field(discriminator="kind"),
]


class FinishedEvent(Wire):
    event: Literal["finished"]
    result: Result


SimulateStep = Annotated[
    AgeJob | LoadJob | ClientsJob | ScanJob | ClearStep | DeleteStep | BallastStep,
    Field(discriminator="kind"),
]


class SimulateJob(Wire):
    format: Literal[1] = 1
    kind: Literal["simulate"] = "simulate"
    policy: SimulatedPolicy
    device: SimulatedDevice
    size_bytes: Unsigned
    devices: Unsigned = 1
    stripe_bytes: Unsigned = 1048576
    block_size_bytes: Unsigned = 4096
    group_blocks: Unsigned = 32768
    without_data: bool = False
    dirty_bytes: Unsigned = 1073741824
    steps: list[SimulateStep]
    check_only: bool = False
    lease: Lease | None = None


Event = Annotated[
    StartedEvent
    | NoteEvent
    | SelfMeasureEvent
    | ClientsInEvent
    | ClientsThroughEvent
    | ClockServedEvent
    | ArmedEvent
    | IntervalEvent
    | ScanProgressEvent
    | AgeProgressEvent
    | FinishedEvent
    | FailedEvent,
    Field(discriminator="event"),
]
Job = Annotated[
    LoadJob
    | MixJob
    | LayoutJob
    | ProbeJob
    | ScanJob
    | ClientsJob
    | AgeJob
    | SimulateJob
    | PredictJob
    | ServeClockJob
    | ExchangeClockJob,
    Field(discriminator="kind"),
]
