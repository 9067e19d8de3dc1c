"""The Python mirror of the crate `fsgauge-wire`: jobs that go to the engine, events that come back.

Every key is raw and carries its unit last. `tests/house/test_schema.py` holds these models to
the JSON schemas that the crate generates into `schema/`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1


class Wire(BaseModel):
    """A type that crosses the border between the lab and the engine."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NullTarget(Wire):
    """Completes every operation at once: what the engine itself costs."""

    kind: Literal["null"] = "null"
    size_bytes: int


class BlockTarget(Wire):
    """A region of a block device."""

    kind: Literal["block"] = "block"
    path: str
    offset_bytes: int = 0
    size_bytes: int


class FileTarget(Wire):
    """One file."""

    kind: Literal["file"] = "file"
    path: str
    size_bytes: int


class FilesTarget(Wire):
    """`count` equal files named by a formula: directory/prefix0000, prefix0001, ..."""

    kind: Literal["files"] = "files"
    directory: str
    prefix: str = "fsgauge-"
    count: int
    file_size_bytes: int


Target = Annotated[NullTarget | BlockTarget | FileTarget | FilesTarget, Field(discriminator="kind")]


class IncompressibleData(Wire):
    kind: Literal["incompressible"] = "incompressible"


class ZeroData(Wire):
    kind: Literal["zero"] = "zero"


class CompressibleData(Wire):
    kind: Literal["compressible"] = "compressible"
    compressible_percent: int


Data = Annotated[IncompressibleData | ZeroData | CompressibleData, Field(discriminator="kind")]


class SequentialAccess(Wire):
    kind: Literal["sequential"] = "sequential"


class RandomAccess(Wire):
    kind: Literal["random"] = "random"


class ZipfAccess(Wire):
    kind: Literal["zipf"] = "zipf"
    theta: float


Access = Annotated[SequentialAccess | RandomAccess | ZipfAccess, Field(discriminator="kind")]


class BlockSize(Wire):
    size_bytes: int
    weight: int = 1


class Rate(Wire):
    """Offered load of all jobs together."""

    operations_per_second: float
    arrival: Literal["constant", "exponential"]


class SharedRanges(Wire):
    kind: Literal["shared"] = "shared"


class SegmentedRanges(Wire):
    kind: Literal["segmented"] = "segmented"


class InterleavedRanges(Wire):
    kind: Literal["interleaved"] = "interleaved"


class StridedRanges(Wire):
    kind: Literal["strided"] = "strided"
    stride_bytes: int


class OwnFilesRanges(Wire):
    kind: Literal["own_files"] = "own_files"


Ranges = Annotated[
    SharedRanges | SegmentedRanges | InterleavedRanges | StridedRanges | OwnFilesRanges,
    Field(discriminator="kind"),
]
"""Which places of the target belong to which job."""


class NoSync(Wire):
    kind: Literal["none"] = "none"


class DsyncSync(Wire):
    kind: Literal["dsync"] = "dsync"


class FsyncSync(Wire):
    kind: Literal["fsync"] = "fsync"
    every: int


class FdatasyncSync(Wire):
    kind: Literal["fdatasync"] = "fdatasync"
    every: int


Sync = Annotated[NoSync | DsyncSync | FsyncSync | FdatasyncSync, Field(discriminator="kind")]


class Companion(Wire):
    """Threads beside the jobs: random readers of the target, or appenders to a log."""

    role: Literal["reader", "log"]
    count: int
    block_size_bytes: int


class LoadJob(Wire):
    """Drive I/O and measure it."""

    format: Literal[1] = 1
    kind: Literal["load"] = "load"
    target: Target
    interface: Literal["io_uring", "psync"]
    direct: bool
    access: Access
    read_percent: int
    block_sizes: list[BlockSize]
    queue_depth: int
    jobs: int
    batch: int | None = None
    rate: Rate | None = None
    warm_up_ns: int
    duration_ns: int
    size_limit_bytes: int | None = None
    interval_ns: int = 1_000_000_000
    noatime: bool = False
    data: Data = IncompressibleData()
    seed: int
    ranges: Ranges | None = None
    passes: int | None = None
    extend: bool = False
    workers: Literal["threads", "processes"] = "threads"
    descriptors: Literal["own", "shared"] = "own"
    sync: Sync = NoSync()
    verify: bool = False
    companions: list[Companion] = []
    measure_limits: bool = False


class LayoutJob(Wire):
    """Create the target's files and fill it once, in order, with data."""

    format: Literal[1] = 1
    kind: Literal["layout"] = "layout"
    target: Target
    block_size_bytes: int = 1 << 20
    queue_depth: int = 8
    direct: bool
    preallocate: bool = False
    data: Data = IncompressibleData()
    seed: int


class ProbeJob(Wire):
    """What this kernel and machine offer the engine."""

    format: Literal[1] = 1
    kind: Literal["probe"] = "probe"
    directory: str | None = None


Job = LoadJob | LayoutJob | ProbeJob


class Engine(Wire):
    """The engine's build; a debug build marks every record."""

    version: str
    profile: Literal["release", "debug"]
    target: str
    commit: str


