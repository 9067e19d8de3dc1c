"""IOzone's table, and the reports for a spreadsheet (-R): rates of whole passes over a file.

A read rate of IOzone's is of its own clock, in kB/s; other units (-O) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from fsgauge.importing.measured import Run, Test, by_rate, unreadable

TOOL = "IOzone"
COLUMNS = (
    "write", "rewrite", "read", "reread", "random read", "random write", "backwards read",
    "record rewrite", "strided read", "fwrite", "frewrite", "fread", "freread",
)  # fmt: skip
WRITES = {"write", "rewrite", "random write", "record rewrite", "fwrite", "frewrite"}
_BEGINS = {"iozone": "IOzone", "Iozone": "IOzone"}
_NUMBERS = re.compile(r"\s*\d+(\s+\d+){2,}\s*")
_KIB = 1024
_TIME = "%a %b %d %H:%M:%S %Y"


def is_iozone(text: str) -> bool:
    return "Iozone: Performance Test of File I/O" in text


def read_iozone(text: str, path: Path, sha256: str) -> list[Run]:
    """Each time that IOzone ran, if the file has several."""
    parts = text.split("Iozone: Performance Test of File I/O")[1:]
    return [_run(part, path, sha256) for part in parts]


def _run(text: str, path: Path, sha256: str) -> Run:
    if "iozone test complete." not in text:
        unreadable(path, TOOL, "it did not complete")
    if not re.search(r"Output is in k?[bB]?K?[Bb]ytes/sec|Output is in kBytes/sec", text):
        unreadable(path, TOOL, "its rates are not in kBytes/sec (options -N and -O)")
    version = re.search(r"Version \$Revision: (\S+)", text)
    began = re.search(r"Run began: (.+)", text)
    called = re.search(r"Command line used: (.+)", text)
    tests = list(_tests(text, path))
    if not tests:
        unreadable(path, TOOL, "it has no table of rates; -t prints another one")
    return Run(
        tool=f"IOzone {version[1] if version else ''}".strip(),
        path=path,
        sha256=sha256,
        tests=tuple(tests),
        started_unix_ns=_unix_ns(began[1]) if began else None,
        command=called[1].strip() if called else "",
    )


def _unix_ns(text: str) -> int | None:
    try:
        return int(datetime.strptime(text.strip(), _TIME).astimezone().timestamp()) * 10**9
    except ValueError:
        return None


def _tests(text: str, path: Path) -> Iterator[Test]:
    """A test for each number of the table, each placed by the column above it."""
    ends: list[int] = []
    for line in text.splitlines():
        if line.split()[:2] in (["kB", "reclen"], ["KB", "reclen"]):
            ends = [found.end() for found in re.finditer(r"\S+", line)]
        elif ends and _NUMBERS.fullmatch(line):
            values = [(int(found[0]), found.end()) for found in re.finditer(r"\d+", line)]
            (file_kib, _), (record_kib, _), *rates = values
            for rate, end in rates:
                column = min(range(2, len(ends)), key=lambda place: abs(ends[place] - end))
                if column - 2 >= len(COLUMNS):
                    unreadable(path, TOOL, f"a row of {len(values)} columns")
                name = COLUMNS[column - 2]
                yield by_rate(
                    name,
                    writes=name in WRITES,
                    bytes_per_second=rate * _KIB,
                    block_bytes=record_kib * _KIB,
                    file_size_bytes=file_kib * _KIB,
                )
