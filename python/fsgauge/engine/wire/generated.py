"""The types that lab and engine exchange; scripts/wire makes them from schema/."""

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.engine.wire.base import Wire
from fsgauge.engine.wire.packed import Packed

SmbDialect = Literal["2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"]


Interface = Literal["io_uring", "psync", "sockets"]


class BlockSize(Wire):
    """One block size and how often it is drawn, relative to the others."""

    size_bytes: Annotated[int, Field(ge=0)]
    weight: Annotated[int, Field(ge=0)] = 1


Arrival = Literal["constant", "exponential"]


class JobsOfAll(Wire):
    """
    The jobs of one engine among those of several engines that load one target: places are dealt to `of` jobs, and
    this engine's jobs are the ones from `first` on.
    """

    first: Annotated[int, Field(ge=0)]
    of: Annotated[int, Field(ge=0)]


Workers = Literal["threads", "processes"]


Descriptors = Literal["own", "shared"]


Transfer = Literal["whole", "characters", "bytes", "rewrite"]


class Finish(Wire):
    """What each job does with its files when its work is done."""

    fsync: bool
    close: bool


CompanionKind = Literal["reader", "log"]


ClockKind = Literal["tsc", "clock_gettime"]


Stamps = Literal["operation", "batch"]


class Held(Wire):
    """
    A folder, file or block device that the engine was started with. Every path of the job that is this one or lies
    below it is resolved from the descriptor: below a folder without links and without leaving its file system, a
    device or file by opening the very same one again. A device is held with a claim, so it is opened without O_EXCL.
    """

    path: str
    descriptor: int


class RunName(Wire):
    """The name of one call of the engine, which is refused a second time."""

    id: str
    directory: str


Create = Literal["and_write", "then_open"]


Activity = Literal["read", "create", "save", "delete", "stat", "list"]


BackupOrder = Literal["directory", "inode", "physical"]


Dispatch = Literal["event_loop", "threads"]


ClientsInterface = Literal["auto", "io_uring", "plain"]


class Think(Wire):
    """A client's rest."""

    mean_ns: Annotated[int, Field(ge=0)]
    spread: Arrival


class WeightedSize(Wire):
    """One file size and how often it is drawn, relative to the others."""

    size_bytes: Annotated[int, Field(ge=0)]
    weight: Annotated[int, Field(ge=0)]


FileOrder = Literal["number", "random", "directory"]


class AgeSizeBin(Wire):
    """Sizes from `at_least_bytes` to below `below_bytes`."""

    at_least_bytes: Annotated[int, Field(ge=0)]
    below_bytes: Annotated[int, Field(ge=0)]
    weight: float


class AgeLifetimeBin(Wire):
    """Lifetimes from `at_least_ns` to below `below_ns`."""

    at_least_ns: Annotated[int, Field(ge=0)]
    below_ns: Annotated[int, Field(ge=0)]
    weight: float


AgeMode = Literal["write", "direct", "fast"]


Ext4Release = Literal["6.1", "6.12", "6.18"]


class DeviceChange(Wire):
    """Another value of a parameter."""

    name: str
    value: float


class PassedFile(Wire):
    """Where a file lies, in the order of its bytes. Both lists are equally long."""

    physical_bytes: list[int]
    length_bytes: list[int]


class ClockReading(Wire):
    """How two monotonic clocks stood to each other at one moment."""

    at_ns: Annotated[int, Field(ge=0)]
    offset_ns: int
    bound_ns: Annotated[int, Field(ge=0)]
    round_trip_ns: Annotated[int, Field(ge=0)]
    median_round_trip_ns: Annotated[int, Field(ge=0)]
    suspended_ns: int
    peer_suspended_ns: int


class NullTarget(Wire):
    """Nothing: every I/O succeeds at once. Measures the engine itself."""

    kind: Literal["null"] = "null"
    size_bytes: Annotated[int, Field(ge=0)]


class BlockTarget(Wire):
    """A part of a block device. It is opened with O_EXCL for writing: a device in use is refused."""

    kind: Literal["block"] = "block"
    path: str
    offset_bytes: Annotated[int, Field(ge=0)] = 0
    size_bytes: Annotated[int, Field(ge=0)]


class FilesTarget(Wire):
    """`count` files of equal size, named DIRECTORY/PREFIX0000, 0001 and so on; the load is spread evenly."""

    kind: Literal["files"] = "files"
    directory: str
    prefix: str = "fsgauge-"
    count: Annotated[int, Field(ge=0)]
    file_size_bytes: Annotated[int, Field(ge=0)]


class FileTarget(Wire):
    """One file, shared by all jobs."""

    kind: Literal["file"] = "file"
    path: str
    size_bytes: Annotated[int, Field(ge=0)]


class NfsTarget(Wire):
    """An export of an NFS server, version 3: a TCP connection a client."""

    kind: Literal["nfs"] = "nfs"
    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    mount_port: Annotated[int | None, Field(ge=0, le=65535)] = None
    export: str
    directory: str
    user_id: Annotated[int, Field(ge=0)]
    group_id: Annotated[int, Field(ge=0)]


