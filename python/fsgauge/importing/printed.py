"""Texts that tools print: IOzone's table, bonnie++'s CSV, IOR's table, JSON or CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from fsgauge import kinds
from fsgauge.errors import FsgaugeError
from fsgauge.importing.measured import (
    NonsenseError,
    Run,
    Side,
    Test,
    binary_bytes,
    by_rate,
    csv_rows,
    json_documents,
    no_latency,
)
from fsgauge.units import grouped

IOR = "IOR"
_MIB, _KIB = 1 << 20, 1 << 10
_ROW = re.compile(r"\s*(write|read)\s+\S.*")
_CSV_HEAD = "access,bw(MiB/s)"
BONNIE = "bonnie++"
_NAME, _STARTED, _SIZE, _CHUNK = 2, 4, 5, 6
_CHUNK_BYTES = 8192
_FORMATS = ("1.96,", "1.97,", "1.98,")
_OLD_FIELDS = 48
_WRITES = ("put", "rewrite", "create", "delete")
IOZONE = "IOzone"
WRITES = {"write", "rewrite", "random write", "record rewrite", "fwrite", "frewrite"}
_MODES = (
    "O_DIRECT feature enabled", "SYNC Mode", "Include fsync in write timing",
    "Include close in write timing", "Using mmap files", "Purge Mode On",
)  # fmt: skip
"""What IOzone says above its table of options that make another load."""
_SAID = ("access", "segments", "ordering in a file", "blocksize")
"""Options of IOR, as it says them in its text and in its JSON."""
_OPTION = re.compile(rf"^\s*({'|'.join(_SAID)})\s*[:=]\s*(.+?)\s*$", re.MULTILINE)
_LINES = {
    "Version": r"^IOR-(\S+?):",
    "Command line": r"^Command line(?: used)?\s*:\s*(.+)",
    "Began": r"^Began\s*:\s*(.+)",
}
"""The same of a run."""
_TASKS = r"^\s*(?:tasks|clients)\s*[:=]\s*(\d+)"
_TIME = "%a %b %d %H:%M:%S %Y"
_COLUMNS = {
    "access": "access", "bwMiB": "bw(MiB/s)", "xferKiB": "xfer(KiB)", "totalTime": "total(s)",
}  # fmt: skip
"""Of IOR's JSON, and what its CSV and its table call them."""


def is_iozone(text: str) -> bool:
    return "Iozone: Performance Test of File I/O" in text


def read_iozone(text: str, _: Path) -> list[Run]:
    """Each time that IOzone ran, if the file has several."""
    return [_run(part) for part in text.split("Iozone: Performance Test of File I/O")[1:]]


def _run(text: str) -> Run:
    try:
        rows = _peer("iozone").rows(text)
    except ValueError as error:
        raise NonsenseError(str(error)) from error
    if not re.search(r"Output is in k?[bB]?K?[Bb]ytes/sec", text):
        raise NonsenseError("its rates are not in kBytes/sec (options -N and -O)")
    lines = (r"Version \$Revision: (\S+)", r"Run began: (.+)", r"Command line used: (.+)")
    version, began, command = (_found(line, text) for line in lines)
    modes = [each for each in _MODES if each in text]
    said = {"modes": ", ".join(modes) or "none"}
    tests = [replace(_rated(*row), said=said) for row in rows]
    if not tests:
        raise NonsenseError("it has no table of rates; -t prints another one")
    return Run(
        tool=f"{IOZONE} {version}".strip(),
        tests=tuple(tests),
        started_unix_ns=_unix_ns(began),
        command=command.strip(),
    )


def _found(pattern: str, text: str) -> str:
    """What its group finds; "" for nothing."""
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else ""


def _unix_ns(text: str) -> int | None:
    try:
        return int(datetime.strptime(text.strip(), _TIME).astimezone().timestamp()) * 10**9
    except ValueError:
        return None


def _rated(name: str, file_kib: int, record_kib: int, rate: int) -> Test:
    return by_rate(
        name,
        writes=name in WRITES,
        bytes_per_second=rate * _KIB,
        block_bytes=record_kib * _KIB,
        file_size_bytes=file_kib * _KIB,
    )


def is_bonnie(text: str) -> bool:
    return any(line.startswith(_FORMATS) for line in text.splitlines())


def read_bonnie(text: str, _: Path) -> list[Run]:
    lines = [line for line in text.splitlines() if line.startswith(_FORMATS)]
    return [_bonnie_run(_of_1_98(line)) for line in lines]


def _of_1_98(line: str) -> str:
    """The line as 1.98 has it, which put seeks and their processes behind the chunk's size."""
    fields = line.split(",")
    if fields[0] == "1.98":
        return line
    if len(fields) != _OLD_FIELDS:
        raise NonsenseError(f"a line of {len(fields)} fields instead of {_OLD_FIELDS}")
    return ",".join(["1.98", *fields[1 : _CHUNK + 1], "", "", *fields[_CHUNK + 1 :]])


def _peer(tool: str) -> Any:  # noqa: ANN401 - a module's table
    having = (name for name in kinds.names() if kinds.has_part(name, "peers"))
    return next(peer for name in having if (peer := kinds.part(name, "peers").PEERS.get(tool)))


