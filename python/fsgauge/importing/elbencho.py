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
_MIXED = "rwmix read "
_SWITCH = {"true": "1", "false": "0"}
"""Switches in elbencho's JSON, as its CSV writes them."""


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
                **_side_of_json(last, last.get("latency", {}).get("IO", {})),
                "mixed": _mixed_of_json(last),
            }
        )
    return found


def _side_of_json(done: Mapping[str, Any], latency: Mapping[str, Any]) -> dict[str, float]:
    return {
        "iops": float(done.get("iops", 0)),
        "entries": float(done.get("entries/s", 0)),
        "bytes": float(done.get("bytes/s", 0)),
        "latency": float(latency.get("avg_us", 0)),
    }


def _mixed_of_json(last: Mapping[str, Any]) -> dict[str, float] | None:
    """Reads of a phase that reads and writes (--rwmixpct); None of another one."""
    done = last.get("rwmix_read")
    latency = last.get("latency", {}).get("IO", {}).get("rwmix_read", {})
    return _side_of_json(done, latency) if done else None


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
                ("random_offsets", "random"),
                ("direct_io", "direct IO"),
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
                **_side_of_csv(row, ""),
                "mixed": _side_of_csv(row, _MIXED) if row.get(f"{_MIXED}MiB/s [last]") else None,
            }
        )
    return found


def _side_of_csv(row: Mapping[str, str], of: str) -> dict[str, float]:
    """The numbers of columns whose names begin so."""
    iops = row.get(f"{of}IOPS [last]")
    return {
        "iops": float(iops or 0),
        "entries": float(row.get(f"{of}entries/s [last]") or 0),
        "bytes": float(row[f"{of}MiB/s [last]"] or 0) * _MIB,
        "latency": float(row.get(f"{of}{'IO' if iops else 'Ent'} lat us [avg]") or 0),
    }


def _unix_ns(text: str) -> int | None:
    try:
        return int(
            datetime.fromisoformat(re.sub(r"(\d\d)(\d\d)$", r"\1:\2", text)).timestamp() * 1e9
        )
    except ValueError:
        return None


def _side(rates: Mapping[str, float], seconds: float) -> Side:
    operations = round((rates["iops"] or rates["entries"]) * seconds)
    latency = no_latency(operations, rates["latency"] * 1000)
    return Side(operations, round(rates["bytes"] * seconds), latency)


def _test(row: Mapping[str, Any]) -> Test:
    seconds = row["ms"] / 1000
    side = _side(row, seconds)
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
    if row["mixed"] is not None:
        read = _side(row["mixed"], seconds)
    said = {
        key: _SWITCH.get(str(config[key]), str(config[key]))
        for key in ("file_size", "random_offsets", "direct_io")
        if config.get(key)
    }
    return Test(name, "iops", round(seconds * 1e9), read, write, factors=factors, said=said)