class EnvironmentPassword(Wire):
    """In a variable of the engine's environment."""

    kind: Literal["environment"] = "environment"
    name: str


class FilePassword(Wire):
    """In a file that only its owner can read (mode 0600 or 0400); a newline at its end does not count."""

    kind: Literal["file"] = "file"
    path: str


class SequentialAccess(Wire):
    """Each job walks its own share of the target from its start to its end, and again."""

    kind: Literal["sequential"] = "sequential"


class RandomAccess(Wire):
    """Every position is as likely as any other."""

    kind: Literal["random"] = "random"


class ZipfAccess(Wire):
    """A few positions are hot: the chance of the k-th hottest goes as k^-theta. Hot positions are scattered."""

    kind: Literal["zipf"] = "zipf"
    theta: float


class IncompressibleData(Wire):
    """Random bytes, different in every 4096 bytes of every write."""

    kind: Literal["incompressible"] = "incompressible"


class ZeroData(Wire):
    """Zeros."""

    kind: Literal["zero"] = "zero"


class CompressibleData(Wire):
    """Random bytes followed by zeros in every 4096 bytes."""

    kind: Literal["compressible"] = "compressible"
    compressible_percent: Annotated[int, Field(ge=0, le=255)]


class SharedRanges(Wire):
    """Every job has all places: jobs overwrite one another."""

    kind: Literal["shared"] = "shared"


class SegmentedRanges(Wire):
    """The places are cut into one contiguous segment a job (IOR's segmented file)."""

    kind: Literal["segmented"] = "segmented"


class InterleavedRanges(Wire):
    """Block k belongs to job k modulo jobs (IOR's strided file with one transfer a block)."""

    kind: Literal["interleaved"] = "interleaved"


class StridedRanges(Wire):
    """Runs of `stride_bytes` are dealt to the jobs in turn (IOR's strided file, block above transfer size)."""

    kind: Literal["strided"] = "strided"
    stride_bytes: Annotated[int, Field(ge=0)]


class OwnFilesRanges(Wire):
    """Job j has file j of the target, whole: a target of kind files with as many files as jobs."""

    kind: Literal["own_files"] = "own_files"


class NoSync(Wire):
    """
    Never by the load. On a share, NFS writes are UNSTABLE and not committed: what the server keeps in memory stays
    there, as a file's data stay in the page cache.
    """

    kind: Literal["none"] = "none"


class DsyncSync(Wire):
    """
    By each write: files are opened with O_DSYNC. On a share each write is answered when it is durable: SMB opens
    with FILE_WRITE_THROUGH, an NFS write is FILE_SYNC.
    """

    kind: Literal["dsync"] = "dsync"


class FsyncSync(Wire):
    """By fsync after every so many writes of a job, once they have completed. On a share: SMB FLUSH, NFS COMMIT."""

    kind: Literal["fsync"] = "fsync"
    every: Annotated[int, Field(ge=0)]


class FdatasyncSync(Wire):
    """The same with fdatasync; on a share the same as fsync, which has no other message."""

    kind: Literal["fdatasync"] = "fdatasync"
    every: Annotated[int, Field(ge=0)]


class NullClientsTarget(Wire):
    """Nothing: every operation succeeds at once. Measures the engine itself."""

    kind: Literal["null"] = "null"


class PathTarget(Wire):
    """An existing directory of this machine; the file set lies below it."""

    kind: Literal["path"] = "path"
    directory: str


class WritePhase(Wire):
    """
    Each client makes its directory while it connects, then writes all of its files, one after the other,
    from start to end in records. Files must not exist.
    """

    kind: Literal["write"] = "write"
    create: Create = "and_write"


class ReadPhase(Wire):
    """Each client opens, reads from start to end and closes all of its files."""

    kind: Literal["read"] = "read"


class StatPhase(Wire):
    """Each client asks for the attributes of all of its files."""

    kind: Literal["stat"] = "stat"


class DeletePhase(Wire):
    """Each client removes all of its files."""

    kind: Literal["delete"] = "delete"


class BackupPhase(Wire):
    """One reader opens, reads and closes every file that is found below the target's directory."""

    kind: Literal["backup"] = "backup"
    order: BackupOrder
    block_size_bytes: Annotated[int, Field(ge=0)]


class ClearPhase(Wire):
    """
    For a share or an export: whatever is there of the file set, its directories and the target's directory is
    removed; what is missing is no error.
    """

    kind: Literal["clear"] = "clear"


class CycleSizes(Wire):
    """
    File k of client c has size number (c + k) modulo how many there are: all equally often, over clients
    and over time.
    """

    kind: Literal["cycle"] = "cycle"
    sizes_bytes: list[int]


class WeightedSizes(Wire):
    """Drawn by weight."""

    kind: Literal["weighted"] = "weighted"
    sizes: list[WeightedSize]


