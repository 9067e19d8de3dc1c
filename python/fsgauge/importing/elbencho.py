"""elbencho's CSV and JSON: a phase is a test, its numbers those of the slowest thread's end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from fsgauge.importing.measured import Run, Side, Test, csv_rows, json_documents, no_latency

TOOL = "elbencho"
_MIB = 1 << 20
_HEAD = ("operation", "IOPS [last]")
_READS = ("read", "stat", "list")


def is_elbencho(text: str) -> bool:
    head = text.lstrip()[:4000]
    return ("operation" in head and "IOPS [last]" in head) or (
        '"phase_type"' in head and '"last_done"' in head
    )


def read_elbencho(text: str, path: Path, sha256: str) -> list[Run]:
    """The phases of a result, in runs: a phase that comes again begins the next one."""
    rows = _of_json(text) if text.lstrip().startswith("{") else _of_csv(text)
    runs: list[list[Mapping[str, Any]]] = [[]]
    for row in rows:
        if any(
            row["name"] == each["name"] and row["config"] == each["config"] for each in runs[-1]
        ):
            runs.append([])
        runs[-1].append(row)
    return [
        Run(
            tool=f"{TOOL} {run[0]['version']}".strip(),
            path=path,
            sha256=sha256,
            tests=tuple(_test(row) for row in run if row["ms"]),  # in whole milliseconds
            started_unix_ns=run[0]["started"],
            command=run[0]["command"],
            left_out=tuple(
                f"{row['name'].lower()}: it took less than a millisecond"
                for row in run
                if not row["ms"]
            ),
        )
        for run in runs
        if run
    ]


def _of_json(text: str) -> list[dict[str, Any]]:
    found = []
    for row in json_documents(text):
        last, config = row["last_done"], row["config"]
        found.append(
            {
                "name": row["phase_type"],
                "config": config,
                "version": config.get("version", ""),
                "command": config.get("command", ""),
                "started": _unix_ns(row.get("iso_start_date", "")),
                "ms": int(last["elapsed_time_ms"]),
                "iops": float(last.get("iops", 0)),
                "entries": float(last.get("entries/s", 0)),
                "bytes": float(last.get("bytes/s", 0)),
                "latency": float(last.get("latency", {}).get("IO", {}).get("avg_us", 0)),
            }
        )
    return found


def _of_csv(text: str) -> list[dict[str, Any]]:
    found = []
    for row in csv_rows(text, _HEAD):
        config = {
            key: row.get(column) or 0
            for key, column in (
                ("threads", "threads"),
                ("block_size", "block size"),
                ("file_size", "file size"),
                ("io_depth", "IO depth"),
                ("random", "random"),
            )
        }
        found.append(
            {
                "name": row["operation"],
                "config": config,
                "version": row.get("version") or "",
                "command": row.get("command") or "",
                "started": _unix_ns(row.get("ISO date") or ""),
                "ms": int(row["time ms [last]"]),
                "iops": float(row["IOPS [last]"] or 0),
                "entries": float(row["entries/s [last]"] or 0),
                "bytes": float(row["MiB/s [last]"] or 0) * _MIB,
                "latency": float(
                    row.get(f"{'IO' if row['IOPS [last]'] else 'Ent'} lat us [avg]") or 0
                ),
            }
        )
    return found


def _unix_ns(text: str) -> int | None:
    try:
        return int(
            datetime.fromisoformat(re.sub(r"(\d\d)(\d\d)$", r"\1:\2", text)).timestamp() * 1e9
        )
    except ValueError:
        return None


def _test(row: Mapping[str, Any]) -> Test:
    seconds = row["ms"] / 1000
    rate = row["iops"] or row["entries"]
    operations = round(rate * seconds)
    side = Side(
        operations, round(row["bytes"] * seconds), no_latency(operations, row["latency"] * 1000)
    )
    config = row["config"]
    factors = {
        name: int(config[key])
        for name, key in (
            ("block_size_bytes", "block_size"),
            ("queue_depth", "io_depth"),
            ("jobs", "threads"),
        )
        if row["iops"] and str(config.get(key, "")).isdecimal() and int(config[key])
    }
    name = str(row["name"]).lower()
    read, write = (side, None) if name.startswith(_READS) else (None, side)
    said = {key: str(config[key]) for key in ("file_size", "random") if config.get(key)}
    return Test(name, "iops", round(seconds * 1e9), read, write, factors=factors, said=said)
