"""How much is read of what somebody else may have made, and how large a study may be.

Each number has its reason. What is larger is refused before any work, with the number that is
allowed; what fsgauge writes itself is smaller. A list that is empty takes two bytes of a file and
64 in memory, so a bound of bytes is not enough: values and depth of a text are counted before
anything is made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError, quoted

LARGEST_BYTES = 256 << 20
"""Of any one file: a run of many hosts with its intervals has some tens of MiB."""
MOST_BYTES_OF_FOLDER = 8 << 30
"""Of all files of one results folder: read and summed in less than a minute."""
MOST_NAMES = 100_000
"""In one folder, which has a name for each turn."""
MOST_FILES = 1_000_000
"""In a results folder, with all that is below: ten for each run."""
MOST_RUNS = 100_000
"""In a study: with a second for each, more than a day. A plan of so many has 20 MiB."""
MOST_POINTS = 500
"""In a sweep: each is a study and a process of its own."""
MOST_HOSTS = 10_000
"""In a fleet. Each has an open connection and its own part of every record."""
MOST_ROWS = 20_000_000
"""In one Parquet file: while they are sorted out they take 1.5 GiB."""
MOST_ROWS_TOGETHER = 60_000_000
"""In all that a command reads: each keeps 12 to 40 bytes."""
MOST_ROW_BYTES = 2 << 30
"""Of one Parquet file, unpacked, as it says itself: a hundred bytes a row."""
MOST_FOOTER_BYTES = 4 << 20
"""Of one Parquet file: 150 bytes for each column of a hundred thousand rows."""
DATABASE_MEMORY = "2 GiB"
"""What DuckDB may take to read or to answer, whatever a file says of itself. With a whole folder's
records beside it a process stays below 6 GiB."""
MOST_DEPTH = 64
"""Of lists and tables in one another: records have eight."""
MOST_DRAWN = 20_000
"""Points in one picture, drawn in seconds. Of more, one of each two or three is, and it says so."""
MOST_FOLDERS = 1_000
"""Compared or followed at a time."""


@dataclass(frozen=True)
class Bound:
    """Of one document: its bytes, and its values, which take up to 30 times as much memory."""

    size_bytes: int
    values: int


RECORD = Bound(LARGEST_BYTES, 10_000_000)
"""A run has two numbers for each bucket of a histogram and ten for each interval."""
ALL_RECORDS = Bound(MOST_BYTES_OF_FOLDER, 30_000_000)
"""Of all documents of a folder that is read, which take 3 GiB."""
PLAN = Bound(64 << 20, 2_000_000)
"""study.json: ten values a turn, one a run, forty a cell."""
JOURNAL = Bound(LARGEST_BYTES, 5_000_000)
"""Six values a line."""
MOST_LINES = 1_000_000
"""Of a journal: six for each run."""
REPORT = Bound(64 << 20, 2_000_000)
"""report.json of the largest shipped study has 3 MiB."""
SCAN = Bound(LARGEST_BYTES, 10_000_000)
"""Its map has at most 4 million places, its list of files as many as were asked for."""
WATCH = Bound(LARGEST_BYTES, 10_000_000)
"""Forty values and a kilobyte a line: a line a day for more than a century."""
RESULT = Bound(LARGEST_BYTES, 10_000_000)
"""Of another tool: fio's json+ of a thousand jobs has 50 MB, with two numbers for each bin."""
ARCHIVE_BYTES = 64 << 20
"""Of one that `published run` packed: a few megabytes."""
MOST_UNPACKED_BYTES = 512 << 20
"""Of all that is in such an archive: JSON of runs packs to a tenth and less."""
GATE = Bound(16 << 20, 500_000)
"""A line for each run, cell and system of it: a thousand runs have 4 MiB."""
LOG = Bound(16 << 20, 500_000)
"""One step for each kernel."""
NOISE = Bound(1 << 20, 50_000)
"""A hundred entries are kept."""
STUDY = Bound(1 << 20, 10_000)
"""Fifty systems of ten keys, ten lists of a hundred entries; a tenth of this is a long one."""
HOSTS = Bound(4 << 20, 10 * MOST_HOSTS)
"""Eight keys a host."""
POINT_LOG_BYTES = 1 << 20
"""Of what a point of a sweep said, which is some lines for each time that it was begun."""


_STRING = re.compile(rb'"(?:[^"\\\n]++|\\.?)*+"?')
"""Of JSON, where no line ends in a string; one that was cut short ends with its line."""
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def values_of_json(content: bytes, path: Path, bound: Bound) -> int:
    """How many values a JSON text has, at most, or several, a line each. Raises InputError for more
    than the bound, and for a greater depth than any document has."""
    bare = _STRING.sub(b"", content)
    values = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    if values > bound.values:
        raise _refused(path, f"{values:,} values, and {bound.values:,} are allowed")
    brackets = bare.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(MOST_DEPTH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    if b"[]" in brackets or b"{}" in brackets:
        raise _refused(path, f"lists in one another, more than the {MOST_DEPTH} that are allowed")
    return values


def require_few_in_toml(text: str, path: str, bound: Bound) -> None:
    """Raise InputError where a TOML text has more values or lines than the bound. Signs in comments
    count too: a file that a person wrote is far below."""
    found = {"values": text.count("=") + text.count(","), "lines": text.count("\n")}
    for what, count in found.items():
        if count > bound.values:
            raise InputError(
                f"{path} has {count:,} {what}, and {bound.values:,} are allowed",
                next=f"wc {quoted(path)}",
            )


def _refused(path: Path, what: str) -> InputError:
    return InputError(
        f"{path} has {what}",
        cause="it was damaged, or another program wrote it",
        next=f"ls -l {quoted(path)}",
    )