class LognormalSizes(Wire):
    """Drawn from a log-normal distribution, cut at both ends by drawing at the limit."""

    kind: Literal["lognormal"] = "lognormal"
    median_bytes: Annotated[int, Field(ge=0)]
    sigma: float
    smallest_bytes: Annotated[int, Field(ge=0)]
    largest_bytes: Annotated[int, Field(ge=0)]


class OwnTree(Wire):
    """A directory a client."""

    kind: Literal["own"] = "own"


class SharedTree(Wire):
    """
    fan_out directories in each of fan_out directories, depth levels deep; the files of all clients are
    dealt to the lowest in turn.
    """

    kind: Literal["shared"] = "shared"
    depth: Annotated[int, Field(ge=0)]
    fan_out: Annotated[int, Field(ge=0)]


class IntermingledProfile(Wire):
    """
    Equal files, written in turns chunk by chunk, so that they lie between one another; then deleted one at
    a time in a drawn order, until some are left.
    """

    kind: Literal["intermingled"] = "intermingled"
    files: Annotated[int, Field(ge=0)] = 20
    file_size_bytes: Annotated[int | None, Field(ge=0)] = None
    chunk_bytes: Annotated[int, Field(ge=0)] = 1048576
    keep_files: Annotated[int | None, Field(ge=0)] = None


class ConnectionsProfile(Wire):
    """
    Each client writes one file at a time, all clients in turns, record by record; above the fill level a
    finished file is deleted before a new one begins.
    """

    kind: Literal["connections"] = "connections"
    clients: Annotated[int, Field(ge=0)] = 590
    file_size_bytes: Annotated[int, Field(ge=0)] = 1048576
    record_bytes: Annotated[int, Field(ge=0)] = 4096
    fsync: bool = False


class DatabaseProfile(Wire):
    """Files of fixed size, filled from start to end, then overwritten page by page at drawn places."""

    kind: Literal["database"] = "database"
    files: Annotated[int, Field(ge=0)] = 4
    page_bytes: Annotated[int, Field(ge=0)] = 4096
    extend_bytes: Annotated[int, Field(ge=0)] = 1048576
    fsync_every: Annotated[int, Field(ge=0)] = 64


class LognormalParetoSizes(Wire):
    """
    A log-normal body and a Pareto tail: the form that Agrawal and others fitted to files of workstations
    ("Generating Realistic Impressions for File-System Benchmarking", FAST 2009). The default values are a
    choice of that form, not taken from a fit.
    """

    kind: Literal["lognormal_pareto"] = "lognormal_pareto"
    median_bytes: Annotated[int, Field(ge=0)]
    sigma: float
    tail_percent: float
    tail_from_bytes: Annotated[int, Field(ge=0)]
    tail_alpha: float
    largest_bytes: Annotated[int | None, Field(ge=0)] = None


class BinnedSizes(Wire):
    """A histogram: a bin is drawn by weight, then a size within it, evenly on the scale of logarithms."""

    kind: Literal["bins"] = "bins"
    bins: list[AgeSizeBin]


class LognormalLifetimes(Wire):
    """
    The default has 35 % end within 10 minutes, as bytes do in the traces RES and Harp that Wang and Hu used
    (FAST 2002); that half end within an hour is a choice. What counts is their order, not their length.
    """

    kind: Literal["lognormal"] = "lognormal"
    median_ns: Annotated[int, Field(ge=0)]
    sigma: float


class ExponentialLifetimes(Wire):
    """Every file is as likely to be the next one deleted, whatever its age."""

    kind: Literal["exponential"] = "exponential"
    mean_ns: Annotated[int, Field(ge=0)]


class BinnedLifetimes(Wire):
    """A histogram: a bin is drawn by weight, then a lifetime within it, evenly on the scale of logarithms."""

    kind: Literal["bins"] = "bins"
    bins: list[AgeLifetimeBin]


class CompleteEnd(Wire):
    """The profile's own end: intermingled: files are written and deleted; all others: the space is filled."""

    kind: Literal["complete"] = "complete"


class OperationsEnd(Wire):
    """After so many operations."""

    kind: Literal["operations"] = "operations"
    operations: Annotated[int, Field(ge=0)]


class StorageAgeEnd(Wire):
    """
    Once bytes written, by creates, appends and overwrites, are so many times the live bytes. A space that
    was only filled has storage age 1.
    """

    kind: Literal["storage_age"] = "storage_age"
    storage_age: float


class VirtualTimeEnd(Wire):
    """After so much virtual time."""

    kind: Literal["virtual_time"] = "virtual_time"
    virtual_time_ns: Annotated[int, Field(ge=0)]


class Ext4Policy(Wire):
    """mballoc of ext4. Names in brackets are those in /sys/fs/ext4/DEVICE."""

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


