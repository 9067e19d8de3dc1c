"""The cells of sharing: tests in the order of their programs, file by file, record by record."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.keys import SharingWorkload
from fsgauge.kinds.sharing.tests import IN_RECORDS, TESTS, FileTest
from fsgauge.record.records import Cell
from fsgauge.units import exact_size


def cells_of(workload: SharingWorkload) -> list[Cell]:
    """A test that needs what the one before has left comes after it."""
    return [cell for hosts in _hosts(workload) for cell in _of_hosts(workload, hosts)]


def default_primary(workload: SharingWorkload) -> list[str]:
    """The largest file, and the largest record or chunk, on the fewest hosts."""
    (hosts, *_) = _hosts(workload)
    largest = workload.largest_file_bytes
    return [
        cell.id
        for cell in _of_hosts(workload, hosts)
        if (factors := SharingFactors.of(cell)).file_size_bytes in (largest, None)
        and factors.record_size_bytes in (workload.sizes_of(factors.test)[-1], None)
    ]


def _hosts(workload: SharingWorkload) -> list[int | None]:
    return [*sorted(workload.hosts)] if workload.hosts else [None]


def _of_hosts(workload: SharingWorkload, hosts: int | None) -> Iterator[Cell]:
    files = [name for name in workload.in_order if isinstance(TESTS[name], FileTest)]
    programs = [[name for name in files if (name in IN_RECORDS) is own] for own in (True, False)]
    for size_bytes in sorted(workload.file_sizes):
        for tests in filter(None, programs):
            for call_bytes in sorted({size for name in tests for size in workload.sizes_of(name)}):
                for name in tests:
                    if call_bytes in workload.sizes_of(name):
                        yield _file_cell(workload, name, size_bytes, call_bytes, hosts)
    for name in workload.in_order:
        if name not in files:
            factors = SharingFactors(test=name, folder_files=workload.folder_files, hosts=hosts)
            yield _cell(factors, [name], f"{TESTS[name].title}, {workload.folder_files} files")


def _file_cell(
    workload: SharingWorkload, name: str, size_bytes: int, record_bytes: int, hosts: int | None
) -> Cell:
    record, size = exact_size(record_bytes), exact_size(size_bytes)
    test = TESTS[name]
    in_memory = (
        not workload.include_flush and isinstance(test, FileTest) and test.read_percent < 100
    )
    factors = SharingFactors(
        test=name,
        record_size_bytes=record_bytes,
        file_size_bytes=size_bytes,
        is_cache_test=in_memory,
        hosts=hosts,
    )
    words = f"{test.title}, {record} records of {size}"
    return _cell(factors, [name, record, size], words + (" (cache test)" if in_memory else ""))


def _cell(factors: SharingFactors, parts: list[str], name: str) -> Cell:
    hosts = factors.hosts_words
    identity = "-".join([*parts, *([f"hosts{factors.hosts}"] if hosts else [])])
    return factors.cell(id=identity.replace(" ", ""), name=name + (f", {hosts}" if hosts else ""))
