"""The workload `aging`: rates as the space of a file system is given back piece by piece.

As in a published study of a Lustre file system: 20 files are made at the same time, so that they
lie between one another in pieces of the allocator's size; then they are deleted one by one, and
after each delete the best write and read rates are measured in what it has freed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from fsgauge.kinds.aging.disk import DiskModel
from fsgauge.kinds.aging.factors import AgingFactors, Side
from fsgauge.record.records import Cell
from fsgauge.study import sweep
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.system import System
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import BytesPerSecond, DurationNs, WholePercent, exact_percent, exact_size

AgedBy = Literal["fallocate", "direct", "write"]
Level = Annotated[WholePercent, Field(ge=1)]
MOST_FILLED_PERCENT = 98
"""What the region may take: above that, what is left is the file system's own."""


class AgingWorkload(WorkloadKeys):
    """Rates of several streams on a clean system, then as aged files are deleted one by one."""

    question_of_folders: ClassVar[str] = (
        "How fast do these file systems stay while their space is used again and again?"
    )
    allocates: ClassVar[bool] = True
    why_on_paths: ClassVar[str] = "its streams allocate and delete on the file system itself"
    why_files: ClassVar[str] = "files are aged and deleted"

    kind: Literal["aging"] = Field(
        "aging", description="The load: rates in space that deletes have given back."
    )
    files: Annotated[int, Field(ge=2, le=100)] = Field(
        20,
        description="Files that are made at the same time, piece by piece in turns, and then"
        " deleted one by one. Each is an equal part of the region, so the number must divide 100."
        " Published:"
        " 20, made simultaneously (S-11).",
    )
    levels: Distinct[Level] = Field(
        list(range(5, 101, 5)),
        description="How much of the region is free when rates are measured; multiples of the"
        " space of one file. Default: after each delete, until all is free again.",
    )
    fill: Annotated[sweep.Fill, Field(le=MOST_FILLED_PERCENT)] = Field(
        97,
        description="Share of a system's available space that the region, all files together,"
        " takes up. A ballast file fills the rest after ageing, so that only deletes free space;"
        " not in folders of file systems that others use.",
    )
    nominal_rate: BytesPerSecond | None = Field(
        None,
        description="Size the region by a rate instead of `fill`: what this rate writes in"
        " nominal_time is what is free when the region is full_level full. Published: 625 MB/s a"
        " target (S-13). `fsgauge plan --verbose` prints what follows. Default: none, fill sizes"
        " the region.",
    )
    nominal_time: Annotated[DurationNs, Field(ge=1_000_000_000)] = Field(
        300_000_000_000,
        description="How long nominal_rate must be able to write; at least 1 s. Published: five"
        " minutes (S-14).",
    )
    full_level: Annotated[WholePercent, Field(ge=1, le=99)] = Field(
        90,
        description="How full the region is when so much must still be free. Published: 90 %"
        " (S-15).",
    )
    aged_by: AgedBy | None = Field(
        None,
        description="How the files are made. fallocate: space is allocated without data, in"
        " pieces of the system's allocation_chunk. direct, write: data is written record by"
        " record, past the page cache or through it, and the file system's allocator decides."
        " Systems with an allocation_chunk always use fallocate. XFS uses its mount option"
        " allocsize only for write. Default: fallocate for systems with an allocation_chunk, direct"
        " for the others, write where `direct` is false.",
    )
    streams: sweep.Jobs = Field(
        4,
        description="Streams in each rate measurement; each writes its own file in order, then"
        " reads it.",
    )
    rate_fill: Annotated[sweep.Fill, Field(le=98)] = Field(
        90,
        description="Total size of the streams' files as a share of one deleted file: the same"
        " number of bytes at every level as on the clean system.",
    )
    record_size: sweep.BlockSize = Field(
        1 << 20, description="Size of one read or write of a stream; a multiple of 512 B."
    )
    queue_depth: sweep.QueueDepth = Field(4, description="Operations in flight per stream.")
    direct: bool = Field(
        True,
        exclude_if=lambda value: value,
        description="Whether rates are measured past the page cache (O_DIRECT). Through it, a"
        " write still ends with the sync of its files.",
    )
    data: sweep.Data = Field("incompressible", description="The data written.")
    verify: bool = Field(
        False, description="Read back and compare the data after each write run; not timed."
    )
    scan: bool = Field(False, description=sweep.SCAN)
    disk: DiskModel = Field(DiskModel(), description="The disk that rates are predicted for.")

    @model_validator(mode="before")
    @classmethod
    def _after_each_delete_unless_told(cls, data: object) -> object:
        if isinstance(data, dict) and data.get("levels") is None:
            files = data.get("files", 20)
            if isinstance(files, int) and 2 <= files <= 100 and 100 % files == 0:
                step = 100 // files
                return {**data, "levels": [f"{level} %" for level in range(step, 101, step)]}
        return data

    def cells(self) -> list[Cell]:
        """Rates while all is clean, then at each level of free space, ascending."""
        levels: list[int | None] = [None, *sorted(self.levels)]
        sides: tuple[Side, ...] = ("write", "read")
        return [self._cell(*each) for each in product(levels, sides)]

    def default_primary(self) -> list[str]:
        least = min(self.levels)
        return [each.id for each in self.cells() if AgingFactors.of(each).free_percent == least]

    def _cell(self, level: int | None, side: Side) -> Cell:
        clean = level is None
        factors = AgingFactors(
            side=side,
            streams=self.streams,
            record_size_bytes=self.record_size,
            queue_depth=self.queue_depth,
            wear="clean" if clean else "aged",
            free_percent=level,
        )
        return factors.cell(
            id=f"clean-{side}" if clean else f"free-{level:02d}-{side}",
            name=f"{side}, clean" if clean else f"{side}, {level} % free",
        )

    def keys_agree(self) -> None:
        if 100 % self.files:
            raise conflict(
                f"{self.files} files cannot each be the same whole percentage of the region",
                ["files"],
                next="files = 20, or another number that divides 100",
            )
        for index, level in enumerate(self.levels):
            if level % (100 // self.files):
                raise conflict(
                    f"{level} % is never free: each of {self.files} files frees"
                    f" {100 // self.files} %",
                    [("levels", index), "files"],
                    next=f"a multiple of {exact_percent(100 // self.files)}, or more files",
                )
        free_percent = 100 - self.full_level
        if self.nominal_rate is not None and free_percent % (100 // self.files):
            raise conflict(
                f"the region is never {self.full_level} % full: each of {self.files} files gives"
                f" back {100 // self.files} %",
                ["full_level", "files"],
                next=f"a multiple of {exact_percent(100 // self.files)}, or more files",
            )
        if self.passes_cache:
            way = 'direct = false, and no aged_by = "direct"'
            sweep.require_whole_sectors(self.record_size, "record_size", "direct", way)
        if self.verify:
            sweep.require_whole_tags(self.record_size, "record_size")
        if self.data == "zero" and self.verify:
            sweep.refuse_to_verify_zeros()

    def inapplicable(self) -> sweep.Inapplicable:
        if self.nominal_rate is not None:
            return {"fill": ("nominal_rate says how large the region is", "nominal_rate")}
        reason = ("fill says how large the region is: there is no nominal_rate", "nominal_rate")
        return {"nominal_time": reason, "full_level": reason}

    def check_systems(self, systems: Sequence[System]) -> None:
        check_allocating(systems, self.aged_by, self.record_size, written_by=self.written_by)

    @property
    def written_by(self) -> AgedBy:
        """How files of a system without allocation_chunk are made."""
        return self.aged_by or ("direct" if self.direct else "write")

    @property
    def passes_cache(self) -> bool:
        return self.direct or self.aged_by == "direct"


def check_allocating(
    systems: Sequence[System], aged_by: str | None, record_size: int, *, written_by: AgedBy
) -> None:
    """Raise a conflict for a key that would be ignored, or that contradicts the workload."""
    for index, system in enumerate(systems):
        _check_chunk(index, system, aged_by, record_size)
        _check_hint(index, system, record_size)
        _check_allocsize(index, system, written_by)
    all_chunked = all(system.allocation_chunk is not None for system in systems)
    if aged_by in ("direct", "write") and all_chunked:
        raise conflict(
            f'aged_by = "{aged_by}" would be ignored: every system has an'
            " allocation_chunk, and fallocate makes those",
            [("workload", "aged_by"), ("system", 0, "allocation_chunk")],
            next="leave aged_by out, or compare with a system without allocation_chunk",
        )


def _check_chunk(index: int, system: System, aged_by: str | None, record_size: int) -> None:
    chunk = system.allocation_chunk
    if aged_by == "fallocate" and chunk is None:
        raise conflict(
            f'"{system.name}" has no allocation_chunk, and fallocate needs a size',
            [("workload", "aged_by"), ("system", index)],
            next='allocation_chunk = "1 MiB" for each system, or aged_by = "direct"',
        )
    if chunk is not None and chunk % record_size:
        raise conflict(
            f"an allocation_chunk of {exact_size(chunk)} is not a multiple of the record size,"
            f" {exact_size(record_size)}",
            [("system", index, "allocation_chunk"), ("workload", "record_size")],
            next="a multiple of the record size, or smaller records",
        )


def _check_hint(index: int, system: System, record_size: int) -> None:
    hint, record = system.extent_size_hint, record_size
    if hint is not None and hint % record and record % hint:
        raise conflict(
            f"an extent_size_hint of {exact_size(hint)} is neither a multiple nor a divisor of"
            f" the record size, {exact_size(record)}",
            [("system", index, "extent_size_hint"), ("workload", "record_size")],
            next="a multiple of the record size, or smaller records",
        )


def _check_allocsize(index: int, system: System, written_by: AgedBy) -> None:
    """XFS preallocates behind the end of a file where that is written through the page cache.
    fs/xfs/xfs_iomap.c, Linux 6.12: xfs_iomap_prealloc_size is asked by buffered writes alone."""
    mounted = {option.partition("=")[0].strip() for option in system.mount.split(",")}
    if "allocsize" not in mounted | set(system.settings):
        return
    key = "mount" if "allocsize" in mounted else "settings"
    if system.allocation_chunk is not None:
        raise conflict(
            "allocsize would be ignored: fallocate allocates the space, one allocation_chunk at a"
            " time",
            [("system", index, key), ("system", index, "allocation_chunk")],
            next="leave one of them out; allocsize has an effect with workload.aged_by=write",
        )
    if written_by != "write":
        raise conflict(
            "allocsize would be ignored: it applies to buffered writes, and the aged files are"
            " written directly",
            [("system", index, key), ("workload", "aged_by")],
            next='aged_by = "write" (--set workload.aged_by=write), or extent_size_hint instead',
        )


KEYS = AgingWorkload
