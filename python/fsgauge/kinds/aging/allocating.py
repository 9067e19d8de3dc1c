"""Keys of a system that say how files are given space: where they have an effect."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.study.conflict import conflict
from fsgauge.study.system import System
from fsgauge.units import exact_size


def check_allocating(systems: Sequence[System], aged_by: str | None, record_size: int) -> None:
    """Raise a conflict for a key that would be ignored, or that contradicts the workload."""
    for index, system in enumerate(systems):
        _check_chunk(index, system, aged_by, record_size)
        _check_hint(index, system, record_size)
        _check_allocsize(index, system, aged_by)
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


def _check_allocsize(index: int, system: System, aged_by: str | None) -> None:
    """XFS preallocates behind the end of a file where that is written through the page cache.

    fs/xfs/xfs_iomap.c, Linux 6.12: xfs_iomap_prealloc_size is asked by buffered writes alone.
    """
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
    if aged_by != "write":
        raise conflict(
            "allocsize would be ignored: it applies to buffered writes, and the aged files are"
            " written directly",
            [("system", index, key), ("workload", "aged_by")],
            next='aged_by = "write" (--set workload.aged_by=write), or extent_size_hint instead',
        )