class LdiskfsPolicy(Wire):
    """ldiskfs of Lustre: every write of a client is a request, and a table gives its window."""

    kind: Literal["ldiskfs"] = "ldiskfs"
    prealloc_table_blocks: list[int]
    last_group: Annotated[int, Field(ge=0)] = 0


class XfsPolicy(Wire):
    """XFS of Linux 6.18: allocation groups, each with its free runs by place and by length."""

    kind: Literal["xfs"] = "xfs"
    preallocation_blocks: Annotated[int, Field(ge=0)] = 0
    extent_hint_blocks: Annotated[int, Field(ge=0)] = 0
    groups: Annotated[int, Field(ge=0)] = 0


class BlockAtATimePolicy(Wire):
    """Each block alone, when it is written."""

    kind: Literal["block_at_a_time"] = "block_at_a_time"


class DelayedPolicy(Wire):
    """Blocks wait in memory and are allocated together."""

    kind: Literal["delayed"] = "delayed"
    delay_blocks: Annotated[int, Field(ge=0)]


class FirstFitPolicy(Wire):
    """The first run that is long enough."""

    kind: Literal["first_fit"] = "first_fit"


class NextFitPolicy(Wire):
    """The next run that is long enough, from where the last one ended."""

    kind: Literal["next_fit"] = "next_fit"


class BestFitPolicy(Wire):
    """The shortest run that is long enough."""

    kind: Literal["best_fit"] = "best_fit"


class WorstFitPolicy(Wire):
    """The longest run."""

    kind: Literal["worst_fit"] = "worst_fit"


class BuddyPolicy(Wire):
    """Aligned pieces of powers of two."""

    kind: Literal["buddy"] = "buddy"


class WindowPolicy(Wire):
    """A window of one size is set aside for each file that is written."""

    kind: Literal["window"] = "window"
    window_blocks: Annotated[int, Field(ge=0)]


class VxfsPolicy(Wire):
    """The extent policy of VxFS: extents double as a file grows."""

    kind: Literal["vxfs"] = "vxfs"
    initial_blocks: Annotated[int, Field(ge=0)]
    largest_blocks: Annotated[int, Field(ge=0)]


class ClearStep(Wire):
    """Files of a folder are removed."""

    kind: Literal["clear"] = "clear"
    directory: str


class DeleteStep(Wire):
    """One file is removed."""

    kind: Literal["delete"] = "delete"
    path: str


class BallastStep(Wire):
    """A file takes what is free."""

    kind: Literal["ballast"] = "ballast"
    path: str
    leave_bytes: Annotated[int, Field(ge=0)]


class ProbeJob(Wire):
    """Say what this kernel and machine offer."""

    format: Literal[1] = 1
    kind: Literal["probe"] = "probe"
    directory: str | None = None
    held: Annotated[list[Held], Field(validate_default=True)] = []


class HoldOrder(Wire):
    """The caller is there."""

    kind: Literal["hold"] = "hold"


class StartOrder(Wire):
    """For a job with `start_on_order`, once it has said `armed`: when it begins."""

    kind: Literal["start"] = "start"
    start_at_ns: Annotated[int, Field(ge=0)]


class StopOrder(Wire):
    """End with what there is, as after SIGINT."""

    kind: Literal["stop"] = "stop"


Profile = Literal["release", "debug"]


class Features(Wire):
    """What io_uring gives here; a feature that is false was refused by the kernel and does without."""

    registered_files: bool
    registered_buffers: bool
    registered_ring: bool
    single_issuer: bool
    defer_taskrun: bool
    coop_taskrun: bool
    no_sqarray: bool


class Note(Wire):
    """Something that the reader of a result should know: a missing feature, a fallback."""

    code: str
    text: str


Ended = Literal["duration", "size_limit", "interrupted"]


Count = Annotated[tuple[int, int], Field(max_length=2, min_length=2)]


class Histogram(Wire):
    """A histogram as it crosses the wire: sparse, ascending."""

    sub_bucket_bits: Annotated[int, Field(ge=0)]
    counts: list[Count]
    operations: Annotated[int, Field(ge=0)]
    sum_ns: Annotated[int, Field(ge=0)]
    min_ns: Annotated[int, Field(ge=0)]
    max_ns: Annotated[int, Field(ge=0)]


class JobShare(Wire):
    """What one job did in the measured part."""

    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int | None, Field(ge=0)] = None


class ProcessorTime(Wire):
    """CPU time of the jobs in the measured part, threads or processes."""

    user_ns: Annotated[int, Field(ge=0)]
    system_ns: Annotated[int, Field(ge=0)]
    threads: Annotated[int, Field(ge=0)]


class MachineProcessorTime(Wire):
    """CPU time of the whole machine in the measured part, from /proc/stat (a resolution of about 10 ms)."""

    busy_ns: Annotated[int, Field(ge=0)]
    total_ns: Annotated[int, Field(ge=0)]


class IntervalCount(Wire):
    """Operations of one interval. The mean latency is latency_sum_ns / operations."""

    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    latency_sum_ns: Annotated[int, Field(ge=0)]


