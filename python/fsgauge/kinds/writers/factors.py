"""The factors of `writers`: how many write, what, where, and into which space."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from fsgauge.record.factors import PATTERNS, CellFactors, Factor
from fsgauge.units import format_size

Range = Literal["shared", "segmented", "interleaved", "strided", "own files"]
Access = Literal["direct", "buffered"]
Allocation = Literal["overwrite", "preallocated", "extend"]


class WritersFactors(CellFactors):
    """Several writers at once, of each host where the study varies their number; the queue is of
    each writer."""

    KIND: ClassVar = "writers"

    pattern: Annotated[Literal["write", "randwrite"], Factor("pattern", role="pattern")]
    block_size_bytes: Annotated[int, Factor("block size", role="size")]
    writers: Annotated[int, Factor("writers", role="jobs", one="writer")]
    queue_depth: Annotated[int, Factor("queue depth", role="depth")]
    interface: Annotated[Literal["io_uring", "psync"], Factor("interface")]
    ranges: Annotated[Range, Factor("ranges")]
    access: Annotated[Access, Factor("access")]
    allocation: Annotated[Allocation, Factor("allocation")]
    hosts: Annotated[int | None, Factor("hosts", role="hosts", one="host")] = None

    @property
    def place(self) -> str:
        """ "8 KiB and 2 writers, buffered": what is not as published."""
        depth = f" of depth {self.queue_depth}" if self.queue_depth > 1 else ""
        ways = [
            self.ranges.replace("shared", ""),
            self.access.replace("direct", ""),
            self.allocation.replace("overwrite", ""),
        ]
        hosts = f" on {self.hosts_words}" if self.hosts_words else ""
        first = f"{format_size(self.block_size_bytes)} and {self.at_once_words}{depth}{hosts}"
        return ", ".join([first, *filter(None, ways)])

    @property
    def work(self) -> str:
        return PATTERNS[self.pattern]

    @property
    def noun(self) -> str:
        """ "8 KiB sequential writes by 2 writers, buffered"."""
        return super().noun.replace(" at ", " by ", 1)

    @property
    def makes_files_anew(self) -> bool:
        return self.allocation != "overwrite"

    @property
    def can_begin_again(self) -> bool:
        return not self.makes_files_anew


FACTORS = WritersFactors
