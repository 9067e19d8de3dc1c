"""The factors of a sweep: what is done, in which blocks, how deep, and by how many jobs."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from fsgauge.record.factors import PATTERNS, CellFactors, Factor

Pattern = Literal["read", "write", "rw", "randread", "randwrite", "randrw"]
"""fio's words; `rw` and `randrw` mix reads and writes by `read_percent`."""
HostFiles = Literal["per-host", "separate", "same"]
"""Which files each of several hosts uses: as many as the study says for each host; the study's
files divided between them; all hosts the files of the first one."""


class OverheadFactors(CellFactors):
    """One point of the sweep; the queue is of each job."""

    KIND: ClassVar = "overhead"

    pattern: Annotated[Pattern, Factor("pattern", role="pattern")]
    block_size_bytes: Annotated[int, Factor("block size", role="size")]
    queue_depth: Annotated[int, Factor("queue depth", role="depth")]
    jobs: Annotated[int, Factor("jobs", role="jobs", one="job")]
    read_percent: Annotated[int, Factor("share of reads")]
    interface: Annotated[Literal["io_uring", "psync"], Factor("interface")]
    hosts: Annotated[int | None, Factor("hosts", role="hosts", one="host")] = None
    host_files: Annotated[HostFiles | None, Factor("files of several hosts", behind="files")] = None

    @property
    def work(self) -> str:
        return PATTERNS[self.pattern]

    @property
    def shared_words(self) -> str:
        words = {"same": "on the same files", "separate": "on separate files"}
        return words[self.host_files] if self.host_files is not None else ""

    @property
    def place(self) -> str:
        """With which files, where the study has several."""
        return super().place + (f" with {self.host_files} files" if self.host_files else "")

    @property
    def panel(self) -> str:
        return super().panel + (f", {self.host_files} files" if self.host_files else "")

    @property
    def can_begin_again(self) -> bool:
        return True


FACTORS = OverheadFactors
