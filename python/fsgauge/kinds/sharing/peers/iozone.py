"""IOzone: its command for cells of sharing, and the table that it prints.

Source: iozone.c of IOzone 3.394 to 3.5. It rates whole passes over a file, in KiB a second. A read
is preceded by one read of the first record, which is not in the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fsgauge.errors import InputError
from fsgauge.kinds.sharing.peers.cells import (
    Sizes,
    TestsProgram,
    cells_by_sizes,
    test_of,
    tested,
    unreadable,
)
from fsgauge.record.records import Cell
from fsgauge.units import format_size
from fsgauge.workload.peer import PeerNumbers, PeerRun

COLUMNS = (
    "write", "rewrite", "read", "reread", "random read", "random write", "backwards read",
    "record rewrite", "strided read", "fwrite", "frewrite", "fread", "freread",
)  # fmt: skip
FILE = "fsgauge-iozone.tmp"
LARGEST_KIB_PER_SECOND = 1 << 40
_KIB = 1024
_ROW = re.compile(r"\s*\d+(\s+\d+){2,}\s*")

Reader = Callable[[str], Mapping[str, PeerNumbers | None]]


class Row(NamedTuple):
    """One number of the table: KiB of the file and of the record, and KiB a second."""

    test: str
    file_kib: int
    record_kib: int
    rate: int


class Iozone(TestsProgram):
    name = "iozone"
    install = "build it, and name it: FSGAUGE_IOZONE=/path/to/iozone"
    variable: str | None = "FSGAUGE_IOZONE"
    version_words = r"Version \$Revision: (\S+)"

    def version_command(self, program: str) -> list[str]:
        return [program, "-v"]

    def runs(
        self,
        program: str,
        folder: str,
        workload: object,
        cells: Sequence[Cell],
        *,
        as_root: bool = False,  # noqa: ARG002 - it is the same for every user
    ) -> list[PeerRun]:
        runs, of_study = [], tested(workload)
        for sizes, own in cells_by_sizes(cells, "iozone"):
            assert sizes is not None  # noqa: S101 - its tests are of files
            kib = _in_kib(sizes)
            ends = ["-c"] * of_study.include_close + ["-e"] * of_study.include_flush
            words = ["-s", f"{kib[0]}k", "-r", f"{kib[1]}k", "-i", "0", "-i", "1", *ends]
            command = (program, *words, "-f", f"{folder}/{FILE}")
            runs.append(PeerRun(own, command, _reader(kib, own), (FILE,)))
        return runs

    def rows(self, output: str) -> list[Row]:
        """Every number that it printed, for whoever has only that."""
        return list(read_table(output))


def _reader(kib: tuple[int, int], cells: tuple[Cell, ...]) -> Reader:
    def read(output: str) -> Mapping[str, PeerNumbers | None]:
        try:
            rates = {row[:3]: row.rate for row in read_table(output)}
        except ValueError as error:
            raise unreadable("iozone", str(error), output) from error
        found: dict[str, PeerNumbers | None] = {}
        for cell in cells:
            rate = rates.get((test_of(cell).name, *kib))
            if not rate:
                what = f"no {test_of(cell).name} of {kib[0]} KiB in records of {kib[1]} KiB"
                raise unreadable("iozone", what, output)
            found[cell.id] = PeerNumbers(rate * _KIB, "bytes/s")
        return found

    return read


def _in_kib(sizes: Sizes) -> tuple[int, int]:
    if (
        sizes.file_bytes % _KIB
        or sizes.record_bytes % _KIB
        or sizes.file_bytes % sizes.record_bytes
    ):
        raise InputError(
            f"IOzone has no file of {format_size(sizes.file_bytes)} in records of"
            f" {format_size(sizes.record_bytes)}",
            cause="it takes whole KiB, and files of whole records",
            next='--set workload.file_sizes=["64 MiB"] --set workload.record_sizes=["64 KiB"]',
        )
    return sizes.file_bytes // _KIB, sizes.record_bytes // _KIB


def read_table(output: str) -> Iterator[Row]:
    """Each number, placed by the column above it; ValueError where the table is not whole."""
    if "iozone test complete." not in output:
        raise ValueError("it did not complete")
    ends: list[int] = []
    for line in output.splitlines():
        if line.split()[:2] in (["kB", "reclen"], ["KB", "reclen"]):
            ends = [found.end() for found in re.finditer(r"\S+", line)]
        elif ends and _ROW.fullmatch(line):
            values = [(int(found[0]), found.end()) for found in re.finditer(r"\d+", line)]
            (file_kib, _), (record_kib, _), *rates = values
            for rate, end in rates:
                column = min(range(2, len(ends)), key=lambda place: abs(ends[place] - end)) - 2
                if column >= len(COLUMNS):
                    raise ValueError(f"a row of {len(values)} columns")
                if rate >= LARGEST_KIB_PER_SECOND:
                    raise ValueError("a rate that cannot be")
                yield Row(COLUMNS[column], file_kib, record_kib, rate)
