"""What readers of other tools' results give: runs, and in each its tests, as raw numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fsgauge.engine.wire import Histogram, SyncResult
from fsgauge.quantities import LARGEST

SUB_BUCKET_BITS = 6
"""Of the engine's histograms; fio's have the same buckets."""
By = Literal["iops", "bandwidth"]
_SIZE = re.compile(r"(\d+)([kmg]?)i?b?")


class NonsenseError(ValueError):
    """What no whole result of a tool has, in words for people."""


@dataclass(frozen=True)
class Side:
    """What was read, or written. `latency` has no counts where the tool gave a mean alone."""

    operations: int
    size_bytes: int
    latency: Histogram

    def __post_init__(self) -> None:
        if not (0 <= self.operations <= LARGEST and 0 <= self.size_bytes <= LARGEST):
            raise NonsenseError(f"{self.operations} operations of {self.size_bytes} bytes")


@dataclass(frozen=True)
class Test:
    """One test of a run. `factors` are what it is, as kinds/imported has them, `said` what else it
    is in the tool's words: a test repeats another that has both. `by` is the rate that the tool is
    asked for."""

    name: str
    by: By
    elapsed_ns: int
    read: Side | None = None
    write: Side | None = None
    sync: SyncResult | None = None
    factors: dict[str, Any] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    cpu_user_ns: int = 0
    cpu_system_ns: int = 0

    def __post_init__(self) -> None:
        least = 1 if self.read or self.write else 0
        if not least <= self.elapsed_ns <= LARGEST:
            raise NonsenseError(f"{self.name} took {self.elapsed_ns} ns")
        if min(self.cpu_user_ns, self.cpu_system_ns) < 0:
            raise NonsenseError(f"{self.name} has processor time below 0")


@dataclass(frozen=True)
class Run:
    """One run of a tool; `started_unix_ns` None is unsaid, `left_out` what no record holds. A
    reader leaves `path` and `sha256` of the file to whoever opened it."""

    tool: str
    tests: tuple[Test, ...]
    started_unix_ns: int | None = None
    machine: str = ""
    command: str = ""
    left_out: tuple[str, ...] = ()
    path: Path = Path()
    sha256: str = ""


def no_latency(operations: int = 0, mean_ns: float = 0.0) -> Histogram:
    """A mean without a distribution; nothing where there is no mean."""
    return Histogram(
        sub_bucket_bits=SUB_BUCKET_BITS,
        counts=[],
        operations=operations if mean_ns > 0 else 0,
        sum_ns=round(mean_ns * operations),
        min_ns=0,
        max_ns=0,
    )


def bucket_of(latency_ns: int) -> int:
    """The bucket of a latency, as crates/fsgauge-wire/src/histogram.rs has it."""
    shift = (latency_ns | (1 << SUB_BUCKET_BITS)).bit_length() - 1 - SUB_BUCKET_BITS
    return (shift << SUB_BUCKET_BITS) + (latency_ns >> shift)


def by_rate(
    name: str, *, writes: bool, bytes_per_second: float, block_bytes: int, **factors: object
) -> Test:
    """A test of which a tool says its bytes per second alone: those of one second."""
    operations = max(1, round(bytes_per_second / block_bytes)) if bytes_per_second else 0
    side = Side(operations, round(bytes_per_second), no_latency())
    return Test(
        name=name,
        by="bandwidth",
        elapsed_ns=10**9,
        read=None if writes else side,
        write=side if writes else None,
        factors={"block_size_bytes": block_bytes, **factors},
    )


def binary_bytes(text: str) -> int | None:
    """ "4k", "4kb", "4ki", "16G" as bytes; None of another text."""
    match = _SIZE.fullmatch(text.lower())
    return int(match[1]) << 10 * " kmg".index(match[2] or " ") if match else None


def json_documents(
    text: str, begins: re.Pattern[str] = re.compile(r"\S")
) -> Iterator[dict[str, Any]]:
    """The JSON documents of a file, one behind another, each at the end of what `begins` one."""
    decoder, at = json.JSONDecoder(), 0
    while (begin := begins.search(text, at)) is not None:
        found, at = decoder.raw_decode(text, begin.end() - 1)
        yield found


def csv_rows(text: str, head: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows of a CSV by the columns of the head above, which has all of `head` in it: a file to
    which a tool appended may have several. NonsenseError for a row that ends early."""
    columns: list[str] = []
    reader = csv.reader(io.StringIO(text))
    for row in reader:
        if set(head) <= set(row):
            columns = row
        elif row and len(row) < len(columns):
            raise NonsenseError(
                f"line {reader.line_num} has {len(row)} columns instead of {len(columns)}"
            )
        elif row:
            yield dict(zip(columns, row, strict=False))
