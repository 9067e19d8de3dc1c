"""The cells of `writers`: every number of writers with every size, range, access, allocation."""

from __future__ import annotations

from itertools import product

from fsgauge.kinds.writers.factors import Access, Allocation, Range, WritersFactors
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.record.records import Cell
from fsgauge.units import exact_size


def cells_of(workload: WritersWorkload) -> list[Cell]:
    """All cells; the number of writers varies fastest, as the tables have it."""
    hosts: list[int | None] = [*sorted(workload.hosts)] if workload.hosts else [None]
    sweep = product(
        workload.ranges,
        workload.access,
        workload.allocation,
        workload.block_sizes,
        hosts,
        workload.writers,
    )
    return [_cell(workload, *point) for point in sweep]


def default_primary(workload: WritersWorkload) -> list[str]:
    """Two writers where they are, else the second smallest number (or the only one).

    At the smallest blocks, each range, access and allocation, with the most hosts. Two is as
    published, and the first step is where a lock shows whatever the number of processors.
    """
    counts = sorted(workload.writers)
    writers = 2 if 2 in counts else counts[min(1, len(counts) - 1)]
    hosts = max(workload.hosts) if workload.hosts else None
    return [
        cell.id
        for cell in cells_of(workload)
        if ((factors := WritersFactors.of(cell)).writers, factors.hosts) == (writers, hosts)
        and factors.block_size_bytes == min(workload.block_sizes)
    ]


def _cell(
    workload: WritersWorkload,
    ranges: Range,
    access: Access,
    allocation: Allocation,
    block_size_bytes: int,
    hosts: int | None,
    writers: int,
) -> Cell:
    """Range, access, allocation and hosts stand in the names only where the study has several."""
    size = exact_size(block_size_bytes)
    factors = WritersFactors(
        pattern="write" if workload.order == "sequential" else "randwrite",
        block_size_bytes=block_size_bytes,
        writers=writers,
        queue_depth=workload.queue_depth,
        interface=workload.interface,
        ranges=ranges,
        access=access,
        allocation=allocation,
        hosts=hosts,
    )
    several: list[str] = [ranges] if len(workload.ranges) > 1 else []
    several += [access] if len(workload.access) > 1 else []
    several += [allocation] if len(workload.allocation) > 1 else []
    words = [f"{factors.pattern} {size}", factors.at_once_words, *several]
    parts = [factors.pattern, size.replace(" ", ""), f"writers{writers}"]
    parts += [word.replace(" ", "-") for word in several]
    if hosts is not None:
        words.append(factors.hosts_words)
        parts.append(f"hosts{hosts}")
    return factors.cell(id="-".join(parts), name=", ".join(words))