class Steady(Wire):
    """
    Whether the rate was steady in the measured part, judged from the interval series.

    Steady: five rounds of equal length range over at most 20 % of their mean, the line fitted to them moves at
    most 10 %, and no change is found at which the rate moved by 5 % or more for good. On a rate of independent
    scatter a change is found in 2 % of the runs.
    """

    judged: bool
    reached: bool
    rounds: Annotated[int, Field(ge=0)]
    range_share: float | None = None
    slope_share: float | None = None
    change_point_ns: Annotated[int | None, Field(ge=0)] = None
    change_share: float | None = None
    reason: str | None = None


class SyncResult(Wire):
    """All calls of fsync or fdatasync in the measured part."""

    calls: Annotated[int, Field(ge=0)]
    latency: Histogram


class FinishResult(Wire):
    """
    What jobs did with their files when their work was done. Nothing else in the result contains it: `elapsed_ns` and
    `cpu` end with the work.
    """

    fsync_ns: Annotated[int, Field(ge=0)]
    close_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    cpu: ProcessorTime


class CompanionResult(Wire):
    """What the companions of one entry of the job did in the measured part."""

    role: CompanionKind
    count: Annotated[int, Field(ge=0)]
    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    latency: Histogram


BlockFault = Literal["corrupt", "torn", "foreign", "stale", "lost"]


class Limits(Wire):
    """The rate of this very load without a device, all jobs together, in operations per second."""

    null_operations_per_second: float
    memory_operations_per_second: float
    memory_touched_operations_per_second: float
    memory_stride_operations_per_second: float | None = None


class Drain(Wire):
    """
    What was in flight when the time was up. It counts until it is answered, and the measured part lasts as long: each
    place of the queue until its own last answer, on average over all places and jobs.
    """

    operations: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    unanswered: Annotated[int, Field(ge=0)]


class Pauses(Wire):
    """What kept the engine itself from its work in the measured part: then latencies and rates are not the storage's alone."""

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
    """All operations of one kind in the measured part."""

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
    """A record that is not what was written."""

    path: str
    offset_bytes: Annotated[int, Field(ge=0)]
    first_byte: Annotated[int, Field(ge=0)]


class BackupResult(Wire):
    """What a backup read."""

    order: BackupOrder
    files: Annotated[int, Field(ge=0)]
    directories: Annotated[int, Field(ge=0)]
    listing_ns: Annotated[int, Field(ge=0)]
    comparing_ns: Annotated[int, Field(ge=0)] = 0
    extents: Annotated[int | None, Field(ge=0)] = None


class NetworkResult(Wire):
    """What the clients' connections were."""

    protocol: str
    connections: Annotated[int, Field(ge=0)]
    reconnections: Annotated[int, Field(ge=0)]
    null_operation_ns: Annotated[int, Field(ge=0)]
    sent_bytes: Annotated[int, Field(ge=0)]
    received_bytes: Annotated[int, Field(ge=0)]


class CommonStart(Wire):
    """
    When a job with `start_at_ns` or `start_on_order` was meant to begin, and when it did. All moments are those of
    CLOCK_MONOTONIC on the engine's machine.
    """

    start_at_ns: Annotated[int, Field(ge=0)]
    armed_at_ns: Annotated[int, Field(ge=0)]
    started_at_ns: Annotated[int, Field(ge=0)]
    last_started_at_ns: Annotated[int, Field(ge=0)]
    ended_at_ns: Annotated[int, Field(ge=0)]
    real_time: bool
    spun: bool
    suspended_ns: int


class NullCost(Wire):
    """CPU time of one operation on the null target."""

    depth_1: float
    depth_32: float


class ScanSource(Wire):
    """Where a scan's facts came from."""

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


class ScanCounts(Wire):
    """How many files and extents, by kind."""

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
    block_pairs: Annotated[int, Field(ge=0)]
    contiguous_block_pairs: Annotated[int, Field(ge=0)]


class LengthBin(Wire):
    """Extents whose length is at least `at_least_bytes` and below twice that."""

    at_least_bytes: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]


class FilesBin(Wire):
    """Files whose number of extents is at least `at_least_extents` and below twice that."""

    at_least_extents: Annotated[int, Field(ge=0)]
    files: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]


class FreeAtLeast(Wire):
    """Free bytes in free extents of at least some length."""

    at_least_bytes: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]


class Group(Wire):
    """One allocation group, block group or chunk."""

    offset_bytes: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]
    free_extents: Annotated[int, Field(ge=0)]
    largest_free_bytes: Annotated[int, Field(ge=0)]


class ScanMap(Wire):
    """The device in 4^order equal cells, along the device; byte k of each list is cell k."""

    order: Annotated[int, Field(ge=0)]
    cell_bytes: Annotated[int, Field(ge=0)]
    data: list[int]
    metadata: list[int]
    free: list[int]
    unallocated: list[int]
    owner: list[int]
    names: list[str]


