"""IOR's table, and its summary as JSON or CSV: an access is a test, a repetition a run."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fsgauge.importing.measured import Run, Side, Test, no_latency, unreadable

TOOL = "IOR"
_MIB, _KIB = 1 << 20, 1 << 10
_ROW = re.compile(r"\s*(write|read)\s+(\S.*)")
_CSV_HEAD = "access,bw(MiB/s)"


def is_ior(text: str) -> bool:
    """Whether it is one of its three formats."""
    head = text.lstrip()[:4000]
    return (
        head.startswith((_CSV_HEAD, "IOR-"))
        or "MPI Coordinated Test of Parallel I/O" in head
        or ('"Command line"' in head and '"tests"' in head)
    )


def read_ior(text: str, path: Path, sha256: str) -> list[Run]:
    version, command, rows = "", "", list[dict[str, Any]]()
    if text.lstrip().startswith("{"):
        document = json.loads(text)
        version = str(document.get("Version", ""))
        command = str(document.get("Command line", ""))
        rows = [
            {**each, "rep": rep, "tasks": test.get("Options", {}).get("tasks", 0)}
            for test in document["tests"]
            for rep, group in enumerate(test["Results"])
            for each in (group if isinstance(group, list) else [group])
            if each.get("access") in ("read", "write")
        ]
    elif text.lstrip().startswith(_CSV_HEAD):
        rows = [_of_csv(row) for row in csv.DictReader(io.StringIO(text.lstrip()))]
    else:
        rows = _of_table(text)
        found = re.search(r"^IOR-(\S+?):", text, re.MULTILINE)
        version = found[1] if found else ""
        line = re.search(r"^Command line\s*:\s*(.+)", text, re.MULTILINE)
        command = line[1] if line else ""
    if not rows:
        unreadable(path, TOOL, "it has no row of a write or a read")
    runs: dict[int, list[Test]] = {}
    for row in rows:
        runs.setdefault(int(row["rep"]), []).append(_test(row))
    return [
        Run(f"{TOOL} {version}".strip(), path, sha256, tuple(tests), command=command)
        for _, tests in sorted(runs.items())
    ]


def _of_csv(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "access": row["access"],
        "bwMiB": row["bw(MiB/s)"],
        "iops": row["IOPS"],
        "latency": row["Latency"],
        "xferKiB": row["xfer(KiB)"],
        "totalTime": row["total(s)"],
        "tasks": row["numTasks"],
        "rep": row["iter"],
    }


def _of_table(text: str) -> list[dict[str, Any]]:
    """By the head of the table: its columns differ by version."""
    columns: list[str] = []
    rows = []
    tasks = re.search(r"^(?:tasks|clients)\s*:\s*(\d+)", text, re.MULTILINE)
    for line in text.splitlines():
        if line.startswith("access "):
            columns = line.split()
        elif columns and (found := _ROW.fullmatch(line)):
            row = dict(zip(columns[1:], found[2].split(), strict=True))
            rows.append(
                {
                    "access": found[1],
                    "bwMiB": row["bw(MiB/s)"],
                    "iops": row.get("IOPS", 0),
                    "latency": row.get("Latency(s)", 0),
                    "xferKiB": row["xfer(KiB)"],
                    "totalTime": row["total(s)"],
                    "tasks": tasks[1] if tasks else 0,
                    "rep": row["iter"],
                }
            )
    return rows


def _test(row: Mapping[str, Any]) -> Test:
    """Bytes are IOR's rate times its time: open and close are in both."""
    seconds, transfer = float(row["totalTime"]), round(float(row["xferKiB"]) * _KIB)
    size_bytes = round(float(row["bwMiB"]) * _MIB * seconds)
    operations = max(1, round(size_bytes / transfer))
    side = Side(operations, size_bytes, no_latency(operations, float(row["latency"]) * 1e9))
    factors = {"block_size_bytes": transfer}
    if int(row["tasks"]):
        factors["jobs"] = int(row["tasks"])
    access = str(row["access"])
    read, write = (side, None) if access == "read" else (None, side)
    return Test(access, "bandwidth", round(seconds * 1e9), read, write, factors)
