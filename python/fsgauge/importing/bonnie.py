"""bonnie++'s CSV: a line is a run. Its fields are those that the kind with this peer declares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsgauge import kinds
from fsgauge.errors import FsgaugeError
from fsgauge.importing.measured import Run, Side, Test, by_rate, no_latency, unreadable

TOOL = "bonnie++"
_NAME, _STARTED, _SIZE, _CHUNK, _FILES = 2, 4, 5, 6, 21
_CHUNK_BYTES = 8192
_WRITES = ("put", "rewrite", "create", "delete")
_SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def is_bonnie(text: str) -> bool:
    """Whether a line of its CSV is among the text."""
    return any(line.startswith(("1.97,", "1.98,")) for line in text.splitlines())


def read_bonnie(text: str, path: Path, sha256: str) -> list[Run]:
    lines = [line for line in text.splitlines() if line.startswith(("1.97,", "1.98,"))]
    return [_run(line, path, sha256) for line in lines]


def _peer() -> Any:  # noqa: ANN401 - a module's table
    having = (name for name in kinds.names() if kinds.has_part(name, "peers"))
    return next(peer for name in having if (peer := kinds.part(name, "peers").PEERS.get(TOOL)))


def _run(line: str, path: Path, sha256: str) -> Run:
    fields = line.split(",")
    try:
        rates = _peer().rates(line)
    except FsgaugeError as error:
        unreadable(path, TOOL, error.what)
    chunk = _size(fields[_CHUNK]) or _CHUNK_BYTES
    found = {"file_size_bytes": _size(fields[_SIZE])} if _size(fields[_SIZE]) else {}
    tests = [
        _test(name, numbers.rate, numbers.unit == "bytes/s", chunk, found)
        for name, numbers in rates.items()
        if numbers is not None
    ]
    if not tests:
        unreadable(path, TOOL, "every test was too fast for it to rate")
    return Run(
        tool=f"{TOOL} {fields[1]}",
        path=path,
        sha256=sha256,
        tests=tuple(tests),
        started_unix_ns=int(fields[_STARTED]) * 10**9 if fields[_STARTED].isdecimal() else None,
        machine=fields[_NAME],
    )


def _test(name: str, rate: float, of_bytes: bool, chunk: int, factors: dict[str, int]) -> Test:
    writes = name.startswith(_WRITES)
    title = name.replace("_", " ")
    if of_bytes:
        size = 1 if name.endswith("byte") else chunk
        return by_rate(title, writes=writes, bytes_per_second=rate, block_bytes=size, **factors)
    side = Side(max(1, round(1000 * rate)), 0, no_latency())
    read, write = (None, side) if writes else (side, None)
    return Test(title, "iops", 1000 * 10**9, read, write)


def _size(text: str) -> int:
    """ "16M", "8192k", "300" of MiB is what -s took; 0 for nothing."""
    number, unit = text[:-1], text[-1:].upper()
    if number.isdecimal() and unit in _SIZES:
        return int(number) * _SIZES[unit]
    return int(text) if text.isdecimal() else 0
