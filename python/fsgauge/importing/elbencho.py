"""elbencho's CSV and JSON: a phase is a test, its numbers those of the slowest thread's end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
_COLUMNS = {
    "threads": "threads", "block_size": "block size", "file_size": "file size",
    "io_depth": "IO depth", "random_offsets": "random", "direct_io": "direct IO",
}  # fmt: skip
"""Keys of `config` in elbencho's JSON, and the columns of its CSV that hold the same."""
_FACTORS = {"block_size_bytes": "block_size", "queue_depth": "io_depth", "jobs": "threads"}


def is_elbencho(text: str) -> bool:
    head = text.lstrip()[:4000]
    return ("operation" in head and "IOPS [last]" in head) or (
        '"phase_type"' in head and '"last_done"' in head
    )


def read_elbencho(text: str, _: Path) -> list[Run]:
    """The phases of a result, in runs: a phase that comes again begins the next one."""
    runs: list[list[Mapping[str, Any]]] = [[]]
    for phase in json_documents(text) if text.lstrip().startswith("{") else _of_csv(text):
        same = phase["phase_type"], phase["config"]
        if any((each["phase_type"], each["config"]) == same for each in runs[-1]):
            runs.append([])
        runs[-1].append(phase)
    return [_run(run) for run in runs if run]


def _run(phases: Sequence[Mapping[str, Any]]) -> Run:
    said = {**phases[0]["config"], **phases[0]}
    timed = [(phase, int(phase["last_done"]["elapsed_time_ms"])) for phase in phases]
    return Run(
        tool=f"{TOOL} {said.get('version', '')}".strip(),
        tests=tuple(_test(phase, ms) for phase, ms in timed if ms),
        started_unix_ns=_unix_ns(said.get("iso_start_date", "")),
        command=said.get("command", ""),
        left_out=tuple(
            f"{phase['phase_type'].lower()}: it took less than a millisecond"
            for phase, ms in timed
            if not ms
        ),
    )


def _of_csv(text: str) -> Iterator[dict[str, Any]]:
    """The rows of elbencho's CSV, each in the shape of a result in its JSON."""
    for row in csv_rows(text, _HEAD):
        last, latency = _done(row)
        if row.get(f"{_MIXED}MiB/s [last]"):
            last["rwmix_read"], latency["rwmix_read"] = _done(row, _MIXED)
        yield {
            "phase_type": row["operation"],
            "config": {key: row.get(column) or 0 for key, column in _COLUMNS.items()},
            "version": row.get("version") or "",
            "command": row.get("command") or "",
            "iso_start_date": row.get("ISO date") or "",
            "last_done": {
                **last,
                "elapsed_time_ms": row["time ms [last]"],
                "latency": {"IO": latency},
            },
        }


def _done(row: Mapping[str, str], of: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """The rates and the latency of columns whose names begin so."""
    iops = row.get(f"{of}IOPS [last]") or 0
    rates = {
        "iops": iops,
        "entries/s": row.get(f"{of}entries/s [last]") or 0,
        "bytes/s": float(row[f"{of}MiB/s [last]"] or 0) * _MIB,
    }
    return rates, {"avg_us": row.get(f"{of}{'IO' if iops else 'Ent'} lat us [avg]") or 0}


def _unix_ns(text: str) -> int | None:
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1e9)
    except ValueError:
        return None


def _side(done: Mapping[str, Any], latency: Mapping[str, Any], seconds: float) -> Side:
    rate = float(done.get("iops", 0)) or float(done.get("entries/s", 0))
    operations = round(rate * seconds)
    mean_ns = float(latency.get("avg_us", 0)) * 1000
    size_bytes = round(float(done.get("bytes/s", 0)) * seconds)
    return Side(operations, size_bytes, no_latency(operations, mean_ns))


def _test(phase: Mapping[str, Any], ms: int) -> Test:
    last, config = phase["last_done"], phase["config"]
    latency = last.get("latency", {}).get("IO", {})
    side = _side(last, latency, ms / 1000)
    factors = {
        name: int(config[key])
        for name, key in _FACTORS.items()
        if float(last.get("iops", 0)) and str(config.get(key, "")).isdecimal() and int(config[key])
    }
    name = str(phase["phase_type"]).lower()
    read, write = (side, None) if name.startswith(_READS) else (None, side)
    if mixed := last.get("rwmix_read"):  # of --rwmixpct
        read = _side(mixed, latency.get("rwmix_read", {}), ms / 1000)
    said = {
        key: _SWITCH.get(str(config[key]), str(config[key]))
        for key in ("file_size", "random_offsets", "direct_io")
        if config.get(key)
    }
    return Test(name, "iops", ms * 10**6, read, write, factors=factors, said=said)