class ListedExtent(Wire):
    """One extent of a listed file."""

    logical_bytes: Annotated[int, Field(ge=0)]
    physical_bytes: Annotated[int, Field(ge=0)]
    length_bytes: Annotated[int, Field(ge=0)]


class ScanProblem(Wire):
    """Something that kept the scan from being complete or exact."""

    code: str
    text: str
    count: Annotated[int, Field(ge=0)]
    examples: list[str]


AgeEnded = Literal["complete", "time_limit", "out_of_space", "gave_up", "interrupted"]


AgeOperation = Literal["create", "append", "overwrite", "truncate", "delete", "fsync"]


class AgeError(Wire):
    """Errors of one operation with one error number."""

    operation: AgeOperation | None = None
    errno: int
    text: str
    count: Annotated[int, Field(ge=0)]
    first_operation: Annotated[int, Field(ge=0)]


DeviceKind = Literal["zoned_disk", "flash"]


ParameterOrigin = Literal["printed", "assumed", "fitted"]


class EngineFault(Wire):
    """Why a job was refused or did not finish. Sentences carry no final full stop."""

    what: str
    cause: str
    next: str
    errno: int | None = None
    code: str


class SimulatedPass(Wire):
    """What the device model says of one pass over files."""

    size_bytes: Annotated[int, Field(ge=0)]
    requests: Annotated[int, Field(ge=0)]
    pieces: Annotated[int, Field(ge=0)]
    fastest_ns: Annotated[int, Field(ge=0)]
    slowest_ns: Annotated[int, Field(ge=0)]


ServeClockEnded = Literal["time_limit", "reply_limit", "stopped"]


class ClockMoment(Wire):
    """A moment by two clocks."""

    own_ns: Annotated[int, Field(ge=0)]
    peer_ns: int
    bound_ns: Annotated[int, Field(ge=0)]


ListedExtents = Packed[ListedExtent]


class ScanProgress(Wire):
    """How far a scan is."""

    files: Annotated[int, Field(ge=0)]
    of_files: Annotated[int | None, Field(ge=0)] = None
    extents: Annotated[int, Field(ge=0)]


class AgeProgress(Wire):
    """How far ageing is."""

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
    """All clients of a server have their sessions, or were refused: the measured part begins."""

    event: Literal["clients_in"]
    connect_ns: Annotated[int, Field(ge=0)]


class ClientsThroughEvent(Wire):
    """All clients of a server are through and stay connected for a moment: the measured part is over."""

    event: Literal["clients_through"]


class ClockServedEvent(Wire):
    """The clock is served: requests may come."""

    event: Literal["clock_served"]
    port: Annotated[int, Field(ge=0, le=65535)]


class ArmedEvent(Wire):
    """Everything is prepared: a job with `start_at_ns` waits for that moment, one with `start_on_order` for the order."""

    event: Literal["armed"]
    armed_at_ns: Annotated[int, Field(ge=0)]


class ScanProgressEvent(ScanProgress):
    event: Literal["scan_progress"]


class AgeProgressEvent(AgeProgress):
    event: Literal["age_progress"]


class FailedEvent(Wire):
    """The job was refused or broke off."""

    event: Literal["failed"]
    error: EngineFault


PasswordSource = Annotated[EnvironmentPassword | FilePassword, Field(discriminator="kind")]


Access = Annotated[SequentialAccess | RandomAccess | ZipfAccess, Field(discriminator="kind")]


class Rate(Wire):
    """A pace. Operations start when they are due, not when the last one has ended."""

    operations_per_second: float
    arrival: Arrival


Data = Annotated[IncompressibleData | ZeroData | CompressibleData, Field(discriminator="kind")]


Ranges = Annotated[
    SharedRanges | SegmentedRanges | InterleavedRanges | StridedRanges | OwnFilesRanges,
    Field(discriminator="kind"),
]


Sync = Annotated[NoSync | DsyncSync | FsyncSync | FdatasyncSync, Field(discriminator="kind")]


class Companion(Wire):
    """Threads that work beside the jobs and are counted apart from them."""

    role: CompanionKind
    count: Annotated[int, Field(ge=0)]
    block_size_bytes: Annotated[int, Field(ge=0)]


class SelfMeasure(Wire):
    """What the engine costs by itself."""

    null_ns_per_operation: float
    clock_ns_per_read: float
    clock_ns_per_tick: float = 0.0
    clock: ClockKind
    stamps: Stamps


class Lease(Wire):
    """What keeps an engine alive."""

    silence_limit_ns: Annotated[int, Field(ge=0)]
    run: RunName | None = None


class WeightedActivity(Wire):
    """One activity and how often it is drawn, relative to the others."""

    activity: Activity
    weight: Annotated[int, Field(ge=0)]


FileSizes = Annotated[CycleSizes | WeightedSizes | LognormalSizes, Field(discriminator="kind")]


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
    """A device model that the engine has, and what is changed of it."""

    model: str
    changes: Annotated[list[DeviceChange], Field(validate_default=True)] = []