def _bonnie_run(line: str) -> Run:
    fields = line.split(",")
    try:
        rates = _peer(BONNIE).rates(line)
    except FsgaugeError as error:
        raise NonsenseError(error.what) from error
    chunk = binary_bytes(fields[_CHUNK]) or _CHUNK_BYTES
    size_bytes = binary_bytes(fields[_SIZE])
    found = {"file_size_bytes": size_bytes} if size_bytes else {}
    tests = [
        _test(name, numbers.rate, numbers.unit == "bytes/s", chunk, found)
        for name, numbers in rates.items()
        if numbers is not None
    ]
    if not tests:
        raise NonsenseError("every test was too fast for it to rate")
    return Run(
        tool=f"{BONNIE} {fields[1]}",
        tests=tuple(tests),
        started_unix_ns=int(fields[_STARTED]) * 10**9 if fields[_STARTED].isdecimal() else None,
        machine=fields[_NAME],
        left_out=("tests that ended too fast for bonnie++ to rate (+++++)",) * ("+++++" in fields),
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


def is_ior(text: str) -> bool:
    head = text.lstrip()[:4000]
    return (
        head.startswith((_CSV_HEAD, "IOR-"))
        or "MPI Coordinated Test of Parallel I/O" in text  # behind what mpirun says
        or ('"Command line"' in head and '"tests"' in head)
    )


def read_ior(text: str, _: Path) -> list[Run]:
    """Each repetition, of each time that IOR ran."""
    if text.lstrip().startswith("{"):
        documents = list(json_documents(text))
    else:
        parts = re.split(rf"^(?={re.escape(_CSV_HEAD)}|IOR-\S+:)", text, flags=re.MULTILINE)
        documents = [_as_json(part) for part in parts[1:] or parts]
    return [run for document in documents for run in _ior_runs(document)]


def _ior_runs(document: Mapping[str, Any]) -> list[Run]:
    by_repetition = grouped(
        (repetition, _ior_test(row, test.get("Options", {})))
        for test in document["tests"]
        for repetition, rows in enumerate(test["Results"])
        for row in (rows if isinstance(rows, list) else [rows])
        if row.get("access") in ("read", "write")
    )
    if not by_repetition:
        raise NonsenseError("it has no row of a write or a read")
    version, command, began = (str(document.get(name, "")) for name in _LINES)
    return [
        Run(
            tool=f"{IOR} {version}".strip(),
            tests=tuple(tests),
            started_unix_ns=_unix_ns(began),
            command=command,
        )
        for _, tests in sorted(by_repetition.items())
    ]


def _as_json(text: str) -> dict[str, Any]:
    """A CSV or a table of IOR as its JSON has it."""
    is_csv = text.startswith(_CSV_HEAD)
    rows = csv_rows(text, _CSV_HEAD.split(",")) if is_csv else _rows_of_table(text)
    options = {**dict(_OPTION.findall(text)), "tasks": _found(_TASKS, text) or "0"}
    found = grouped((int(row["iter"]), _row(row)) for row in rows)
    results = [rows for _, rows in sorted(found.items())]
    said = {name: _found(line, text) for name, line in _LINES.items()}
    return {**said, "tests": [{"Options": options, "Results": results}]}


def _row(row: Mapping[str, str]) -> dict[str, str]:
    latency = row.get("Latency", row.get("Latency(s)", "0"))
    found = {ours: row[theirs] for ours, theirs in _COLUMNS.items()}
    return {**found, "latency": latency, "tasks": row.get("numTasks", "")}


def _rows_of_table(text: str) -> Iterator[dict[str, str]]:
    """By the head of the table: its columns differ by version."""
    columns: list[str] = []
    for line in text.splitlines():
        if line.startswith("access "):
            columns = line.split()
        elif line.startswith(("Summary", "Operation")):
            columns = []  # of its rows, which begin alike
        elif columns and _ROW.fullmatch(line):
            row = line.split()
            if len(row) != len(columns):
                raise NonsenseError(f"a row of {len(row)} columns below a head of {len(columns)}")
            yield dict(zip(columns, row, strict=True))


def _ior_test(row: Mapping[str, Any], options: Mapping[str, Any]) -> Test:
    """Bytes are IOR's rate times its time: open and close are in both."""
    seconds, transfer = float(row["totalTime"]), round(float(row["xferKiB"]) * _KIB)
    size_bytes = round(float(row["bwMiB"]) * _MIB * seconds)
    operations = max(1, round(size_bytes / transfer))
    side = Side(operations, size_bytes, no_latency(operations, float(row["latency"]) * 1e9))
    factors = {"block_size_bytes": transfer}
    if jobs := int(row.get("tasks") or options.get("tasks", 0)):
        factors["jobs"] = jobs
    access = str(row["access"])
    read, write = (side, None) if access == "read" else (None, side)
    said = {name: str(options[name]) for name in _SAID if name in options}
    return Test(access, "bandwidth", round(seconds * 1e9), read, write, factors=factors, said=said)
