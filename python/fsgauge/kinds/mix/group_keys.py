"""The keys of a [[workload.group]], each with what it does; `group.py` says how they agree."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.study import sweep
from fsgauge.study.base import OneOrSwept
from fsgauge.units import (
    SIZE,
    BytesPerSecond,
    DurationNs,
    RateOperationsPerSecond,
    SizeBytes,
    WholePercent,
)

PLAIN = ("read", "write")
"""One block at an offset, on files that stay open: at any depth, by any interface."""
ON_OPEN_FILES = ("fsync", "fdatasync", "trim", "mmap_read")
"""On files that stay open too, one call at a time."""
AT_A_PLACE = (*PLAIN, "trim", "mmap_read")
"""Operations on a block that a file has."""
MOVING_A_BLOCK = (*AT_A_PLACE, "append", "fallocate")
"""Operations that transfer or allocate a block."""
ON_NAMES = (
    "append", "create", "open", "read_file", "write_file", "stat", "list", "rename", "unlink",
    "truncate", "fallocate",
)  # fmt: skip
"""On a file of the set by its name, opened and closed where that is needed."""
OPERATIONS = (*PLAIN, *ON_OPEN_FILES, *ON_NAMES)
READING = frozenset({"read", "mmap_read", "read_file", "stat", "list", "open"})
"""Operations that change no file."""
Operations = Annotated[
    dict[str, sweep.Weight], sweep.only(OPERATIONS, "a group"), Field(min_length=1)
]

MOST_BYTES = 1 << 44
FileSize = Annotated[int, SIZE, Field(ge=0, le=MOST_BYTES)]
"""0 for files without contents."""
Files = Annotated[int, Field(ge=1, le=1_000_000)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$")]
Weights = Annotated[list[sweep.Weight], Field(max_length=100)]
Calls = Literal["io_uring", "psync", "libaio"]


class GroupKeys(sweep.Listed):
    """Clients that all do the same; the groups of a mix run side by side."""

    name: Name = Field(
        description="What it is called: letters, digits, blanks, - and _, at most 40. It names"
        " the folder of the group's files, too.",
    )
    operations: Operations = Field(
        {"read": 1},
        description="What is done, and how often each operation is drawn, relative to the others."
        " read and write move one block at an offset, on files that stay open. fsync, fdatasync,"
        " trim (punches a hole of a block) and mmap_read (copies a block of a mapped file) work on"
        " such files too. The others work on a file of the set by its name: append (open, a block"
        " at the end, close), create (a new file in the place of one that was removed, written"
        " whole), open (and close), read_file, write_file (opened, whole, closed), stat, list,"
        " rename, unlink, truncate (to half its size and back), fallocate (a block after its"
        " end).",
    )
    block_sizes: OneOrSwept[sweep.BlockSize] = Field(
        [4 << 10],
        description="Size of one read or write, or several of them that are drawn by"
        " block_weights. With direct I/O, multiples of 512 B.",
    )
    block_weights: Weights = Field(
        [],
        description="How often each of block_sizes is drawn, relative to the others. Default:"
        " none; all equally often.",
    )
    write_block_sizes: OneOrSwept[sweep.BlockSize] | None = Field(
        None,
        description="For groups that read and write: the block sizes of writes; block_sizes"
        " is then for reads alone. Offsets that are drawn are multiples of its smallest size; a"
        " walk goes on where the last operation ended. Default: none; all have block_sizes.",
    )
    write_block_weights: Weights = Field(
        [], description="How often each of write_block_sizes is drawn, relative to the others."
    )
    align: sweep.BlockSize | None = Field(
        None,
        description="For order random: offsets are multiples of it. Default: of the smallest of the"
        " block sizes.",
    )
    order: Literal["random", "sequential", "backwards", "strided"] = Field(
        "random",
        description="The order of offsets. Jobs of sequential, backwards and strided groups each"
        " have their part of the files.",
    )
    stride: SizeBytes = Field(
        1 << 20,
        description="For order strided: from the start of one operation to the start of the next.",
    )
    apart: bool = Field(
        False,
        description="For groups that read and write at offsets that are not drawn: reads and writes"
        " each go on from where the last of their kind ended. Default: all go on from one place.",
    )
    random_percent: WholePercent = Field(
        100,
        description="For order random: share of the operations at offsets that are drawn; the"
        " others go on where the one before ended.",
    )
    each_once: bool = Field(
        False,
        description="For uniform random offsets of one block size: each block comes once before any"
        " comes again. Default: offsets are drawn independently.",
    )
    distribution: Literal["uniform", "zipf", "pareto", "normal", "zones"] = Field(
        "uniform",
        description="How random offsets are spread: uniformly, more often over hot places (zipf,"
        " pareto), around the middle of the space (normal), or by zones. Hot places are scattered.",
    )
    zipf_theta: Annotated[float, Field(gt=0, le=10)] = Field(
        1.1, description="How hot the hot places are, for zipf: above 0, at most 10."
    )
    pareto_h: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.2,
        description="For pareto: the share h of the places gets the share 1 - h of the operations.",
    )
    hashed: bool = Field(
        False,
        description="For zipf and pareto: hot places lie where fio's hash puts them. Some then meet"
        " and others are never used, unless the blocks of the files are a power of two. Default:"
        " each place has its own share.",
    )
    normal_deviation: Annotated[WholePercent, Field(ge=1)] = Field(
        20, description="For normal: the standard deviation, as a share of the space."
    )
    zone_sizes: Annotated[list[WholePercent], Field(max_length=100)] = Field(
        [20, 80],
        description="For zones: shares of the space, from its start, that add up to 100 %.",
    )
    zone_weights: Weights = Field(
        [80, 20],
        description="For zones: how often each of zone_sizes is drawn, relative to the others.",
    )
    queue_depth: sweep.QueueDepth = Field(1, description="Operations in flight, of each job.")
    jobs: sweep.Jobs = Field(1, description="Threads that do this at the same time.")
    interface: Literal["auto"] | Calls = Field(
        "auto",
        description="System calls of read and write. auto is psync (pread, pwrite) at depth 1 and"
        " io_uring above. libaio (io_submit) has depth where io_uring is forbidden; through the"
        " page cache the kernel does one operation after the other.",
    )
    direct: bool = Field(False, description="Bypass the page cache (O_DIRECT).")
    submit_batch: sweep.SubmitBatch | None = Field(None, description=sweep.SUBMIT_BATCH)
    files: Files = Field(
        1, description="How many files it has; with files_of_jobs own, how many each job has."
    )
    files_of_jobs: Literal["shared", "own"] = Field(
        "shared", description="Whether all jobs use the same files, or each has its own."
    )
    files_in_turns: Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(
        0,
        description="For reads and writes of several files: so many operations at a file before the"
        " next has its turn, from the first to the last and again; each file has offsets of its"
        " own. Default: 0; offsets lie over all files together.",
    )
    files_of: Name | None = Field(
        None,
        description="The group whose files are used. Default: none; it has files of its own.",
    )
    file_sizes: OneOrSwept[FileSize] = Field(
        [256 << 20],
        description="Size of the files. Several sizes are used in turn, or drawn by size_weights;"
        ' "0 B" is an empty file. Groups that only read and write have one size.',
    )
    size_weights: Weights = Field(
        [],
        description="How often each of file_sizes is drawn, relative to the others. Default: none;"
        " all equally often.",
    )
    size_distribution: Literal["listed", "log-normal"] = Field(
        "listed", description=sweep.DISTRIBUTION
    )
    median_size: FileSize = Field(32 << 10, description=sweep.MEDIAN_SIZE)
    size_sigma: Annotated[float, Field(gt=0, le=10)] = Field(2.0, description=sweep.SIZE_SIGMA)
    smallest_size: FileSize = Field(1 << 10, description=sweep.SMALLEST_SIZE)
    largest_size: FileSize = Field(16 << 20, description=sweep.LARGEST_SIZE)
    rate: RateOperationsPerSecond | None = Field(
        None,
        description="A pace for all jobs together; latency then counts from the intended start."
        " Default: none; the next operation starts when one ends.",
    )
    bandwidth: BytesPerSecond | None = Field(
        None,
        description="A pace in bytes, by the mean block size, in place of rate. Default: none.",
    )
    arrival: Literal["constant", "exponential"] = Field(
        "exponential",
        description="How the starts of a paced group are spread: evenly or as a Poisson process.",
    )
    burst: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        1, description="Operations of a job of a paced group that are due together."
    )
    think: DurationNs = Field(
        0, description="A job's rest after every think_every operations; at depth 1."
    )
    think_every: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(
        1, description="Operations of a job between two rests."
    )
    think_spread: Literal["constant", "exponential"] = Field(
        "constant", description="How the lengths of rests are spread around think."
    )
    sync: Literal["none", "dsync", "fsync", "fdatasync"] = Field(
        "none",
        description="When written data is made durable: never by the group, with each write"
        " (O_DSYNC), or by a call after every `sync_every` writes of a job.",
    )
    sync_every: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(
        1, description="Writes of a job between two calls of fsync or fdatasync."
    )
    data: sweep.Data = Field("incompressible", description="The data written.")
    compressible: WholePercent = Field(
        0, description="Share of each 4 KiB written that is zeros, so that it can be compressed."
    )
    duplicates: WholePercent = Field(
        0,
        description="Share of the writes whose data is that of an earlier write, so that it can be"
        " deduplicated: a whole block, which the job repeats from one of its buffers.",
    )
    verify: bool = Field(
        False,
        description="Whether every sector written carries its place, and all is read back after"
        " each run. For groups that only write, with one block size.",
    )
    continue_when_full: bool = Field(
        False,
        description="Whether the group goes on where the file system or a quota is full: operations"
        " that find no space (ENOSPC, EDQUOT) are counted apart, and told. Default: the first one"
        " ends the run.",
    )
    start_after: DurationNs = Field(
        0, description="How long after the start of the mix this group begins."
    )
    after: Name | None = Field(
        None,
        description="The group after whose end this one begins. Default: none; all begin at once.",
    )
    duration: Annotated[DurationNs, Field(ge=10_000_000)] | None = Field(
        None,
        description="How long this group is measured, without a warm-up. Default: as long as the"
        " workload.",
    )