class PassedFiles(Wire):
    """Files that are moved at the same time, a stream each."""

    files: list[PassedFile]


class SmbTarget(Wire):
    """A share of an SMB server: a TCP connection and a session a client."""

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
    """Each client does one activity after the other, drawn by weight, until the time is up."""

    kind: Literal["mix"] = "mix"
    activities: list[WeightedActivity]


class ChurnProfile(Wire):
    """Files are created up to the fill level; then the file whose lifetime ends next makes room for new ones."""

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
    """
    A tree of sources and its updates: each writes some files of some directories anew, the new one beside
    the old, and deletes the old.
    """

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
    """Say what lies where on a file system."""

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


class PredictJob(Wire):
    """Say what a device of a model would make of files that lie somewhere."""

    format: Literal[1] = 1
    kind: Literal["predict"] = "predict"
    device: SimulatedDevice
    passes: list[PassedFiles]
    lease: Lease | None = None


class ServeClockJob(Wire):
    """Tell other engines what this machine's monotonic clock says."""

    format: Literal[1] = 1
    kind: Literal["serve_clock"] = "serve_clock"
    address: str
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    key: str
    time_limit_ns: Annotated[int, Field(ge=0)]
    reply_limit: Annotated[int, Field(ge=0)] = 10000000
    lease: Lease | None = None


class ExchangeClockJob(Wire):
    """Compare this machine's monotonic clock with another's."""

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
    """The engine that made a result."""

    version: str
    profile: Profile
    target: str
    commit: str


class OperationResult(Wire):
    """
    All reads, or all writes, of the measured part. An operation belongs to it when it completed in it, or was in flight
    at its end.
    """

    operations: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    errors: Annotated[int, Field(ge=0)]
    service_latency: Histogram
    response_latency: Histogram | None = None
    backlog_dropped: Annotated[int, Field(ge=0)]


class Interval(Wire):
    """One interval of a load."""

    start_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    warm_up: bool
    read: IntervalCount
    write: IntervalCount


class FaultyBlock(Wire):
    """One faulty block."""

    fault: BlockFault
    file: Annotated[int, Field(ge=0)]
    offset_bytes: Annotated[int, Field(ge=0)]
    first_byte: Annotated[int, Field(ge=0)]
    detail: str


class OperationCall(Wire):
    """The call that carried an operation."""

    operation: ClientOperation
    call: str
    reason: str | None = None


class ClientError(Wire):
    """Errors of one operation and kind."""

    operation: ClientOperation
    kind: ClientErrorKind
    count: Annotated[int, Field(ge=0)]
    first_path: str
    message: str


class LayoutResult(Wire):
    """What a layout did."""

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
    """What a probe found."""

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


class FreeSpace(Wire):
    """Free space."""

    size_bytes: Annotated[int, Field(ge=0)]
    device_bytes: Annotated[int | None, Field(ge=0)] = None
    unallocated_bytes: Annotated[int | None, Field(ge=0)] = None
    unread_bytes: Annotated[int | None, Field(ge=0)] = None
    extents: Annotated[int | None, Field(ge=0)] = None
    largest_bytes: Annotated[int | None, Field(ge=0)] = None
    lengths: list[LengthBin]
    at_least: list[FreeAtLeast]


class ListedFile(Wire):
    """A file among the most fragmented ones."""

    name: str
    size_bytes: Annotated[int, Field(ge=0)]
    extents: Annotated[int, Field(ge=0)]
    list: ListedExtents


class ScanResult(Wire):
    """What a scan found."""

    format: Literal[1]
    kind: Literal["scan"]
    engine: Engine
    source: ScanSource
    ended: Ended
    counts: ScanCounts
    extent_lengths: list[LengthBin]
    files_by_extents: Annotated[list[FilesBin], Field(validate_default=True)] = []
    free: FreeSpace | None = None
    groups: Packed[Group]
    map: ScanMap | None = None
    top: list[ListedFile]
    problems: list[ScanProblem]
    notes: list[Note]
    started_unix_ns: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]


class AgeOperationResult(Wire):
    """What became of all operations of one kind."""

    operation: AgeOperation
    done: Annotated[int, Field(ge=0)]
    failed: Annotated[int, Field(ge=0)]
    skipped: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]


class DeviceParameter(Wire):
    """One number of a device."""

    name: str
    value: float
    unit: str
    what: str
    source: str
    origin: ParameterOrigin
    is_changed: bool = False


class ServeClockResult(Wire):
    """What an engine that served its clock has seen."""

    format: Literal[1]
    kind: Literal["serve_clock"]
    engine: Engine
    ended: ServeClockEnded
    replies: Annotated[int, Field(ge=0)]
    refused: Annotated[int, Field(ge=0)]
    repeated: Annotated[int, Field(ge=0)]


class ExchangeClockResult(Wire):
    """What an exchange found."""

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
    """The job was read."""

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
    WritePhase | ReadPhase | StatPhase | DeletePhase | MixPhase | BackupPhase | ClearPhase,
    Field(discriminator="kind"),
]


