"""The cells of a sweep: every pattern at every block size, queue depth and number of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

from fsgauge.kinds.overhead.factors import HostFiles, OverheadFactors, Pattern
from fsgauge.kinds.overhead.keys import MIXED, OverheadWorkload
from fsgauge.record.records import Cell
from fsgauge.units import exact_size


def cells_of(workload: OverheadWorkload) -> list[Cell]:
    """All cells, in the order of the study's lists."""
    sweep = product(workload.patterns, workload.block_sizes, workload.queue_depths, workload.jobs)
    return [_cell(workload, *point, hosts) for point in sweep for hosts in _hosts(workload)]


def default_primary(workload: OverheadWorkload) -> list[str]:
    """Ids of the cells that the answer is about unless the study says: the smallest blocks."""
    depths = {min(workload.queue_depths), max(workload.queue_depths)}
    most, files = _hosts(workload)[-1].count, _hosts(workload)[-1].files
    return [
        cell.id
        for cell in cells_of(workload)
        if (factors := OverheadFactors.of(cell)).block_size_bytes == min(workload.block_sizes)
        and factors.queue_depth in depths
        and factors.jobs == workload.jobs[0]
        and (factors.hosts, factors.host_files) == (most, files)
    ]


@dataclass(frozen=True)
class _Hosts:
    """How many hosts take part in a cell, and with which files; None where the study varies none of
    it."""

    count: int | None
    files: HostFiles | None

    @property
    def id(self) -> str:
        """What it adds to a cell's id."""
        return (f"-hosts{self.count}" if self.count else "") + (
            f"-{self.files}" if self.files else ""
        )

    @property
    def name(self) -> str:
        """What it adds to a cell's name."""
        several = "" if self.count == 1 else "s"
        return (f", {self.count} host{several}" if self.count else "") + (
            f", {self.files} files" if self.files else ""
        )


def _hosts(workload: OverheadWorkload) -> list[_Hosts]:
    """From the fewest hosts to the most. One host has no other one's files, so it is there once."""
    varied = workload.host_files != ["per-host"]
    sets: list[HostFiles | None] = [*workload.host_files] if varied else [None]
    counts: list[int | None] = [*sorted(workload.hosts)] if workload.hosts else [None]
    return [_Hosts(count, each) for count in counts for each in ([None] if count == 1 else sets)]


def _cell(
    workload: OverheadWorkload,
    pattern: Pattern,
    block_size_bytes: int,
    depth: int,
    jobs: int,
    hosts: _Hosts,
) -> Cell:
    size = exact_size(block_size_bytes)
    factors = OverheadFactors(
        pattern=pattern,
        block_size_bytes=block_size_bytes,
        queue_depth=depth,
        jobs=jobs,
        read_percent=_read_percent(pattern, workload.read_percent),
        interface=_interface(workload.interface, depth),
        hosts=hosts.count,
        host_files=hosts.files,
    )
    id_of_jobs, jobs_words = (f"-jobs{jobs}", f", {jobs} jobs") if jobs > 1 else ("", "")
    return factors.cell(
        id=f"{pattern}-{size.replace(' ', '')}-depth{depth}{id_of_jobs}{hosts.id}",
        name=f"{pattern} {size}, depth {depth}{jobs_words}{hosts.name}",
    )


def _read_percent(pattern: Pattern, mixed_percent: int) -> int:
    if pattern in MIXED:
        return mixed_percent
    return 0 if pattern.endswith("write") else 100


def _interface(
    asked: Literal["auto", "io_uring", "psync"], queue_depth: int
) -> Literal["io_uring", "psync"]:
    """One operation at a time is synchronous access; more needs a queue."""
    if asked != "auto":
        return asked
    return "psync" if queue_depth == 1 else "io_uring"
