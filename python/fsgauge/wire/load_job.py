"""A load: what is driven, by whom, in which order."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.wire.base import Wire
from fsgauge.wire.target import Target


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
    submit_batch: int | None = None
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
    preallocate: bool = False
    preallocate_chunk_bytes: int | None = None
    workers: Literal["threads", "processes"] = "threads"
    descriptors: Literal["own", "shared"] = "own"
    sync: Sync = NoSync()
    verify: bool = False
    companions: list[Companion] = []
    measure_limits: bool = False
