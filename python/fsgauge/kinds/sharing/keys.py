"""The workload `sharing`: the tests of IOzone and Bonnie++, one cell each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.tests import BYTE_BY_BYTE, IN_RECORDS, TESTS, FileTest, FolderTest
from fsgauge.record.records import Cell
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.sweep import SCAN, BlockSize, Hosts, Inapplicable, host_counts, require_few
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
LARGEST_WITH_ALL_RECORDS = 32 << 20
LEAST_OF_LARGE = 64 << 10
"""Of IOzone with -a: files above that have no records below this."""


class SharingWorkload(WorkloadKeys):
    """Every test at every file size: IOzone's at every record size, the others at every chunk."""

    why_files: ClassVar[str] = "its tests write files"

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
        description="Bytes of one call of IOzone's tests: write, rewrite, read, reread. A file has"
        " those that it is as large as.",
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
    chunk_file_sizes: Distinct[FileSize] | None = Field(
        None,
        description="Sizes of the file of the tests that are not IOzone's. Default: file_sizes.",
    )
    skip_small_records: bool = Field(
        False,
        description="Leave out records below 64 KiB of files above 32 MiB, as IOzone does with -a.",
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
        return [cell for hosts in host_counts(self.hosts) for cell in self._cells_on(hosts)]

    def default_primary(self) -> list[str]:
        return [
            cell.id
            for cell in self._cells_on(host_counts(self.hosts)[-1])
            if self._is_largest(SharingFactors.of(cell))
        ]

    def _is_largest(self, factors: SharingFactors) -> bool:
        size_bytes = factors.file_size_bytes
        if size_bytes is None:
            return True
        is_last = size_bytes == max(self.files_of(factors.test))
        return is_last and factors.record_size_bytes == self.sizes_of(factors.test, size_bytes)[-1]

    def _cells_on(self, hosts: int | None) -> Iterator[Cell]:
        files = self._file_tests
        programs = [
            [name for name in files if (name in IN_RECORDS) is own] for own in (True, False)
        ]
        for size_bytes in self.all_files:
            for tests in programs:
                sizes = {
                    name: self.sizes_of(name, size_bytes)
                    for name in tests
                    if size_bytes in self.files_of(name)
                }
                for call_bytes in sorted({size for each in sizes.values() for size in each}):
                    for name, own in sizes.items():
                        if call_bytes in own:
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
        self._require_records_used()
        for key, files, largest in (
            ("record_sizes", "file_sizes", max(self.file_sizes)),
            ("chunk_sizes", self._chunk_files_key, min(self._chunk_files)),
        ):
            for at, size_bytes in enumerate(getattr(self, key)):
                if self._tests_in(key) and size_bytes > largest:
                    raise conflict(
                        f"a {key.partition('_')[0]} is larger than a file",
                        [(key, at), files],
                        next=f"smaller {key}, or larger {files}",
                    )
        self._require_files_in_folder()
        sizes = [key for key in ("record_sizes", "chunk_sizes") if self._tests_in(key)]
        sweep = ["tests", *sizes, "file_sizes", *(["hosts"] if self.hosts else [])]
        of_files = sum(
            len(self.sizes_of(name, size))
            for name in self._file_tests
            for size in self.files_of(name)
        )
        of_folder = len(self.tests) - len(self._file_tests)
        require_few((of_files + of_folder) * len(self.hosts or [1]), sweep)
        self._require_bytes_there()

    def _require_files_in_folder(self) -> None:
        """Each test of a folder finds what it works on, also when all begin again on more hosts."""
        tests = [name for name in self.in_order if isinstance(TESTS[name], FolderTest)]
        maker = ""
        for name in tests * len(self.hosts or [1]):
            action, _, order = name.partition("_")
            if action == "create" and maker:
                raise conflict(
                    f"the test {name} would find the files of {maker}",
                    ["tests"],
                    next=f'add "delete_{maker.partition("_")[2]}" to tests',
                )
            if action != "create" and not maker:
                raise conflict(
                    f"the test {name} needs files, and no test before it makes them",
                    ["tests"],
                    next=f'add "create_{order}" to tests: every turn makes its own files',
                )
            maker = {"create": name, "delete": ""}.get(action, maker)

    def inapplicable(self) -> Inapplicable:
        found: Inapplicable = {}
        if not any(isinstance(TESTS[name], FolderTest) for name in self.tests):
            found["folder_files"] = ("no test is of a folder", "tests")
        if "seeks" not in self.tests:
            found["seeks"] = ("the test seeks is not among them", "tests")
        if not self._tests_in("record_sizes"):
            found["record_sizes"] = ("no test is IOzone's; chunk_sizes is that of others", "tests")
            found["skip_small_records"] = ("no test is IOzone's", "tests")
            if self.chunk_file_sizes is not None:
                found["file_sizes"] = ("chunk_file_sizes are those of all tests", "tests")
        if not self._tests_in("chunk_sizes"):
            reason = "tests on a file are all IOzone's; {} is theirs"
            found["chunk_sizes"] = (reason.format("record_sizes"), "tests")
            found["chunk_file_sizes"] = (reason.format("file_sizes"), "tests")
        return found

    @property
    def in_order(self) -> Sequence[str]:
        return [name for name in TESTS if name in self.tests]

    @property
    def all_files(self) -> Sequence[int]:
        found = {size for name in self._file_tests for size in self.files_of(name)}
        return sorted(found or self.file_sizes)

    @property
    def largest_file_bytes(self) -> int:
        """The file that the others are parts of."""
        return self.all_files[-1]

    def files_of(self, test: str) -> Sequence[int]:
        return self.file_sizes if test in IN_RECORDS else self._chunk_files

    def sizes_of(self, test: str, file_bytes: int) -> Sequence[int]:
        """Of a test on a file of that size, ascending: a cell for each. A test with a call for each
        byte has no chunk, and one cell."""
        if test in IN_RECORDS:
            small = self.skip_small_records and file_bytes > LARGEST_WITH_ALL_RECORDS
            least = LEAST_OF_LARGE if small else 0
            return [size for size in sorted(self.record_sizes) if least <= size <= file_bytes]
        chunks = sorted(self.chunk_sizes)
        return chunks[:1] if test in BYTE_BY_BYTE else chunks

    @property
    def _file_tests(self) -> Sequence[str]:
        return [name for name in self.in_order if isinstance(TESTS[name], FileTest)]

    @property
    def _chunk_files(self) -> Sequence[int]:
        return self.chunk_file_sizes or self.file_sizes

    @property
    def _chunk_files_key(self) -> str:
        return "chunk_file_sizes" if self.chunk_file_sizes else "file_sizes"

    def _require_records_used(self) -> None:
        """Records that no file has would be in no cell."""
        used = {size for file in self.file_sizes for size in self.sizes_of("write", file)}
        are_left_out = self.skip_small_records and self._tests_in("record_sizes")
        for at, size_bytes in enumerate(self.record_sizes if are_left_out else ()):
            if size_bytes not in used and size_bytes <= max(self.file_sizes):
                raise conflict(
                    f"no file has records of {exact_size(size_bytes)}",
                    [("record_sizes", at), "skip_small_records"],
                    next="skip_small_records = false, or larger records",
                )

    def _require_bytes_there(self) -> None:
        """What does not write a new file finds what was left, which is whole records."""
        there, maker = self.largest_file_bytes, ""
        for factors in map(SharingFactors.of, self.cells()):
            test = factors.of_test
            if not isinstance(test, FileTest):
                continue
            if test.is_new_file:
                there, maker = factors.whole_bytes, test.name
            elif factors.whole_bytes > there:
                raise conflict(
                    f"the test {test.name} needs a file of {exact_size(factors.whole_bytes)}, and"
                    f" {maker} leaves one of {exact_size(there)}",
                    ["tests", self._chunk_files_key],
                    next="the same file_sizes for all tests, in whole records and chunks",
                )

    def _tests_in(self, key: str) -> bool:
        return any((name in IN_RECORDS) == (key == "record_sizes") for name in self._file_tests)


def _cell(factors: SharingFactors, words: str) -> Cell:
    sizes = (factors.record_size_bytes, factors.file_size_bytes)
    parts = [factors.test, *(exact_size(each).replace(" ", "") for each in sizes if each)]
    if factors.hosts is not None:
        parts.append(f"hosts{factors.hosts}")
        words += f", {factors.hosts_words}"
    return factors.cell(id="-".join(parts), name=words)


KEYS = SharingWorkload
