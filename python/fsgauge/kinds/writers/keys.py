"""The workload `writers`: several writers to one file, or to a file each. Order, ranges and their
names are IOR's: segmented, and strided with one or more transfers a block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from fsgauge.kinds.writers.factors import Access, Allocation, Range, WritersFactors
from fsgauge.record.records import Cell
from fsgauge.study import sweep
from fsgauge.study.access import AccessKeys, unused_interface
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, SizeBytes, exact_size

MOST_COMPANIONS = 1024
LARGEST_LOG_BYTES = 256 << 20
"""A log writer's file: at this size it is written again from its start."""
Companions = Annotated[int, Field(ge=0, le=MOST_COMPANIONS)]


class WritersWorkload(WorkloadKeys):
    """Several writers at once: each number of them with each block size, range and access."""

    question_of_folders: ClassVar[str] = (
        "How do these file systems serve several writers of one file?"
    )
    works_over: ClassVar[Literal["private servers"]] = "private servers"

    kind: Literal["writers"] = Field(
        "writers", description="The load: several writers to one file, or to a file each."
    )
    writers: Distinct[sweep.Jobs] = Field(
        [1, 2, 4, 8],
        description="How many writers work at the same time; each number is a cell. Scaling is"
        " relative to the smallest. A scalability law is fitted to six or more numbers.",
    )
    hosts: Distinct[sweep.Hosts] | None = Field(
        None, description=sweep.HOSTS.format(load="writers")
    )
    block_sizes: Distinct[sweep.BlockSize] = Field(
        [8 << 10], description="Sizes of one write. With direct I/O, multiples of 512 B."
    )
    ranges: Distinct[Range] = Field(
        ["shared"],
        description="Which part of the file each writer covers. shared: all write the whole file,"
        " over one another. segmented: one piece each. interleaved: block by block in turn."
        " strided: runs of `stride` in turn. own files: a file each. With own files in the list,"
        " the space is divided into as many files as the largest number of writers, and the other"
        " ranges use the first of them, so that the size to cover is always that of one file.",
    )
    stride: SizeBytes = Field(
        1 << 20, description="Length of a run, for strided ranges; a multiple of the block size."
    )
    order: Literal["sequential", "random"] = Field(
        "sequential",
        description="The order in which a writer visits its blocks. Random visits each block once"
        " before visiting one again.",
    )
    allocation: Distinct[Allocation] = Field(
        ["overwrite"],
        description="overwrite: the file exists and is full. preallocated: it is emptied before"
        " each run and fallocate gives it all its blocks, unwritten, as databases create their"
        " files. extend: it is emptied before each run, so that the writers make it grow.",
    )
    access: Distinct[Access] = Field(
        ["direct"],
        description="direct: past the page cache (O_DIRECT); buffered: through it. Buffered writes"
        ' with sync = "none" end in memory, and their rate is that of memory; fsync, fdatasync'
        " and dsync include the storage. A raw device does direct overwrites in every cell."
        " Through a server, a direct write is answered when it is stable (as with dsync), unless"
        " `sync` says otherwise; a buffered one may end in the server's memory.",
    )
    interface: Literal["psync", "io_uring"] = Field(
        "psync", description="System calls that the writers use. psync is pwrite, as in dd."
    )
    queue_depth: sweep.QueueDepth = Field(
        1, description="Writes in flight per writer. More than 1 needs io_uring."
    )
    submit_batch: sweep.SubmitBatch | None = Field(None, description=sweep.SUBMIT_BATCH)
    workers: Literal["processes", "threads"] = Field(
        "processes", description="Whether writers are threads or processes."
    )
    descriptors: Literal["own", "shared"] = Field(
        "own", description="Whether each writer opens the file itself or all share one open file."
    )
    sync: Literal["none", "dsync", "fsync", "fdatasync"] = Field(
        "none",
        description="When written data is made durable: never by the load, with each write"
        " (O_DSYNC), or by a call after every `sync_every` writes of a writer.",
    )
    sync_every: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(
        1, description="Writes of a writer between two calls of fsync or fdatasync."
    )
    readers: Companions = Field(
        0,
        description="Random readers of the same file alongside the writers, one read at a time"
        " each; counted separately.",
    )
    reader_block_size: sweep.BlockSize = Field(
        8 << 10, description="Size of one of the readers' reads."
    )
    log_writers: Companions = Field(
        0,
        description="Log writers alongside the writers, as in a database: each appends to its own"
        " file and calls fdatasync after every append; counted separately.",
    )
    log_block_size: Annotated[SizeBytes, Field(le=LARGEST_LOG_BYTES)] = Field(
        16 << 10, description="Size of one append to a log."
    )
    passes: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None,
        description="A run ends when each writer has covered its part this many times, or after"
        " 10 minutes. Default: 1, unless there is a duration.",
    )
    duration: Annotated[DurationNs, Field(ge=10_000_000)] | None = Field(
        None,
        description="A run ends after this time instead; a writer that is done starts again."
        " Default: none; passes decide when a run ends.",
    )
    warm_up: DurationNs = Field(
        0,
        description="Warm-up before the measured part of each run; not counted. Only with a"
        " duration.",
    )
    fill: sweep.Fill = Field(
        60,
        description="Share of the storage that the file fills. On the raw device, the same number"
        " of bytes is used.",
    )
    data: sweep.Data = Field("incompressible", description="The data written.")
    verify: bool = Field(
        True,
        description="Every sector written carries its writer, sequence number, offset and"
        " checksum, and all of it is read back after each run: lost, torn and foreign blocks are"
        " counted.",
    )

    limits_stride: Annotated[SizeBytes, Field(ge=1, le=1 << 30)] | None = Field(
        None,
        description="Measure the load without a device once more, touching one byte of every so"
        " many: a database looks at some of its bytes, not at each; below every block size."
        " Default: none, only nothing, a word of each 4 KiB and every byte are measured.",
    )

    @model_validator(mode="before")
    @classmethod
    def _one_pass_unless_told(cls, data: object) -> object:
        if isinstance(data, dict) and data.get("passes") is None and data.get("duration") is None:
            return {**data, "passes": 1}
        return data

    scan: bool = Field(False, description=sweep.SCAN)

    def keys_agree(self) -> None:
        if self.passes is not None and self.duration is not None:
            raise conflict(
                "passes and duration both decide when a run ends",
                ["duration", "passes"],
                next="one of them: passes as published, duration for equal time",
            )
        if self.interface == "psync" and self.queue_depth > 1:
            raise conflict(
                f"interface psync does one write at a time, and the queue depth is"
                f" {self.queue_depth}",
                ["queue_depth", "interface"],
                next='interface = "io_uring", or queue_depth = 1 with more writers',
            )
        if self.readers + self.log_writers > MOST_COMPANIONS:
            raise conflict(
                f"{self.readers} readers and {self.log_writers} log writers are more than"
                f" {MOST_COMPANIONS} threads alongside the writers",
                ["readers", "log_writers"],
                next="fewer of them",
            )
        self._sizes_fit()
        self._stride_tells()
        self._places_fit()
        self._can_be_verified()
        swept = ["writers", "block_sizes", "ranges", "access", "allocation", "hosts"]
        sweep.require_few_cells(self, swept)

    def cells(self) -> list[Cell]:
        """The number of writers varies fastest, as the tables have it. Range, access and
        allocation stand in the names only where the study has several."""
        names = ("ranges", "access", "allocation")
        several = [name for name in names if len(getattr(self, name)) > 1]
        hosts = sweep.host_counts(self.hosts)
        swept = product(
            self.ranges, self.access, self.allocation, self.block_sizes, hosts, self.writers
        )
        return [
            WritersFactors(
                pattern="write" if self.order == "sequential" else "randwrite",
                block_size_bytes=block_size_bytes,
                writers=writers,
                queue_depth=self.queue_depth,
                interface=self.interface,
                ranges=ranges,
                access=access,
                allocation=allocation,
                hosts=count,
            ).cell_named_by("pattern", "block_size_bytes", "writers", *several, "hosts")
            for ranges, access, allocation, block_size_bytes, count, writers in swept
        ]

    def default_primary(self) -> list[str]:
        """Two writers where they are, else the second smallest number (or the only one). At the
        smallest blocks, each range, access and allocation, with the most hosts. Two is as
        published, and the first step is where a lock shows whatever the number of processors."""
        counts = sorted(self.writers)
        writers = 2 if 2 in counts else counts[min(1, len(counts) - 1)]
        hosts = max(self.hosts) if self.hosts else None
        return [
            cell.id
            for cell in self.cells()
            if ((factors := WritersFactors.of(cell)).writers, factors.hosts) == (writers, hosts)
            and factors.block_size_bytes == min(self.block_sizes)
        ]

    @property
    def most_hosts(self) -> int:
        """Hosts of which each brings the writers of a cell; 1 where they are dealt out."""
        return max(self.hosts or [1])

    @property
    def connections(self) -> int:
        return max(self.writers)

    def check_access(self, accesses: Sequence[AccessKeys]) -> None:
        if all(access.protocol == "path" for access in accesses):
            return
        because = ("access", "server")
        for key in ("readers", "log_writers"):
            if getattr(self, key):
                raise conflict(
                    f"{key} work on local files, and the writers go through a server",
                    [("workload", key), because],
                    next=f"{key} = 0, or without --serve",
                )
        if self.descriptors == "shared":
            raise conflict(
                "each writer has its own session, and an open file belongs to one session",
                [("workload", "descriptors"), because],
                next='descriptors = "own", or without --serve',
            )
        if "preallocated" in self.allocation:
            raise conflict(
                "space cannot be preallocated through a server: NFS version 3 has no"
                " fallocate(2), and SMB servers differ",
                [("workload", "allocation", self.allocation.index("preallocated")), because],
                next='allocation without "preallocated", or without --serve',
            )
        sweep.require_depth_of_connection(self.queue_depth, ("queue_depth",))

    def unused_over(self, accesses: Sequence[AccessKeys]) -> dict[str, str]:
        return unused_interface(accesses)

    def inapplicable(self) -> sweep.Inapplicable:
        found: sweep.Inapplicable = {}
        if "strided" not in self.ranges:
            found["stride"] = ("no range is strided", "ranges")
        if self.sync not in ("fsync", "fdatasync"):
            found["sync_every"] = (f'sync "{self.sync}" makes no calls to count', "sync")
        if self.queue_depth == 1:
            found["submit_batch"] = ("a writer has one write at a time", "queue_depth")
        if not self.readers:
            found["reader_block_size"] = ("there are no readers", "readers")
        if not self.log_writers:
            found["log_block_size"] = ("there are no log writers", "log_writers")
        if self.duration is None:
            found["warm_up"] = ("runs end by passes, and all of a pass is measured", "passes")
        return found

    def _sizes_fit(self) -> None:
        way = 'access = ["buffered"]'
        if "direct" in self.access:
            for index, size_bytes in enumerate(self.block_sizes):
                sweep.require_whole_sectors(size_bytes, ("block_sizes", index), "access", way)
            if self.readers:
                sweep.require_whole_sectors(
                    self.reader_block_size, "reader_block_size", "access", way
                )
        for index, size_bytes in enumerate(self.block_sizes if "strided" in self.ranges else ()):
            if self.stride % size_bytes:
                raise conflict(
                    f"a stride of {exact_size(self.stride)} is not a multiple of the block size,"
                    f" {exact_size(size_bytes)}",
                    ["stride", ("block_sizes", index)],
                    next="a stride that is a multiple of every block size",
                )

    def _stride_tells(self) -> None:
        """One that is no shorter than a block touches one byte of it, whatever its number."""
        stride = self.limits_stride
        for index, size_bytes in enumerate(self.block_sizes if stride else ()):
            if stride is not None and stride >= size_bytes:
                raise conflict(
                    f"one byte of every {exact_size(stride)} is one of a block of"
                    f" {exact_size(size_bytes)}, however long the stride",
                    ["limits_stride", ("block_sizes", index)],
                    next="a limits_stride below every block size",
                )

    def _places_fit(self) -> None:
        """What the ranges and the growth of the file leave no room for."""
        if self.descriptors == "shared" and "own files" in self.ranges:
            raise conflict(
                "writers with own files cannot share an open file",
                ["descriptors", ("ranges", self.ranges.index("own files"))],
                next='descriptors = "own", or ranges without "own files"',
            )
        anew = [each for each in self.allocation if each != "overwrite"]
        if not anew:
            return
        place = ("allocation", self.allocation.index(anew[0]))
        again = {"duration": self.duration, "passes": (self.passes or 1) > 1}
        for key in [key for key, is_set in again.items() if is_set]:
            raise conflict(
                "only the first pass writes new blocks: the next ones would overwrite them",
                [place, key],
                next='passes = 1, or allocation = ["overwrite"]',
            )
        if self.readers:
            raise conflict(
                "readers of a file that is emptied before each run would read beyond its end",
                ["readers", place],
                next='readers = 0, or allocation = ["overwrite"]',
            )

    def _can_be_verified(self) -> None:
        if not self.verify:
            return
        for index, size_bytes in enumerate(self.block_sizes):
            sweep.require_whole_tags(size_bytes, ("block_sizes", index))
        if self.data == "zero":
            raise conflict(
                "zeros cannot be verified: a block carries its writer, sequence and checksum",
                ["data", "verify"],
                next='data = "incompressible", or verify = false',
            )

    def needs_files(self) -> tuple[str, str, str] | None:
        """The key that a bare device cannot serve, why not, and what works; None where it can. A
        device is always written past the cache, so only sizes that it does not take are left."""
        sizes = [*self.block_sizes, *([self.reader_block_size] if self.readers else [])]
        for index, size_bytes in enumerate(sizes):
            if size_bytes % sweep.SECTOR_BYTES:
                key = "block_sizes" if index < len(self.block_sizes) else "reader_block_size"
                return (
                    key,
                    f"it moves whole sectors of {sweep.SECTOR_BYTES} B,"
                    f" and a size is {size_bytes} B",
                    "a multiple of 512 B",
                )
        return None


KEYS = WritersWorkload
