"""The factors of a cell of sharing: a test, its records and file, and how many hosts do it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from fsgauge.kinds.sharing.tests import TESTS, FileTest, FolderTest, Test
from fsgauge.record.factors import CellFactors, Factor
from fsgauge.units import format_size


class SharingFactors(CellFactors):
    """One test; on a folder of empty files it has no record and no file size."""

    KIND: ClassVar = "sharing"

    test: Annotated[str, Factor("test", role="pattern")]
    record_size_bytes: Annotated[int | None, Factor("record size", role="size")] = None
    file_size_bytes: Annotated[int | None, Factor("file size", behind="files")] = None
    folder_files: Annotated[int | None, Factor("files in the folder")] = None
    is_cache_test: Annotated[bool, Factor("writes are not flushed", column="is_unflushed")] = False
    hosts: Annotated[int | None, Factor("hosts", role="hosts", one="host")] = None

    @property
    def of_test(self) -> Test:
        return TESTS[self.test]

    @property
    def whole_bytes(self) -> int:
        """Bytes of the file that are in whole records; 0 for a test of a folder."""
        size_bytes, record_bytes = self.file_size_bytes or 0, self.record_size_bytes or 1
        return size_bytes - size_bytes % record_bytes

    @property
    def longer_runs(self) -> str:
        if isinstance(self.of_test, FolderTest):
            return "more files (--set workload.folder_files=...)"
        return "larger files (--set workload.file_sizes=...)"

    @property
    def more_space(self) -> str:
        return "larger storage, or fewer workload.folder_files"

    @property
    def work(self) -> str:
        title = self.of_test.title
        return title[:1].lower() + title[1:]

    @property
    def done(self) -> str:
        """ "reads", "creates in order"."""
        first, _, rest = self.work.partition(" ")
        return self.work if rest.endswith("s") else f"{first.rstrip(',')}s {rest}".rstrip()

    @property
    def place(self) -> str:
        """ "64 KiB records of 16 MiB (rewrite) on 2 hosts"."""
        several = f" on {self.hosts_words}" if (self.hosts or 1) > 1 else ""
        if self.record_size_bytes is None or self.file_size_bytes is None:
            return f"{self.folder_files} files ({self.work}){several}"
        size = format_size(self.file_size_bytes)
        return f"{format_size(self.record_size_bytes)} records of {size} ({self.work}){several}"

    @property
    def noun(self) -> str:
        """ "rewrite of 64 KiB records of 16 MiB on 2 hosts"."""
        return f"{self.work} of {self.place.replace(f' ({self.work})', '')}"

    @property
    def share_of_reads(self) -> int:
        """As the test mixes them; asking for files reads their inodes."""
        test = self.of_test
        if isinstance(test, FolderTest):
            return 100 if test.phase == "stat" else 0
        return test.read_percent

    @property
    def can_begin_again(self) -> bool:
        """Files are written over; those of a folder are there once, or gone."""
        test = self.of_test
        return isinstance(test, FileTest) or test.phase == "stat"

    @property
    def metric(self) -> str:
        """What the test's program prints: bytes a second, seeks a second, files a second."""
        test = self.of_test
        if isinstance(test, FileTest):
            return "iops" if test.is_random else "bandwidth"
        return "files"


FACTORS = SharingFactors
