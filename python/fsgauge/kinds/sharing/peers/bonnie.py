"""Bonnie++ 2.00: its command for cells of sharing, and the line of CSV that it prints at the end.

Source: bonnie++.cpp and bon_time.cpp of bonnie++ 2.00a. What it calls "putc" and "getc" there are
calls of write(2) and read(2) with one byte. It always calls fsync and close within the time, and
it prints "+++++" in place of a rate where a test took less than half a second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from fsgauge.errors import InputError
from fsgauge.kinds.sharing.method import SEEK_PROCESSES
from fsgauge.kinds.sharing.peers.cells import (
    ENGINE_FOLDER,
    Sizes,
    Tested,
    TestsProgram,
    cells_by_sizes,
    test_of,
    tested,
    unreadable,
)
from fsgauge.record.records import Cell
from fsgauge.units import format_size
from fsgauge.workload.peer import PeerNumbers, PeerRun, RateUnit

FORMAT = "1.98"
FIELDS = 50
"""Five of the run, four of the file, twelve of it, five of the folder, twelve, twelve latencies."""
PLACES: dict[str, tuple[int, int, RateUnit]] = {
    "put_byte": (9, 1024, "bytes/s"),
    "put_block": (11, 1024, "bytes/s"),
    "rewrite_in_place": (13, 1024, "bytes/s"),
    "get_byte": (15, 1024, "bytes/s"),
    "get_block": (17, 1024, "bytes/s"),
    "seeks": (19, 1, "operations/s"),
    "create_sequential": (26, 1, "operations/s"),
    "stat_sequential": (28, 1, "operations/s"),
    "delete_sequential": (30, 1, "operations/s"),
    "create_random": (32, 1, "operations/s"),
    "stat_random": (34, 1, "operations/s"),
    "delete_random": (36, 1, "operations/s"),
}
"""Where the rate of a test stands, CPU after it, and what one of its units is."""
TOO_FAST = re.compile(r"\++")
_MIB = 1 << 20
_FILES_UNIT = 1024


class Bonnie(TestsProgram):
    name = "bonnie++"
    install = "apt-get install bonnie++"
    variable: str | None = None
    version_words = r"Version: (\S+)"

    def version_command(self, program: str) -> list[str]:
        """An option that it does not know: it prints how it is used, and its version."""
        return [program, "-h"]

    def runs(
        self,
        program: str,
        folder: str,
        workload: object,
        cells: Sequence[Cell],
        *,
        as_root: bool = False,
    ) -> list[PeerRun]:
        found = list(cells_by_sizes(cells, "bonnie++"))
        of_study = tested(workload)
        if found and not (of_study.include_close and of_study.include_flush):
            raise InputError(
                "Bonnie++ always counts fsync and close",
                cause="without them the engine would do less",
                next="--set workload.include_close=true --set workload.include_flush=true",
            )
        user = ["-u", "root"] if as_root else []
        return [self._run([program, *user], folder, of_study, *each) for each in found]

    def _run(
        self,
        program: Sequence[str],
        folder: str,
        workload: Tested,
        sizes: Sizes | None,
        cells: tuple[Cell, ...],
    ) -> PeerRun:
        work = ["-s", "0", "-n", str(_thousands(cells))] if sizes is None else [
            "-s", f"{_file(sizes)}:{workload.seeks}:{SEEK_PROCESSES}",
            f"-f{sizes.file_bytes // _MIB}" if _has_bytes(cells) else "-f",
            "-n", "0",
        ]  # fmt: skip
        return PeerRun(
            cells=cells,
            command=(*program, "-d", folder, *work, "-r", "0", "-q", "-m", "fsgauge"),
            read=lambda output: {
                cell.id: numbers
                for cell in cells
                for numbers in [read_csv(output)[test_of(cell).name]]
            },
            leaves=("Bonnie.*", ENGINE_FOLDER),
        )

    def rates(self, line: str) -> Mapping[str, PeerNumbers | None]:
        """Every test of one line of its CSV, for whoever has only that line."""
        return read_csv(line)


def _file(sizes: Sizes) -> str:
    """Size and chunk, as option -s takes them; InputError where it takes no such number."""
    record = sizes.record_bytes
    if sizes.file_bytes % _MIB or record & (record - 1) or not 256 <= record <= _MIB:
        raise InputError(
            f"Bonnie++ has no file of {format_size(sizes.file_bytes)} in chunks of"
            f" {format_size(record)}",
            cause="it takes whole MiB, and chunks of 256 bytes to 1 MiB that are powers of two",
            next='--set workload.file_sizes=["64 MiB"] --set workload.chunk_sizes=["8 KiB"]',
        )
    return f"{sizes.file_bytes // _MIB}:{record}"


def _thousands(cells: Sequence[Cell]) -> int:
    (files, *_) = {cell.factors.get("folder_files") for cell in cells}
    if not isinstance(files, int) or files % _FILES_UNIT:
        raise InputError(
            f"Bonnie++ has no folder of {files} files",
            cause=f"it takes multiples of {_FILES_UNIT}",
            next="--set workload.folder_files=16384",
        )
    return files // _FILES_UNIT


def _has_bytes(cells: Sequence[Cell]) -> bool:
    return any(test_of(cell).name in ("put_byte", "get_byte") for cell in cells)


def read_csv(output: str) -> Mapping[str, PeerNumbers | None]:
    """Every test's rate and share of a CPU; None where there is no number. RigError otherwise."""
    rows = [line.split(",") for line in output.splitlines() if line.startswith(f"{FORMAT},")]
    if len(rows) != 1:
        raise unreadable("bonnie++", f"{len(rows)} lines of format {FORMAT} instead of one", output)
    (fields,) = rows
    if len(fields) != FIELDS:
        what = f"a line of {len(fields)} fields instead of {FIELDS}"
        raise unreadable("bonnie++", what, output)
    numbers: dict[str, PeerNumbers | None] = {}
    for test, (place, scale, unit) in PLACES.items():
        rate, share = _number(fields[place], output), _number(fields[place + 1], output)
        if rate is None or rate == 0:
            numbers[test] = None
        else:
            busy = None if share is None else share / 100
            numbers[test] = PeerNumbers(rate * scale, unit, busy)
    return numbers


def _number(text: str, output: str) -> float | None:
    """A number that is not negative; None for nothing and for pluses."""
    if not text or TOO_FAST.fullmatch(text):
        return None
    try:
        number = float(text)
    except ValueError:
        raise unreadable("bonnie++", f"{text[:40]!r} is no number", output) from None
    if not math.isfinite(number) or number < 0:
        raise unreadable("bonnie++", f"{text[:40]!r} is no rate", output)
    return number