class FileSet(Wire):
    """The files of all clients: names and sizes follow from the numbers of client and file, nothing is listed."""

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
    """
    As `files`, through a server: DIRECTORY of the share with PREFIX0000, 0001 and so on. Each job has a connection
    and a session of its own, and nothing is kept on this side: every operation is a message and its answer.
    """

    kind: Literal["share_files"] = "share_files"
    share: ShareTarget
    prefix: str = "fsgauge-"
    count: Annotated[int, Field(ge=0)]
    file_size_bytes: Annotated[int, Field(ge=0)]


class ShareFileTarget(Wire):
    """As `file`, through a server."""

    kind: Literal["share_file"] = "share_file"
    share: ShareTarget
    name: str
    size_bytes: Annotated[int, Field(ge=0)]


class AgeJob(Wire):
    """Wear a file system."""

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
    """Let many clients work on a file set."""

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
    files: FileSet
    order: FileOrder = "number"
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
    """What reading everything back found."""

    checked_blocks: Annotated[int, Field(ge=0)]
    corrupt_blocks: Annotated[int, Field(ge=0)]
    torn_blocks: Annotated[int, Field(ge=0)]
    foreign_blocks: Annotated[int, Field(ge=0)]
    stale_blocks: Annotated[int, Field(ge=0)]
    lost_blocks: Annotated[int, Field(ge=0)]
    faulty: list[FaultyBlock]
    elapsed_ns: Annotated[int, Field(ge=0)]


class ClientsResult(Wire):
    """
    What the clients did; beside the sums that every load's result has (`read` and `write` are records,
    `jobs` are clients, `in_flight_mean` counts operations that were asked for and not done).
    """

    dispatch: Dispatch
    threads: Annotated[int, Field(ge=0)]
    calls: list[OperationCall]
    connect_ns: Annotated[int, Field(ge=0)]
    operations: list[ClientOperationResult]
    errors: list[ClientError]
    files: Annotated[int, Field(ge=0)]
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
    """What a load measured."""

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
    finish: FinishResult | None = None
    companions: Annotated[list[CompanionResult], Field(validate_default=True)] = []
    integrity: IntegrityResult | None = None
    limits: Limits | None = None
    drain: Drain | None = None
    pauses: Pauses | None = None
    clients: ClientsResult | None = None
    common_start: CommonStart | None = None


class AgeResult(Wire):
    """What ageing did."""

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
    """The device as it was simulated."""

    model: str
    kind: DeviceKind
    what: str
    parameters: list[DeviceParameter]


StepResult = Annotated[AgeResult | LoadResult | ScanResult, Field(discriminator="kind")]


class PredictResult(Wire):
    """What a device would make of it."""

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
    """Drive I/O and measure it."""

    format: Literal[1] = 1
    kind: Literal["load"] = "load"
    target: Target
    interface: Interface
    direct: bool
    noatime: bool = False
    access: Access
    read_percent: Annotated[int, Field(ge=0, le=255)]
    block_sizes: list[BlockSize]
    queue_depth: Annotated[int, Field(ge=0)]
    jobs: Annotated[int, Field(ge=0)]
    batch: Annotated[int | None, Field(ge=0)] = None
    submit_batch: Annotated[int | None, Field(ge=0)] = None
    rate: Rate | None = None
    warm_up_ns: Annotated[int, Field(ge=0)] = 0
    duration_ns: Annotated[int, Field(ge=0)]
    size_limit_bytes: Annotated[int | None, Field(ge=0)] = None
    interval_ns: Annotated[int, Field(ge=0)] = 1000000000
    data: Annotated[Data, Field(validate_default=True)] = {"kind": "incompressible"}
    seed: Annotated[int, Field(ge=0)]
    ranges: Ranges | None = None
    jobs_of_all: JobsOfAll | None = None
    passes: Annotated[int | None, Field(ge=0)] = None
    extend: bool = False
    preallocate: bool = False
    preallocate_chunk_bytes: Annotated[int | None, Field(ge=0)] = None
    workers: Workers = "threads"
    descriptors: Descriptors = "own"
    sync: Annotated[Sync, Field(validate_default=True)] = {"kind": "none"}
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
    """Create the target's files and fill them once."""

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
    """What became of one step."""

    fault: EngineFault | None = None
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]
    elapsed_ns: Annotated[int, Field(ge=0)]
    moved: SimulatedPass | None = None
    result: StepResult | None = None


class SimulateResult(Wire):
    """What a simulation found."""

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
    """The job is done, or was interrupted and has what it has."""

    event: Literal["finished"]
    result: Result


SimulateStep = Annotated[
    AgeJob | LoadJob | ClientsJob | ScanJob | ClearStep | DeleteStep | BallastStep,
    Field(discriminator="kind"),
]


class SimulateJob(Wire):
    """Live the life of a file system in a model."""

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