class Features(Wire):
    """What of io_uring was in use."""

    registered_files: bool
    registered_buffers: bool
    single_issuer: bool
    defer_taskrun: bool
    coop_taskrun: bool
    registered_ring: bool
    no_sqarray: bool


class Note(Wire):
    """Something that the reader of the result should know; `code` is a stable name."""

    code: str
    text: str


class Histogram(Wire):
    """Log-linear integer histogram in nanoseconds; `counts` is sparse and ascending.

    index = value below 2**sub_bucket_bits, from there 2**sub_bucket_bits buckets an octave.
    """

    sub_bucket_bits: int
    counts: list[tuple[int, int]]
    operations: int
    sum_ns: int
    min_ns: int
    max_ns: int


class OperationResult(Wire):
    operations: int
    size_bytes: int
    errors: int
    service_latency: Histogram
    response_latency: Histogram | None = None
    backlog_dropped: int


class IntervalCount(Wire):
    operations: int
    size_bytes: int
    latency_sum_ns: int


class Interval(Wire):
    start_ns: int
    elapsed_ns: int
    warm_up: bool
    read: IntervalCount
    write: IntervalCount


class SelfMeasure(Wire):
    """The engine measured on the null target, in this run's configuration."""

    null_ns_per_operation: float
    clock_ns_per_read: float
    clock: Literal["tsc", "clock_gettime"]
    stamps: Literal["operation", "batch"]


class JobShare(Wire):
    """One job's part; `elapsed_ns` is its own time where jobs end by themselves (passes)."""

    operations: int
    size_bytes: int
    elapsed_ns: int | None = None


class SyncResult(Wire):
    calls: int
    latency: Histogram


class CompanionResult(Wire):
    role: Literal["reader", "log"]
    count: int
    operations: int
    size_bytes: int
    latency: Histogram


class FaultyBlock(Wire):
    fault: Literal["corrupt", "torn", "foreign", "stale", "lost"]
    file: int
    offset_bytes: int
    first_byte: int
    detail: str


class IntegrityResult(Wire):
    """What reading everything back found; `faulty` names the first blocks, at most 20."""

    checked_blocks: int
    corrupt_blocks: int
    torn_blocks: int
    foreign_blocks: int
    stale_blocks: int
    lost_blocks: int
    faulty: list[FaultyBlock]
    elapsed_ns: int


class Limits(Wire):
    """The rate of this very load without a device, all jobs together."""

    null_operations_per_second: float
    memory_operations_per_second: float
    memory_touched_operations_per_second: float


class ProcessorTime(Wire):
    """Time of the load threads in the measured window."""

    user_ns: int
    system_ns: int
    threads: int


class MachineProcessorTime(Wire):
    """Time of the whole machine in the measured window (/proc/stat)."""

    busy_ns: int
    total_ns: int


class Steady(Wire):
    """The engine's verdict on the measured part; shares are of the mean rate."""

    judged: bool
    reached: bool
    rounds: int
    range_share: float | None = None
    slope_share: float | None = None
    change_point_ns: int | None = None
    change_share: float | None = None
    reason: str | None = None


class LoadResult(Wire):
    format: Literal[1]
    kind: Literal["load"]
    engine: Engine
    interface: Literal["io_uring", "psync"]
    features: Features | None = None
    notes: list[Note]
    ended: Literal["duration", "size_limit", "interrupted"]
    started_unix_ns: int
    warm_up_ns: int
    elapsed_ns: int
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
    companions: list[CompanionResult] = []
    integrity: IntegrityResult | None = None
    limits: Limits | None = None


class LayoutResult(Wire):
    format: Literal[1]
    kind: Literal["layout"]
    engine: Engine
    ended: Literal["duration", "size_limit", "interrupted"]
    files: int
    size_bytes: int
    elapsed_ns: int
    fsync_ns: int
    notes: list[Note]


class NullCost(Wire):
    depth_1: float
    depth_32: float


class ProbeResult(Wire):
    format: Literal[1]
    kind: Literal["probe"]
    engine: Engine
    io_uring: bool
    io_uring_reason: str | None = None
    features: Features
    direct: bool | None = None
    direct_alignment_bytes: int | None = None
    clock: Literal["tsc", "clock_gettime"]
    clock_ns_per_read: float
    null_ns_per_operation: NullCost


Result = Annotated[LoadResult | LayoutResult | ProbeResult, Field(discriminator="kind")]


class StartedEvent(Wire):
    event: Literal["started"]
    engine: Engine
    unix_ns: int


class NoteEvent(Note):
    event: Literal["note"]


class SelfMeasureEvent(SelfMeasure):
    event: Literal["self_measure"]


class IntervalEvent(Interval):
    event: Literal["interval"]


class FinishedEvent(Wire):
    event: Literal["finished"]
    result: Result


class EngineFault(Wire):
    what: str
    cause: str
    next: str
    errno: int | None = None
    code: str


class FailedEvent(Wire):
    event: Literal["failed"]
    error: EngineFault


Event = Annotated[
    StartedEvent | NoteEvent | SelfMeasureEvent | IntervalEvent | FinishedEvent | FailedEvent,
    Field(discriminator="event"),
]
