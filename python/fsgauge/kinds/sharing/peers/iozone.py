"""IOzone: its command for cells of sharing, and the tables that it prints for a spreadsheet.

Source: iozone.c of IOzone 3.394 to 3.5. It rates whole passes over a file, in KiB a second. A read
is preceded by one read of the first record, which is not in the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

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

REPORTS = {
    "Writer report": "write",
    "Re-writer report": "rewrite",
    "Reader report": "read",
    "Re-Reader report": "reread",
    "Re-reader report": "reread",
}
"""What it calls its tests; the last one by version."""
FILE = "fsgauge-iozone.tmp"
LARGEST_KIB_PER_SECOND = 1 << 40
_KIB = 1024
_COLUMNS = re.compile(r'(\s*"\d+")+\s*')
_ROW = re.compile(r'"(\d+)"((?:\s+\d+)+)\s*')

Reader = Callable[[str], Mapping[str, PeerNumbers | None]]
Rates = dict[str, dict[tuple[int, int], float]]
"""By test: KiB a second, by KiB of the file and of the record."""


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
            command = (program, "-R", *words, "-f", f"{folder}/{FILE}")
            runs.append(PeerRun(own, command, _reader(kib, own), (FILE,)))
        return runs


def _reader(kib: tuple[int, int], cells: tuple[Cell, ...]) -> Reader:
    def read(output: str) -> Mapping[str, PeerNumbers | None]:
        rates = read_reports(output)
        found: dict[str, PeerNumbers | None] = {}
        for cell in cells:
            rate = rates.get(test_of(cell).name, {}).get(kib)
            if rate is None:
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


def read_reports(output: str) -> Rates:
    """The tables of all four tests; RigError where they are not whole."""
    if "iozone test complete." not in output:
        raise unreadable("iozone", "it did not complete", output)
    rates: Rates = {}
    test: str | None = None
    columns: list[int] = []
    for line in output.splitlines():
        title = line.strip().strip('"')
        if title.endswith(" report"):
            test, columns = REPORTS.get(title), []
        elif test is not None and _COLUMNS.fullmatch(line):
            columns = [int(number) for number in re.findall(r"\d+", line)]
        elif test is not None and (row := _ROW.fullmatch(line.strip())):
            values = [int(number) for number in row[2].split()]
            _add(rates.setdefault(test, {}), int(row[1]), columns, values, output)
    missing = set(REPORTS.values()) - set(rates)
    if missing:
        raise unreadable("iozone", f"no report of {', '.join(sorted(missing))}", output)
    return rates


def _add(
    table: dict[tuple[int, int], float],
    file_kib: int,
    columns: list[int],
    values: list[int],
    output: str,
) -> None:
    """One row. In the automatic mode 0 stands where a file has no such records."""
    if len(values) > len(columns):
        raise unreadable("iozone", f"a row of {len(values)} in {len(columns)} columns", output)
    if any(value >= LARGEST_KIB_PER_SECOND for value in values):
        raise unreadable("iozone", "a rate that cannot be", output)
    pairs = zip(columns, values, strict=False)
    table |= {(file_kib, record): value for record, value in pairs if value}
