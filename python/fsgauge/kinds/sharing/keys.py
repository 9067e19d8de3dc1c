"""The workload `sharing`: the tests of IOzone and Bonnie++, one cell each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.tests import BYTE_BY_BYTE, IN_RECORDS, TESTS, FileTest, FolderTest
from fsgauge.record.records import Cell
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.sweep import SCAN, BlockSize, Hosts, Inapplicable, require_few_cells
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, SizeBytes, exact_size

TestName = Literal[
    "write",
    "rewrite",
    "read",
    "reread",
    "putc",
    "getc",
    "put_byte",
    "put_block",
    "rewrite_in_place",
    "get_byte",
    "get_block",
    "seeks",
    "create_sequential",
    "stat_sequential",
    "delete_sequential",
    "create_random",
    "stat_random",
    "delete_random",
]
"""All of TESTS, in its order; the reference lists them."""
FileSize = Annotated[SizeBytes, Field(ge=4 << 10, le=1 << 44)]


class SharingWorkload(WorkloadKeys):
    """Every test at every file size: IOzone's at every record size, the others at every chunk."""

    kind: Literal["sharing"] = Field(
        "sharing",
        description="The load: tests as IOzone and Bonnie++ have them, one process on one file.",
    )
    tests: Distinct[TestName] = Field(
        ["write", "rewrite", "read", "reread"],
        description="Which tests, always carried out in this order: IOzone's write, rewrite, read,"
        " reread; putc, getc (by character, through a buffer); Bonnie++'s put_byte, put_block,"
        " rewrite_in_place, get_byte, get_block, seeks; create_, stat_, delete_ with sequential and"
        " random. A test that does not write a new file finds what the one before has left.",
    )
    record_sizes: Distinct[BlockSize] = Field(
        [64 << 10],
        description="Bytes of one call of IOzone's tests: write, rewrite, read, reread.",
    )
    chunk_sizes: Distinct[BlockSize] = Field(
        [64 << 10],
        description="Bytes of one call of the other tests on a file, and of the buffer of putc and"
        " getc: Bonnie++'s chunk, which by itself takes 8 KiB. put_byte and get_byte have none.",
    )
    file_sizes: Distinct[FileSize] = Field(
        [16 << 20],
        description="Sizes of the file. Files that are smaller than twice the memory of a client"
        " and its server together say what caches do; see include_flush.",
    )
    include_close: bool = Field(
        True, description="Count the time of close(2), as IOzone does with -c."
    )
    include_flush: bool = Field(
        True,
        description="Count the time of fsync(2) before it, as Bonnie++ does and IOzone with -e."
        " Without it a write ends in memory, and its cell is named a cache test.",
    )
    folder_files: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        1000, description="How many empty files the tests of create, stat and delete work on."
    )
    seeks: Annotated[int, Field(ge=3, le=10_000_000)] = Field(
        8000, description="How many seeks the test seeks makes, by three processes together."
    )
    hosts: Distinct[Hosts] | None = Field(
        None,
        description="With several nodes or --rig fleet: how many take part, a cell for each number."
        " Each has a file of its own. Default: all of them, in every cell.",
    )
    time_limit: Annotated[DurationNs, Field(ge=1_000_000_000)] = Field(
        600_000_000_000, description="A test that takes longer is ended, and says so."
    )
    scan: bool = Field(False, description=SCAN)

    def cells(self) -> list[Cell]:
        """Tests in the order of their programs, file by file, record by record: a test that needs
        what the one before has left comes after it."""
        return [cell for hosts in self._host_counts() for cell in self._cells_on(hosts)]

    def default_primary(self) -> list[str]:
        """The largest file, and the largest record or chunk, on the fewest hosts."""
        return [
            cell.id
            for cell in self._cells_on(self._host_counts()[0])
            if (factors := SharingFactors.of(cell)).file_size_bytes in (max(self.file_sizes), None)
            and factors.record_size_bytes in (self.sizes_of(factors.test)[-1], None)
        ]

    def _host_counts(self) -> list[int | None]:
        return [*sorted(self.hosts)] if self.hosts else [None]

    def _cells_on(self, hosts: int | None) -> Iterator[Cell]:
        files = [name for name in self.in_order if isinstance(TESTS[name], FileTest)]
        programs = [
            [name for name in files if (name in IN_RECORDS) is own] for own in (True, False)
        ]
        for size_bytes in sorted(self.file_sizes):
            for tests in filter(None, programs):
                for call_bytes in sorted({size for name in tests for size in self.sizes_of(name)}):
                    for name in tests:
                        if call_bytes in self.sizes_of(name):
                            yield self._file_cell(name, size_bytes, call_bytes, hosts)
        for name in self.in_order:
            if name not in files:
                factors = SharingFactors(test=name, folder_files=self.folder_files, hosts=hosts)
                yield _cell(factors, f"{TESTS[name].title}, {self.folder_files} files")

    def _file_cell(self, name: str, size_bytes: int, record_bytes: int, hosts: int | None) -> Cell:
        test = TESTS[name]
        writes = isinstance(test, FileTest) and test.read_percent < 100
        factors = SharingFactors(
            test=name,
            record_size_bytes=record_bytes,
            file_size_bytes=size_bytes,
            is_cache_test=writes and not self.include_flush,
            hosts=hosts,
        )
        words = f"{test.title}, {exact_size(record_bytes)} records of {exact_size(size_bytes)}"
        return _cell(factors, words + (" (cache test)" if factors.is_cache_test else ""))

    def keys_agree(self) -> None:
        """Raise a conflict where keys contradict one another."""
        for key in ("record_sizes", "chunk_sizes"):
            for at, size_bytes in enumerate(getattr(self, key)):
                if self._tests_in(key) and size_bytes > min(self.file_sizes):
                    raise conflict(
                        f"a {key.partition('_')[0]} is larger than a file",
                        [(key, at), "file_sizes"],
                        next=f"smaller {key}, or larger file_sizes",
                    )
        sizes = [key for key in ("record_sizes", "chunk_sizes") if self._tests_in(key)]
        sweep = ["tests", *sizes, "file_sizes", *(["hosts"] if self.hosts else [])]
        require_few_cells(self, sweep)

    def inapplicable(self) -> Inapplicable:
        """Keys without effect, and why."""
        found: Inapplicable = {}
        if not any(isinstance(TESTS[name], FolderTest) for name in self.tests):
            found["folder_files"] = ("no test is of a folder", "tests")
        if "seeks" not in self.tests:
            found["seeks"] = ("the test seeks is not among them", "tests")
        if not self._tests_in("record_sizes"):
            found["record_sizes"] = ("no test is IOzone's; chunk_sizes is that of others", "tests")
        if not self._tests_in("chunk_sizes"):
            found["chunk_sizes"] = (
                "tests on a file are all IOzone's; record_sizes is theirs",
                "tests",
            )
        return found

    def needs_files(self) -> tuple[str, str, str]:
        """Tests make, write and remove files."""
        return ("kind", "its tests write files", "overhead compares with the bare device")

    @property
    def in_order(self) -> Sequence[str]:
        """The tests in the order in which programs carry them out."""
        return [name for name in TESTS if name in self.tests]

    @property
    def largest_file_bytes(self) -> int:
        """The file that the others are parts of."""
        return max(self.file_sizes)

    def sizes_of(self, test: str) -> Sequence[int]:
        """Of a test on a file, ascending: a cell for each. A test with a call for each byte has no
        chunk, and one cell."""
        if test in IN_RECORDS:
            return sorted(self.record_sizes)
        chunks = sorted(self.chunk_sizes)
        return chunks[:1] if test in BYTE_BY_BYTE else chunks

    def _tests_in(self, key: str) -> bool:
        """Whether a test on a file takes its sizes from that key."""
        files = [name for name in self.tests if isinstance(TESTS[name], FileTest)]
        return any((name in IN_RECORDS) == (key == "record_sizes") for name in files)


def _cell(factors: SharingFactors, words: str) -> Cell:
    sizes = (factors.record_size_bytes, factors.file_size_bytes)
    parts = [factors.test, *(exact_size(each).replace(" ", "") for each in sizes if each)]
    if factors.hosts is not None:
        parts.append(f"hosts{factors.hosts}")
        words += f", {factors.hosts_words}"
    return factors.cell(id="-".join(parts), name=words)


KEYS = SharingWorkload
