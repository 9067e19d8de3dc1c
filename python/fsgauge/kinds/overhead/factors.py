"""The factors of a sweep: what is done, in which blocks, how deep, and by how many jobs."""

from __future__ import annotations

from typing import ClassVar, Literal

from fsgauge.record.factors import PATTERNS, CellFactors, Factor

Pattern = Literal["read", "write", "rw", "randread", "randwrite", "randrw"]
"""fio's words; `rw` and `randrw` mix reads and writes by `read_percent`."""
HostFiles = Literal["per-host", "separate", "same"]
"""Which files each of several hosts uses: as many as the study says for each host; the study's
files divided between them; all hosts the files of the first one."""


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
        "hosts": Factor("hosts", role="hosts", one="host"),
        "host_files": Factor("files of several hosts", behind="files"),
    }

    pattern: Pattern
    block_size_bytes: int
    queue_depth: int
    jobs: int
    read_percent: int
    interface: Literal["io_uring", "psync"]
    hosts: int | None = None
    host_files: HostFiles | None = None

    @property
    def work(self) -> str:
        """ "random reads"."""
        return PATTERNS[self.pattern]

    @property
    def shared_words(self) -> str:
        """With which files."""
        words = {"same": "on the same files", "separate": "on separate files"}
        return words[self.host_files] if self.host_files is not None else ""

    @property
    def place(self) -> str:
        """With which files, where the study has several."""
        return super().place + (f" with {self.host_files} files" if self.host_files else "")

    @property
    def panel(self) -> str:
        """Likewise."""
        return super().panel + (f", {self.host_files} files" if self.host_files else "")

    @property
    def share_of_reads(self) -> int:
        """As the sweep mixes them."""
        return self.read_percent

    @property
    def can_begin_again(self) -> bool:
        """Files that are there are read and written over."""
        return True


FACTORS = OverheadFactors
