"""The types of lab and engine; schema/ says what each is, and scripts/wire makes them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fsgauge.engine.wire.base import Packed, Wire

SmbDialect = Literal["2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"]
Interface = Literal["io_uring", "psync", "libaio", "sockets"]


class Zone(Wire):
    size_percent: Annotated[int, Field(ge=0, le=255)]
    weight: Annotated[int, Field(ge=0)]


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
    size_bytes: Annotated[int, Field(ge=0)]
    weight: Annotated[int, Field(ge=0)]


class BlockSize(Wire):
    size_bytes: Annotated[int, Field(ge=0)]
    weight: Annotated[int, Field(ge=0)] = 1


Arrival = Literal["constant", "exponential"]


class Think(Wire):
    mean_ns: Annotated[int, Field(ge=0)]
    spread: Arrival


class JobsOfAll(Wire):
    first: Annotated[int, Field(ge=0)]
    of: Annotated[int, Field(ge=0)]


Workers = Literal["threads", "processes"]
Descriptors = Literal["own", "shared"]
Transfer = Literal["whole", "characters", "bytes", "rewrite"]


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
    at_least_bytes: Annotated[int, Field(ge=0)]
    below_bytes: Annotated[int, Field(ge=0)]
    weight: float


class AgeLifetimeBin(Wire):
    at_least_ns: Annotated[int, Field(ge=0)]
    below_ns: Annotated[int, Field(ge=0)]
    weight: float


AgeMode = Literal["write", "direct", "fast"]
Ext4Release = Literal["6.1", "6.12", "6.18"]


class Mke2fs(Wire):
    reserved_percent: float = 0.0
    bytes_per_inode: Annotated[int | None, Field(ge=0)] = None
    inodes: Annotated[int | None, Field(ge=0)] = None
    inode_size_bytes: Annotated[int, Field(ge=0)] = 256
    journal_size_bytes: Annotated[int | None, Field(ge=0)] = None
    has_64bit: bool = True
    resize_inode: bool = True


class DeviceChange(Wire):
    name: str
    value: float


class PassedFile(Wire):
    physical_bytes: list[int]
    length_bytes: list[int]


class ClockReading(Wire):
    at_ns: Annotated[int, Field(ge=0)]
    offset_ns: int
    bound_ns: Annotated[int, Field(ge=0)]
    round_trip_ns: Annotated[int, Field(ge=0)]
    median_round_trip_ns: Annotated[int, Field(ge=0)]
    suspended_ns: int
    peer_suspended_ns: int


class NullTarget(Wire):
    kind: Literal["null"] = "null"
    size_bytes: Annotated[int, Field(ge=0)]


class BlockTarget(Wire):
    kind: Literal["block"] = "block"
    path: str
    offset_bytes: Annotated[int, Field(ge=0)] = 0
    size_bytes: Annotated[int, Field(ge=0)]


class FilesTarget(Wire):
    kind: Literal["files"] = "files"
    directory: str
    prefix: str = "fsgauge-"
    count: Annotated[int, Field(ge=0)]
    file_size_bytes: Annotated[int, Field(ge=0)]


class FileTarget(Wire):
    kind: Literal["file"] = "file"
    path: str
    size_bytes: Annotated[int, Field(ge=0)]


class NfsTarget(Wire):
    kind: Literal["nfs"] = "nfs"
    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    mount_port: Annotated[int | None, Field(ge=0, le=65535)] = None
    export: str
    directory: str
    user_id: Annotated[int, Field(ge=0)]
    group_id: Annotated[int, Field(ge=0)]


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
    stride_bytes: Annotated[int, Field(ge=0)]


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
    median_bytes: Annotated[int, Field(ge=0)]
    sigma: float
    smallest_bytes: Annotated[int, Field(ge=0)]
    largest_bytes: Annotated[int, Field(ge=0)]


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
    stride_bytes: Annotated[int, Field(ge=0)]


class OwnFilesRanges(Wire):
    kind: Literal["own_files"] = "own_files"


class NoSync(Wire):
    kind: Literal["none"] = "none"


class DsyncSync(Wire):
    kind: Literal["dsync"] = "dsync"


class FsyncSync(Wire):
    kind: Literal["fsync"] = "fsync"
    every: Annotated[int, Field(ge=0)]


class FdatasyncSync(Wire):
    kind: Literal["fdatasync"] = "fdatasync"
    every: Annotated[int, Field(ge=0)]


class RwfDsyncSync(Wire):
    kind: Literal["rwf_dsync"] = "rwf_dsync"


class SyncFileRangeSync(Wire):
    kind: Literal["sync_file_range"] = "sync_file_range"
    every: Annotated[int, Field(ge=0)]


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
    block_size_bytes: Annotated[int, Field(ge=0)]


class ClearPhase(Wire):
    kind: Literal["clear"] = "clear"


class OwnTree(Wire):
    kind: Literal["own"] = "own"


class SharedTree(Wire):
    kind: Literal["shared"] = "shared"
    depth: Annotated[int, Field(ge=0)]
    fan_out: Annotated[int, Field(ge=0)]


class IntermingledProfile(Wire):
    kind: Literal["intermingled"] = "intermingled"
    files: Annotated[int, Field(ge=0)] = 20
    file_size_bytes: Annotated[int | None, Field(ge=0)] = None
    chunk_bytes: Annotated[int, Field(ge=0)] = 1048576
    keep_files: Annotated[int | None, Field(ge=0)] = None


class ConnectionsProfile(Wire):
    kind: Literal["connections"] = "connections"
    clients: Annotated[int, Field(ge=0)] = 590
    file_size_bytes: Annotated[int, Field(ge=0)] = 1048576
    record_bytes: Annotated[int, Field(ge=0)] = 4096
    fsync: bool = False


class DatabaseProfile(Wire):
    kind: Literal["database"] = "database"
    files: Annotated[int, Field(ge=0)] = 4
    page_bytes: Annotated[int, Field(ge=0)] = 4096
    extend_bytes: Annotated[int, Field(ge=0)] = 1048576
    fsync_every: Annotated[int, Field(ge=0)] = 64


class LognormalParetoSizes(Wire):
    kind: Literal["lognormal_pareto"] = "lognormal_pareto"
    median_bytes: Annotated[int, Field(ge=0)]
    sigma: float
    tail_percent: float
    tail_from_bytes: Annotated[int, Field(ge=0)]
    tail_alpha: float
    largest_bytes: Annotated[int | None, Field(ge=0)] = None


class BinnedSizes(Wire):
    kind: Literal["bins"] = "bins"
    bins: list[AgeSizeBin]


class LognormalLifetimes(Wire):
    kind: Literal["lognormal"] = "lognormal"
    median_ns: Annotated[int, Field(ge=0)]
    sigma: float


class ExponentialLifetimes(Wire):
    kind: Literal["exponential"] = "exponential"
    mean_ns: Annotated[int, Field(ge=0)]


class BinnedLifetimes(Wire):
    kind: Literal["bins"] = "bins"
    bins: list[AgeLifetimeBin]


class CompleteEnd(Wire):
    kind: Literal["complete"] = "complete"


class OperationsEnd(Wire):
    kind: Literal["operations"] = "operations"
    operations: Annotated[int, Field(ge=0)]


class StorageAgeEnd(Wire):
    kind: Literal["storage_age"] = "storage_age"
    storage_age: float


class VirtualTimeEnd(Wire):
    kind: Literal["virtual_time"] = "virtual_time"
    virtual_time_ns: Annotated[int, Field(ge=0)]


class Ext4Policy(Wire):
    kind: Literal["ext4"] = "ext4"
    release: Ext4Release
    delays: bool = True
    shared_blocks: Annotated[int, Field(ge=0)] = 16
    group_preallocation_blocks: Annotated[int, Field(ge=0)] = 512
    max_to_scan: Annotated[int, Field(ge=0)] = 200
    min_to_scan: Annotated[int, Field(ge=0)] = 10
    order2_request: Annotated[int, Field(ge=0)] = 2
    linear_groups: Annotated[int, Field(ge=0)] = 4
    stripe_blocks: Annotated[int, Field(ge=0)] = 0
    processors: Annotated[int, Field(ge=0)] = 1
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
    last_group: Annotated[int, Field(ge=0)] = 0


class XfsPolicy(Wire):
    kind: Literal["xfs"] = "xfs"
    preallocation_blocks: Annotated[int, Field(ge=0)] = 0
    extent_hint_blocks: Annotated[int, Field(ge=0)] = 0
    groups: Annotated[int, Field(ge=0)] = 0


class BlockAtATimePolicy(Wire):
    kind: Literal["block_at_a_time"] = "block_at_a_time"


class DelayedPolicy(Wire):
    kind: Literal["delayed"] = "delayed"
    delay_blocks: Annotated[int, Field(ge=0)]


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
    window_blocks: Annotated[int, Field(ge=0)]


class VxfsPolicy(Wire):
    kind: Literal["vxfs"] = "vxfs"
    initial_blocks: Annotated[int, Field(ge=0)]
    largest_blocks: Annotated[int, Field(ge=0)]


class ClearStep(Wire):
    kind: Literal["clear"] = "clear"
    directory: str


class DeleteStep(Wire):
    kind: Literal["delete"] = "delete"
    path: str


class BallastStep(Wire):
    kind: Literal["ballast"] = "ballast"
    path: str
    leave_bytes: Annotated[int, Field(ge=0)]


class ProbeJob(Wire):
    format: Literal[1] = 1
    kind: Literal["probe"] = "probe"
    directory: str | None = None
    held: Annotated[list[Held], Field(validate_default=True)] = []


class HoldOrder(Wire):
    kind: Literal["hold"] = "hold"


class StartOrder(Wire):
    kind: Literal["start"] = "start"
    start_at_ns: Annotated[int, Field(ge=0)]


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
    sub_bucket_bits: Annotated[int, Field(ge=0)]
    counts: list[Count]
    operations: Annotated[int, Field(ge=0)]
    sum_ns: Annotated[int, Field(ge=0)]
    min_ns: Annotated[int, Field(ge=0)]
    max_ns: Annotated[int, Field(ge=0)]


class JobShare(Wire):
    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int | None, Field(ge=0)] = None


class ProcessorTime(Wire):
    user_ns: Annotated[int, Field(ge=0)]
    system_ns: Annotated[int, Field(ge=0)]
    threads: Annotated[int, Field(ge=0)]


class MachineProcessorTime(Wire):
    busy_ns: Annotated[int, Field(ge=0)]
    total_ns: Annotated[int, Field(ge=0)]


class IntervalCount(Wire):
    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    latency_sum_ns: Annotated[int, Field(ge=0)]


class Steady(Wire):
    judged: bool
    reached: bool
    rounds: Annotated[int, Field(ge=0)]
    range_share: float | None = None
    slope_share: float | None = None
    change_point_ns: Annotated[int | None, Field(ge=0)] = None
    change_share: float | None = None
    reason: str | None = None


class SyncResult(Wire):
    calls: Annotated[int, Field(ge=0)]
    refused: Annotated[int, Field(ge=0)] = 0
    latency: Histogram
    response_latency: Histogram | None = None


class FileOperationResult(Wire):
    operation: FileOperation
    operations: Annotated[int, Field(ge=0)]
    refused: Annotated[int, Field(ge=0)] = 0
    size_bytes: Annotated[int, Field(ge=0)]
    latency: Histogram


class FinishResult(Wire):
    fsync_ns: Annotated[int, Field(ge=0)]
    close_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    cpu: ProcessorTime


class CompanionResult(Wire):
    role: CompanionKind
    count: Annotated[int, Field(ge=0)]
    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    latency: Histogram


BlockFault = Literal["corrupt", "torn", "foreign", "stale", "lost"]


class Limits(Wire):
    null_operations_per_second: float
    memory_operations_per_second: float
    memory_touched_operations_per_second: float
    memory_stride_operations_per_second: float | None = None


class Drain(Wire):
    operations: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    unanswered: Annotated[int, Field(ge=0)]


class Pauses(Wire):
    total_ns: Annotated[int, Field(ge=0)]
    longest_ns: Annotated[int, Field(ge=0)]
    longest_start_ns: Annotated[int | None, Field(ge=0)] = None
    late_start_ns: Annotated[int, Field(ge=0)]
    starved_ns: Annotated[int | None, Field(ge=0)] = None
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
    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    errors: Annotated[int, Field(ge=0)]
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
    offset_bytes: Annotated[int, Field(ge=0)]
    first_byte: Annotated[int, Field(ge=0)]


class BackupResult(Wire):
    order: BackupOrder
    files: Annotated[int, Field(ge=0)]
    directories: Annotated[int, Field(ge=0)]
    listing_ns: Annotated[int, Field(ge=0)]
    comparing_ns: Annotated[int, Field(ge=0)] = 0
    extents: Annotated[int | None, Field(ge=0)] = None


class NetworkResult(Wire):
    protocol: str
    connections: Annotated[int, Field(ge=0)]
    reconnections: Annotated[int, Field(ge=0)]
    null_operation_ns: Annotated[int, Field(ge=0)]
    sent_bytes: Annotated[int, Field(ge=0)]
    received_bytes: Annotated[int, Field(ge=0)]


class CommonStart(Wire):
    start_at_ns: Annotated[int, Field(ge=0)]
    armed_at_ns: Annotated[int, Field(ge=0)]
    started_at_ns: Annotated[int, Field(ge=0)]
    last_started_at_ns: Annotated[int, Field(ge=0)]
    ended_at_ns: Annotated[int, Field(ge=0)]
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
    writable: bool
    files_by: str
    space_by: str
    space_reason: str | None = None
    block_size_bytes: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    address_bytes: Annotated[int | None, Field(ge=0)] = None


class Jumps(Wire):
    far: Annotated[int, Field(ge=0)]
    near: Annotated[int, Field(ge=0)]
    passed_bytes: Annotated[int, Field(ge=0)]


class LengthBin(Wire):
    at_least_bytes: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]


class ExactLength(Wire):
    length_bytes: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]


class FilesBin(Wire):
    at_least_extents: Annotated[int, Field(ge=0)]
    files: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]


class MetadataSpace(Wire):
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]
    free_device_bytes: Annotated[int, Field(ge=0)]
    system_bytes: Annotated[int, Field(ge=0)] = 0
    system_free_bytes: Annotated[int, Field(ge=0)] = 0


class FreeAtLeast(Wire):
    at_least_bytes: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]


class Counted(Wire):
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]
    available_bytes: Annotated[int, Field(ge=0)]


class Inodes(Wire):
    total: Annotated[int, Field(ge=0)]
    free: Annotated[int, Field(ge=0)]


class InodeChunk(Wire):
    least_bytes: Annotated[int, Field(ge=0)]
    align_bytes: Annotated[int, Field(ge=0)]
    below_bytes: Annotated[int | None, Field(ge=0)] = None
    places: Annotated[int | None, Field(ge=0)] = None
    free_inodes: Annotated[int, Field(ge=0)]


class FullQuota(Wire):
    kind: str
    id: Annotated[int, Field(ge=0)]
    of: str
    limit: Annotated[int, Field(ge=0)]


class FullFolder(Wire):
    name: str
    size_bytes: Annotated[int, Field(ge=0)]
    index_blocks: Annotated[int, Field(ge=0)]
    full_index_blocks: Annotated[int, Field(ge=0)]


class DeletedFile(Wire):
    path: str
    size_bytes: Annotated[int, Field(ge=0)]
    process: str
    process_id: Annotated[int, Field(ge=0)]


class Group(Wire):
    offset_bytes: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]
    free_extents: Annotated[int, Field(ge=0)]
    largest_free_bytes: Annotated[int, Field(ge=0)]


class ScanMap(Wire):
    order: Annotated[int, Field(ge=0)]
    cell_bytes: Annotated[int, Field(ge=0)]
    data: list[int]
    metadata: list[int]
    free: list[int]
    unallocated: list[int]
    owner: list[int]
    names: list[str]


class ListedExtent(Wire):
    logical_bytes: Annotated[int, Field(ge=0)]
    physical_bytes: Annotated[int, Field(ge=0)]
    length_bytes: Annotated[int, Field(ge=0)]


class ScanProblem(Wire):
    code: str
    text: str
    count: Annotated[int, Field(ge=0)]
    examples: list[str]


AgeEnded = Literal["complete", "time_limit", "out_of_space", "gave_up", "interrupted"]
AgeOperation = Literal["create", "append", "overwrite", "truncate", "delete", "fsync"]


class AgeError(Wire):
    operation: AgeOperation | None = None
    errno: int
    text: str
    count: Annotated[int, Field(ge=0)]
    first_operation: Annotated[int, Field(ge=0)]


DeviceKind = Literal["zoned_disk", "flash"]
ParameterOrigin = Literal["printed", "assumed", "fitted"]


class EngineFault(Wire):
    what: str
    cause: str
    next: str
    errno: int | None = None
    code: str


class SimulatedPass(Wire):
    size_bytes: Annotated[int, Field(ge=0)]
    requests: Annotated[int, Field(ge=0)]
    pieces: Annotated[int, Field(ge=0)]
    fastest_ns: Annotated[int, Field(ge=0)]
    slowest_ns: Annotated[int, Field(ge=0)]


ServeClockEnded = Literal["time_limit", "reply_limit", "stopped"]


class ClockMoment(Wire):
    own_ns: Annotated[int, Field(ge=0)]
    peer_ns: int
    bound_ns: Annotated[int, Field(ge=0)]


ListedExtents = Packed[ListedExtent]
ScanStage = Literal["free_space", "files", "names"]


class ScanProgress(Wire):
    files: Annotated[int, Field(ge=0)]
    of_files: Annotated[int | None, Field(ge=0)] = None
    extents: Annotated[int, Field(ge=0)]
    stage: ScanStage = "files"


class AgeProgress(Wire):
    operations: Annotated[int, Field(ge=0)]
    share: float | None = None
    failed: Annotated[int, Field(ge=0)]
    written_bytes: Annotated[int, Field(ge=0)]
    live_files: Annotated[int, Field(ge=0)]
    live_bytes: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]


class NoteEvent(Note):
    event: Literal["note"]


class ClientsInEvent(Wire):
    event: Literal["clients_in"]
    connect_ns: Annotated[int, Field(ge=0)]


class ClientsThroughEvent(Wire):
    event: Literal["clients_through"]


class ClockServedEvent(Wire):
    event: Literal["clock_served"]
    port: Annotated[int, Field(ge=0, le=65535)]


class ArmedEvent(Wire):
    event: Literal["armed"]
    armed_at_ns: Annotated[int, Field(ge=0)]


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
    weight: Annotated[int, Field(ge=0)]


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
    count: Annotated[int, Field(ge=0)]
    block_size_bytes: Annotated[int, Field(ge=0)]


class SelfMeasure(Wire):
    null_ns_per_operation: float
    clock_ns_per_read: float
    clock_ns_per_tick: float = 0.0
    clock: ClockKind
    stamps: Stamps


class Lease(Wire):
    silence_limit_ns: Annotated[int, Field(ge=0)]
    run: RunName | None = None


class WeightedActivity(Wire):
    activity: Activity
    weight: Annotated[int, Field(ge=0)]


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
    streams: Annotated[int, Field(ge=0)] = 64
    rewrite_percent: Annotated[int, Field(ge=0, le=255)] = 0
    turn_bytes: Annotated[int | None, Field(ge=0)] = None


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
    files_per_directory: Annotated[int, Field(ge=0)] = 16
    update_percent: float = 1.0


class ScanJob(Wire):
    format: Literal[1] = 1
    kind: Literal["scan"] = "scan"
    path: str
    threads: Annotated[int | None, Field(ge=0)] = None
    top: Annotated[int, Field(ge=0)] = 0
    list_whole: bool = False
    map_order: Annotated[int, Field(ge=0)] = 0
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
    start_at_ns: Annotated[int | None, Field(ge=0)] = None
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
    time_limit_ns: Annotated[int, Field(ge=0)]
    reply_limit: Annotated[int, Field(ge=0)] = 10000000
    lease: Lease | None = None


class ExchangeClockJob(Wire):
    format: Literal[1] = 1
    kind: Literal["exchange_clock"] = "exchange_clock"
    address: str
    port: Annotated[int, Field(ge=0, le=65535)]
    key: str
    exchanges: Annotated[int, Field(ge=0)] = 40
    timeout_ns: Annotated[int, Field(ge=0)] = 100000000
    time_limit_ns: Annotated[int, Field(ge=0)] = 5000000000
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
    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    errors: Annotated[int, Field(ge=0)]
    refused: Annotated[int, Field(ge=0)] = 0
    service_latency: Histogram
    response_latency: Histogram | None = None
    backlog_dropped: Annotated[int, Field(ge=0)]


class Interval(Wire):
    start_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    warm_up: bool
    read: IntervalCount
    write: IntervalCount


class FaultyBlock(Wire):
    fault: BlockFault
    file: Annotated[int, Field(ge=0)]
    offset_bytes: Annotated[int, Field(ge=0)]
    first_byte: Annotated[int, Field(ge=0)]
    detail: str


class OperationCall(Wire):
    operation: ClientOperation
    call: str
    reason: str | None = None


class ClientError(Wire):
    operation: ClientOperation
    kind: ClientErrorKind
    count: Annotated[int, Field(ge=0)]
    first_path: str
    message: str


class LayoutResult(Wire):
    format: Literal[1]
    kind: Literal["layout"]
    ended: Ended
    files: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    fsync_ns: Annotated[int, Field(ge=0)]
    notes: list[Note]
    engine: Engine


class ProbeResult(Wire):
    format: Literal[1]
    kind: Literal["probe"]
    io_uring: bool
    io_uring_reason: str | None = None
    features: Features
    direct: bool | None = None
    direct_alignment_bytes: Annotated[int | None, Field(ge=0)] = None
    clock: ClockKind
    clock_ns_per_read: float
    null_ns_per_operation: NullCost
    engine: Engine


class ScanCounts(Wire):
    files: Annotated[int, Field(ge=0)]
    folders: Annotated[int, Field(ge=0)]
    files_without_extents: Annotated[int, Field(ge=0)]
    fragmented_files: Annotated[int, Field(ge=0)]
    sparse_files: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]
    extent_bytes: Annotated[int, Field(ge=0)]
    raw_extents: Annotated[int, Field(ge=0)]
    unwritten_extents: Annotated[int, Field(ge=0)]
    delayed_extents: Annotated[int, Field(ge=0)]
    inline_extents: Annotated[int, Field(ge=0)]
    compressed_extents: Annotated[int, Field(ge=0)]
    encrypted_extents: Annotated[int, Field(ge=0)]
    shared_extents: Annotated[int, Field(ge=0)]
    shared_bytes: Annotated[int, Field(ge=0)] = 0
    shared_once_extents: Annotated[int | None, Field(ge=0)] = None
    shared_once_bytes: Annotated[int | None, Field(ge=0)] = None
    undecided_extents: Annotated[int, Field(ge=0)] = 0
    undecided_files: Annotated[int, Field(ge=0)] = 0
    short_bytes: Annotated[int, Field(ge=0)] = 0
    jumps: Jumps | None = None
    verity_files: Annotated[int, Field(ge=0)] = 0
    beyond_end_files: Annotated[int, Field(ge=0)] = 0
    beyond_end_bytes: Annotated[int, Field(ge=0)] = 0
    unnamed_files: Annotated[int, Field(ge=0)] = 0
    unnamed_bytes: Annotated[int, Field(ge=0)] = 0
    block_pairs: Annotated[int, Field(ge=0)]
    contiguous_block_pairs: Annotated[int, Field(ge=0)]


class FreeSpace(Wire):
    size_bytes: Annotated[int, Field(ge=0)]
    device_bytes: Annotated[int | None, Field(ge=0)] = None
    unallocated_bytes: Annotated[int | None, Field(ge=0)] = None
    unread_bytes: Annotated[int | None, Field(ge=0)] = None
    metadata: MetadataSpace | None = None
    extents: Annotated[int | None, Field(ge=0)] = None
    largest_bytes: Annotated[int | None, Field(ge=0)] = None
    lengths: list[LengthBin]
    at_least: list[FreeAtLeast]


class DeletedFiles(Wire):
    files: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    all_processes: bool
    largest: list[DeletedFile]


class ListedFile(Wire):
    name: str
    size_bytes: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]
    list: ListedExtents


class AgeOperationResult(Wire):
    operation: AgeOperation
    done: Annotated[int, Field(ge=0)]
    failed: Annotated[int, Field(ge=0)]
    skipped: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]


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
    replies: Annotated[int, Field(ge=0)]
    refused: Annotated[int, Field(ge=0)]
    repeated: Annotated[int, Field(ge=0)]


class ExchangeClockResult(Wire):
    format: Literal[1]
    kind: Literal["exchange_clock"]
    engine: Engine
    reading: ClockReading
    requests: Annotated[int, Field(ge=0)]
    answers: Annotated[int, Field(ge=0)]
    ignored: Annotated[int, Field(ge=0)]
    drift_ppm: float | None = None
    moments: list[ClockMoment]


class StartedEvent(Wire):
    event: Literal["started"]
    engine: Engine
    unix_ns: Annotated[int, Field(ge=0)]


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
    clients: Annotated[int, Field(ge=0)]
    files_per_client: Annotated[int, Field(ge=0)]
    sizes: FileSizes
    record_size_bytes: Annotated[int, Field(ge=0)]
    tree: Tree


AgeProfile = Annotated[
    IntermingledProfile | ChurnProfile | ConnectionsProfile | GitLikeProfile | DatabaseProfile,
    Field(discriminator="kind"),
]


class ShareFilesTarget(Wire):
    kind: Literal["share_files"] = "share_files"
    share: ShareTarget
    prefix: str = "fsgauge-"
    count: Annotated[int, Field(ge=0)]
    file_size_bytes: Annotated[int, Field(ge=0)]


class ShareFileTarget(Wire):
    kind: Literal["share_file"] = "share_file"
    share: ShareTarget
    name: str
    size_bytes: Annotated[int, Field(ge=0)]


class AgeJob(Wire):
    format: Literal[1] = 1
    kind: Literal["age"] = "age"
    directory: str
    profile: AgeProfile
    mode: AgeMode
    space_bytes: Annotated[int | None, Field(ge=0)] = None
    fill_percent: float = 80.0
    end: AgeEnd
    time_limit_ns: Annotated[int, Field(ge=0)]
    sync_every_bytes: Annotated[int | None, Field(ge=0)] = None
    seed: Annotated[int, Field(ge=0)]
    fresh_copy: bool = False
    start_at_ns: Annotated[int | None, Field(ge=0)] = None
    start_on_order: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class ClientsJob(Wire):
    format: Literal[1] = 1
    kind: Literal["clients"] = "clients"
    target: ClientsTarget
    phase: Phase
    clients: Annotated[int, Field(ge=0)]
    outstanding: Annotated[int, Field(ge=0)] = 1
    dispatch: Dispatch = "event_loop"
    threads: Annotated[int | None, Field(ge=0)] = None
    interface: ClientsInterface = "auto"
    ramp_ns: Annotated[int, Field(ge=0)] = 0
    think: Think | None = None
    rate: Rate | None = None
    files: FileSet
    order: FileOrder = "number"
    wear_out: bool = False
    only_existing: bool = False
    sync_at_end: bool = False
    fsync: bool = False
    time_limit_ns: Annotated[int, Field(ge=0)]
    interval_ns: Annotated[int, Field(ge=0)] = 1000000000
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Annotated[int, Field(ge=0)]
    verify: bool = False
    start_at_ns: Annotated[int | None, Field(ge=0)] = None
    start_on_order: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class IntegrityResult(Wire):
    checked_blocks: Annotated[int, Field(ge=0)]
    corrupt_blocks: Annotated[int, Field(ge=0)]
    torn_blocks: Annotated[int, Field(ge=0)]
    foreign_blocks: Annotated[int, Field(ge=0)]
    stale_blocks: Annotated[int, Field(ge=0)]
    lost_blocks: Annotated[int, Field(ge=0)]
    faulty: list[FaultyBlock]
    elapsed_ns: Annotated[int, Field(ge=0)]


class ClientsResult(Wire):
    dispatch: Dispatch
    threads: Annotated[int, Field(ge=0)]
    calls: list[OperationCall]
    connect_ns: Annotated[int, Field(ge=0)]
    operations: list[ClientOperationResult]
    errors: list[ClientError]
    files: Annotated[int, Field(ge=0)]
    file_latency: Histogram | None = None
    names: Annotated[int, Field(ge=0)] = 0
    fewest_files: Annotated[int, Field(ge=0)] = 0
    most_files: Annotated[int, Field(ge=0)] = 0
    stonewall_ns: Annotated[int | None, Field(ge=0)] = None
    files_given_up: Annotated[int, Field(ge=0)]
    clients_gave_up: Annotated[int, Field(ge=0)]
    first_done_ns: Annotated[int | None, Field(ge=0)] = None
    last_done_ns: Annotated[int | None, Field(ge=0)] = None
    sync_at_end_ns: Annotated[int | None, Field(ge=0)] = None
    active_ns: Annotated[int, Field(ge=0)]
    think_ns: Annotated[int, Field(ge=0)]
    checked_records: Annotated[int, Field(ge=0)]
    bad_records: Annotated[int, Field(ge=0)]
    bad: list[BadRecord]
    backup: BackupResult | None = None
    network: NetworkResult | None = None
    peak_memory_bytes: Annotated[int, Field(ge=0)]


class LoadResult(Wire):
    format: Literal[1]
    kind: Literal["load"]
    engine: Engine
    interface: Interface
    features: Features | None = None
    notes: list[Note]
    ended: Ended
    started_unix_ns: Annotated[int, Field(ge=0)]
    warm_up_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
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
    reserved_bytes: Annotated[int | None, Field(ge=0)] = None
    cluster_bytes: Annotated[int | None, Field(ge=0)] = None
    device_bytes: Annotated[int | None, Field(ge=0)] = None
    metadata_reserve_bytes: Annotated[int | None, Field(ge=0)] = None
    inodes: Inodes | None = None
    inode_chunk: InodeChunk | None = None
    full_quotas: Annotated[list[FullQuota], Field(validate_default=True)] = []
    taken_bytes: Annotated[int | None, Field(ge=0)] = None
    full_folders: Annotated[list[FullFolder], Field(validate_default=True)] = []
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
        "metadata_reserve_bytes": None,
        "inodes": None,
        "inode_chunk": None,
        "full_quotas": [],
        "taken_bytes": None,
        "full_folders": [],
        "deleted": None,
        "is_rotational": None,
    }
    group_count: Annotated[int, Field(ge=0)] = 0
    groups: Packed[Group]
    map: ScanMap | None = None
    top: list[ListedFile]
    problems: list[ScanProblem]
    notes: list[Note]
    started_unix_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]


class AgeResult(Wire):
    format: Literal[1]
    kind: Literal["age"]
    engine: Engine
    ended: AgeEnded
    mode: AgeMode
    profile: AgeProfile
    end: AgeEnd
    seed: Annotated[int, Field(ge=0)]
    space_bytes: Annotated[int, Field(ge=0)]
    fill_percent: float
    sync_every_bytes: Annotated[int, Field(ge=0)]
    log_checksum: str
    operations: list[AgeOperationResult]
    errors: list[AgeError]
    written_bytes: Annotated[int, Field(ge=0)]
    live_files: Annotated[int, Field(ge=0)]
    live_bytes: Annotated[int, Field(ge=0)]
    storage_age: float | None = None
    virtual_time_ns: Annotated[int, Field(ge=0)]
    directories: Annotated[int, Field(ge=0)]
    reopened: Annotated[int, Field(ge=0)]
    syncs: Annotated[int, Field(ge=0)]
    sync_ns: Annotated[int, Field(ge=0)]
    user_ns: Annotated[int, Field(ge=0)]
    system_ns: Annotated[int, Field(ge=0)]
    notes: list[Note]
    started_unix_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
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
    model_version: Annotated[int, Field(ge=0)]
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
    operations: Annotated[list[WeightedOperation], Field(validate_default=True)] = []
    file_sizes: FileSizes | None = None
    read_percent: Annotated[int, Field(ge=0, le=255)]
    block_sizes: list[BlockSize]
    write_block_sizes: Annotated[list[BlockSize], Field(validate_default=True)] = []
    queue_depth: Annotated[int, Field(ge=0)]
    jobs: Annotated[int, Field(ge=0)]
    batch: Annotated[int | None, Field(ge=0)] = None
    submit_batch: Annotated[int | None, Field(ge=0)] = None
    rate: Rate | None = None
    burst: Annotated[int | None, Field(ge=1)] = None
    rest: Rest | None = None
    start_after_ns: Annotated[int, Field(ge=0)] = 0
    warm_up_ns: Annotated[int, Field(ge=0)] = 0
    steady_window_ns: Annotated[int | None, Field(ge=0)] = None
    duration_ns: Annotated[int, Field(ge=0)]
    size_limit_bytes: Annotated[int | None, Field(ge=0)] = None
    interval_ns: Annotated[int, Field(ge=0)] = 1000000000
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Annotated[int, Field(ge=0)]
    ranges: Ranges | None = None
    jobs_of_all: JobsOfAll | None = None
    passes: Annotated[int | None, Field(ge=0)] = None
    wear_out: bool = False
    only_existing: bool = False
    extend: bool = False
    preallocate: bool = False
    preallocate_chunk_bytes: Annotated[int | None, Field(ge=0)] = None
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
    start_at_ns: Annotated[int | None, Field(ge=0)] = None
    start_on_order: bool = False
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class LayoutJob(Wire):
    format: Literal[1] = 1
    kind: Literal["layout"] = "layout"
    target: Target
    block_size_bytes: Annotated[int, Field(ge=0)] = 1048576
    queue_depth: Annotated[int, Field(ge=0)] = 8
    direct: bool
    preallocate: bool = False
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Annotated[int, Field(ge=0)]
    held: Annotated[list[Held], Field(validate_default=True)] = []
    lease: Lease | None = None


class SimulatedStep(Wire):
    fault: EngineFault | None = None
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    moved: SimulatedPass | None = None
    result: StepResult | None = None


class SimulateResult(Wire):
    format: Literal[1]
    kind: Literal["simulate"]
    engine: Engine
    ended: Ended
    model_version: Annotated[int, Field(ge=0)]
    policy: str
    proof: str
    device: DeviceFacts
    free_bytes: Annotated[int, Field(ge=0)]
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
    size_bytes: Annotated[int, Field(ge=0)]
    devices: Annotated[int, Field(ge=0)] = 1
    stripe_bytes: Annotated[int, Field(ge=0)] = 1048576
    block_size_bytes: Annotated[int, Field(ge=0)] = 4096
    group_blocks: Annotated[int, Field(ge=0)] = 32768
    without_data: bool = False
    dirty_bytes: Annotated[int, Field(ge=0)] = 1073741824
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
