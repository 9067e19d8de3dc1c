"""The factors of `writers`: how many write, what, where, and into which space."""

from __future__ import annotations

from typing import ClassVar, Literal

from fsgauge.record.factors import PATTERNS, CellFactors, Factor
from fsgauge.units import format_size

Range = Literal["shared", "segmented", "interleaved", "strided", "own files"]
Access = Literal["direct", "buffered"]
Allocation = Literal["overwrite", "preallocated", "extend"]


class WritersFactors(CellFactors):
    """Several writers at once, of each host where the study varies their number; the queue is of
    each writer."""

    KIND: ClassVar = "writers"
    DECLARED: ClassVar = {
        "pattern": Factor("pattern", role="pattern"),
        "block_size_bytes": Factor("block size", role="size"),
        "writers": Factor("writers", role="jobs", one="writer"),
        "queue_depth": Factor("queue depth", role="depth"),
        "interface": Factor("interface"),
        "ranges": Factor("ranges"),
        "access": Factor("access"),
        "allocation": Factor("allocation"),
        "hosts": Factor("hosts", role="hosts", one="host"),
    }

    pattern: Literal["write", "randwrite"]
    block_size_bytes: int
    writers: int
    queue_depth: int
    interface: Literal["io_uring", "psync"]
    ranges: Range
    access: Access
    allocation: Allocation
    hosts: int | None = None

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
        """ "sequential writes"."""
        return PATTERNS[self.pattern]

    @property
    def share_of_reads(self) -> int:
        """Writers only write."""
        return 0

    @property
    def makes_files_anew(self) -> bool:
        """Whether the files are made in the run."""
        return self.allocation != "overwrite"

    @property
    def can_begin_again(self) -> bool:
        """Files that are there are written over."""
        return not self.makes_files_anew


FACTORS = WritersFactors
