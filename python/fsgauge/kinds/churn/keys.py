"""The workload `churn`: what years of creating and deleting leave of a file system's speed.

A system is filled to a level and files come and go on it; then its tree is read whole, and new
files are written into what is left. The same is done with a fresh copy of the same tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, ClassVar, Literal, cast

from pydantic import Field

from fsgauge.engine.wire import ChurnProfile, LognormalLifetimes, LognormalParetoSizes
from fsgauge.kinds.churn.factors import ChurnFactors, Order, Side, Wear
from fsgauge.record.records import Cell
from fsgauge.study.access import AccessKeys
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.sweep import BlockSize, Data, Fill, Inapplicable, require_records_fit
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, Percent, SizeBytes, WholePercent, exact_size

FileSize = Annotated[SizeBytes, Field(le=1 << 40)]

MOST_FILLED_PERCENT = 98
"""What files may take: above that, what is left is the file system's own."""
_PROFILE = ChurnProfile()
_SIZES = cast(LognormalParetoSizes, _PROFILE.sizes)
_LIFETIMES = cast(LognormalLifetimes, _PROFILE.lifetimes)
_READING = ("read_order", "read_block_size")
_WRITING = ("clients", "new_file_size", "record_size", "write_fill", "fsync", "data")


class ChurnWorkload(WorkloadKeys):
    """Files come and go at fill levels; then reads and writes, against a fresh copy of the tree."""

    question_of_folders: ClassVar[str] = (
        "What do years of creating and deleting cost on these file systems?"
    )
    works_over: ClassVar[Literal["private servers"]] = "private servers"
    rewrites: ClassVar[str] = "storage_age"
    why_files: ClassVar[str] = "files come and go"

    kind: Literal["churn"] = Field(
        "churn", description="The load: systems aged by creating and deleting, read and written."
    )
    fills: Distinct[Annotated[WholePercent, Field(ge=1, le=MOST_FILLED_PERCENT)]] = Field(
        [50, 80, 95],
        description="How full systems are while files come and go, as shares of the space each"
        " has when empty. At each level a system is aged once; a newly made one then gets a fresh"
        " copy of the tree that the ageing left.",
    )
    tests: Distinct[Side] = Field(
        ["read", "write"],
        description="What is measured on the aged system and on the fresh copy, always in this"
        " order: read (one reader reads the whole tree after caches are dropped), write (clients"
        " write new files into the free space).",
    )
    storage_age: Annotated[float, Field(ge=1, le=10_000)] = Field(
        3.0,
        description="How long files come and go: until this many times the live bytes have been"
        " written. 1 is a tree that was only filled.",
    )
    mode: Literal["write", "direct", "fast"] = Field(
        "write",
        description="How the tree is made: write (through the page cache, as programs do), direct"
        " (past it), fast (space is allocated but no data written, so the tree cannot be read;"
        " for the test write only).",
    )
    median_size: FileSize = Field(
        _SIZES.median_bytes, description="Half of the tree's files are smaller."
    )
    size_sigma: Annotated[float, Field(gt=0, le=10)] = Field(
        _SIZES.sigma, description="Standard deviation of the natural logarithm of files' sizes."
    )
    tail_percent: Percent = Field(
        _SIZES.tail_percent,
        description="Share of files whose size is drawn from the (Pareto) tail.",
    )
    tail_from: FileSize = Field(_SIZES.tail_from_bytes, description="The tail's smallest size.")
    tail_alpha: Annotated[float, Field(gt=0, le=100)] = Field(
        _SIZES.tail_alpha, description="The tail's exponent; smaller is heavier."
    )
    largest_size: FileSize | None = Field(
        None,
        description="The largest file size. Default: a hundredth of the live bytes at the fill"
        " level, so that the level is kept to about that accuracy.",
    )
    median_lifetime: Annotated[DurationNs, Field(ge=1)] = Field(
        _LIFETIMES.median_ns,
        description="Half of the files are deleted sooner. Only the order of lifetimes matters:"
        " the file that expires next makes room for a new one.",
    )
    lifetime_sigma: Annotated[float, Field(gt=0, le=20)] = Field(
        _LIFETIMES.sigma, description="Standard deviation of the natural logarithm of lifetimes."
    )
    streams: Annotated[int, Field(ge=1, le=4096)] = Field(
        _PROFILE.streams, description="Streams that make files, each in its own directories."
    )
    rewrite_percent: WholePercent = Field(
        _PROFILE.rewrite_percent,
        description="How often a file is truncated and rewritten instead of deleted.",
    )
    written_in_turns: Annotated[FileSize, Field(ge=4096)] | None = Field(
        None,
        description="What a stream writes of its file in one turn, where all `streams` write at"
        " the same time, one file each: files then lie between one another, as those of many"
        " clients of a server do. Default: a file is written whole before the next begins.",
    )
    sync_after: SizeBytes = Field(
        256 << 20,
        description="While a tree is made, it is synced each time this many bytes were written:"
        " data that is dirty at the same time is laid out together.",
    )
    age_time_limit: Annotated[DurationNs, Field(ge=1_000_000_000)] = Field(
        3600 * 1_000_000_000,
        description="Ageing that takes longer is stopped there; the report says when this"
        " happened.",
    )
    read_order: Order = Field(
        "directory",
        description="The order in which the reader takes files: as directories list them, by"
        " inode number, or by position on the storage.",
    )
    read_block_size: BlockSize = Field(1 << 20, description="Size of one read of the reader.")
    clients: Annotated[int, Field(ge=1, le=256)] = Field(
        4, description="Clients that write new files at the same time, each in its own directory."
    )
    new_file_size: FileSize = Field(1 << 20, description="Size of each new file.")
    record_size: Annotated[SizeBytes, Field(le=64 << 20)] = Field(
        64 << 10, description="Size of one write of a client."
    )
    write_fill: Fill = Field(
        80,
        description="Share of the remaining space that new files take up; the same number of"
        " bytes on the aged system as next to the fresh copy.",
    )
    fsync: bool = Field(
        True,
        description="Whether each new file is synced before it is closed, so that the"
        " storage's time counts.",
    )
    data: Data = Field("incompressible", description="The data in new files.")
    time_limit: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        600_000_000_000,
        description="A test that takes longer is stopped there, unfinished; the report says when"
        " this happened.",
    )
    scan: ClassVar[bool] = False

    def cells(self) -> list[Cell]:
        wears: tuple[Wear, ...] = ("aged", "fresh")
        sides: tuple[Side, ...] = ("read", "write")
        tests = [side for side in sides if side in self.tests]
        return [self._cell(*each) for each in product(self.fills, wears, tests)]

    def default_primary(self) -> list[str]:
        return [cell.id for cell in self.cells()]

    def _cell(self, fill: int, wear: Wear, side: Side) -> Cell:
        reads = side == "read"
        factors = ChurnFactors(
            side=side,
            wear=wear,
            fill_percent=fill,
            clients=1 if reads else self.clients,
            record_size_bytes=self.read_block_size if reads else self.record_size,
            order=self.read_order if reads else None,
        )
        return factors.cell(id=f"{wear}-{fill}-{side}", name=f"{side}, {wear}, {fill} % full")

    def keys_agree(self) -> None:
        if self.mode == "fast" and "read" in self.tests:
            raise conflict(
                "a tree made in mode fast holds no data: its extents are unwritten, so reads"
                " return zeros without touching the storage",
                ["mode", ("tests", self.tests.index("read"))],
                next='mode = "write", which writes the data, or tests = ["write"]',
            )
        if self.written_in_turns is not None and self.rewrite_percent > 0:
            raise conflict(
                "a file that is rewritten is written whole, and files in turns are not",
                ["rewrite_percent", "written_in_turns"],
                next="one of both",
            )
        if self.largest_size is not None and self.largest_size < self.median_size:
            raise conflict(
                "the largest size is below the median, which half of the files exceed",
                ["largest_size", "median_size"],
            )
        if self.record_size > self.new_file_size:
            raise conflict(
                f"a record of {exact_size(self.record_size)} is larger than a new file of"
                f" {exact_size(self.new_file_size)}",
                ["record_size", "new_file_size"],
            )
        require_records_fit(self.clients, self.record_size, ["record_size", "clients"])

    def inapplicable(self) -> Inapplicable:
        found: Inapplicable = {}
        if "read" not in self.tests:
            found |= dict.fromkeys(_READING, ("nothing is read", "tests"))
        if "write" not in self.tests:
            found |= dict.fromkeys(_WRITING, ("nothing is written", "tests"))
        if self.mode == "fast":
            found["sync_after"] = ("mode fast writes nothing that could be synced", "mode")
        if self.tail_percent == 0:
            found |= dict.fromkeys(
                ("tail_from", "tail_alpha"), ("sizes have no tail", "tail_percent")
            )
        return found

    @property
    def connections(self) -> int:
        return self.clients

    def check_access(self, accesses: Sequence[AccessKeys]) -> None:
        """New files can be written through a server; a tree is made on the path, and read there."""
        served = any(access.protocol != "path" for access in accesses)
        if served and "read" in self.tests:
            raise conflict(
                "through a server, clients can read only files that follow the study's formula,"
                " and the tree that an op log leaves does not",
                [("workload", "tests", self.tests.index("read")), ("access", "server")],
                next='tests = ["write"]: the tree is made over the path, new files are written'
                " through the server",
            )


KEYS = ChurnWorkload
