"""The factors of a sweep: what is done, in which blocks, how deep, and by how many jobs."""

from __future__ import annotations

from typing import ClassVar, Literal

from fsgauge.factors import PATTERNS, CellFactors, Factor

Pattern = Literal["read", "write", "rw", "randread", "randwrite", "randrw"]
"""fio's words; `rw` and `randrw` mix reads and writes by `read_percent`."""


class OverheadFactors(CellFactors):
    """One point of the sweep; the queue is of each job."""

    KIND: ClassVar = "overhead"
    DECLARED: ClassVar = {
        "pattern": Factor("pattern", role="pattern"),
        "block_size_bytes": Factor("block size", role="size"),
        "queue_depth": Factor("queue depth", role="depth"),
        "jobs": Factor("jobs", role="jobs", one="job"),
        "read_percent": Factor("share of reads"),
        "interface": Factor("interface"),
    }

    pattern: Pattern
    block_size_bytes: int
    queue_depth: int
    jobs: int
    read_percent: int
    interface: Literal["io_uring", "psync"]

    @property
    def work(self) -> str:
        """ "random reads"."""
        return PATTERNS[self.pattern]

    @property
    def share_of_reads(self) -> int:
        """As the sweep mixes them."""
        return self.read_percent


FACTORS = OverheadFactors
