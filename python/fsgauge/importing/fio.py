"""fio's JSON, and json+ with its histograms.

A job (or group, with group_reporting) is a test. Latency is fio's total one where its distribution
was kept (lat_percentiles), else its completion latency, which lacks the time of submission.
Percentiles without bins are steps: each listed one is exact, others are the next listed one above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fsgauge.engine.wire import Histogram
from fsgauge.importing.measured import SUB_BUCKET_BITS, Run, Side, Test, bucket_of, unreadable

TOOL = "fio"
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def is_fio(document: object) -> bool:
    """Whether a JSON document is a result of fio's."""
    return isinstance(document, dict) and "fio version" in document


def read_fio(document: dict[str, Any], path: Path, sha256: str) -> list[Run]:
    """The run; of several clients, their sum where fio gave it."""
    jobs = document.get("jobs") or _of_clients(document.get("client_stats") or [])
    if not jobs:
        unreadable(path, TOOL, "it has no jobs")
    given = document.get("global options") or {}
    tests = [_test(job, {**given, **(job.get("job options") or {})}) for job in jobs]
    for job, test in zip(jobs, tests, strict=True):
        if not (test.read or test.write) and (job.get("trim") or {}).get("total_ios"):
            unreadable(path, TOOL, f"{test.name} trims, and no number here is of trims")
    stamp_ms = document.get("timestamp_ms") or 1000 * document.get("timestamp", 0)
    longest_ns = max((test.elapsed_ns for test in tests), default=0)
    return [
        Run(
            tool=str(document["fio version"]).replace("fio-", "fio "),
            path=path,
            sha256=sha256,
            tests=tuple(tests),
            started_unix_ns=stamp_ms * 10**6 - longest_ns if stamp_ms else None,
            machine=str(jobs[0].get("hostname", "")),
        )
    ]


def _of_clients(stats: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    together = [each for each in stats if each.get("jobname") == "All clients"]
    return together or list(stats)


def _test(job: Mapping[str, Any], options: Mapping[str, Any]) -> Test:
    milliseconds = max(
        [int(job[side].get("runtime", 0)) for side in ("read", "write")], default=0
    ) or int(job.get("job_runtime", 0))
    sides = {name: _side(job[name], milliseconds) for name in ("read", "write")}
    ran_ns = int(job.get("job_runtime", milliseconds)) * 10**6
    return Test(
        name=str(job["jobname"]),
        by="iops",
        elapsed_ns=milliseconds * 10**6,
        read=sides["read"],
        write=sides["write"],
        factors=_factors(options, sides),
        cpu_user_ns=round(job.get("usr_cpu", 0.0) / 100 * ran_ns),
        cpu_system_ns=round(job.get("sys_cpu", 0.0) / 100 * ran_ns),
        errors=1 if job.get("error") else int(job.get("total_err", 0)),
    )


def _factors(options: Mapping[str, Any], sides: Mapping[str, Side | None]) -> dict[str, Any]:
    """What its own document says of it; its mean size where it does not say one."""
    found: dict[str, Any] = {}
    text = str(options.get("bs", options.get("blocksize", ""))).lower().removesuffix("b")
    done = [side for side in sides.values() if side is not None]
    number, unit = text.rstrip("kmgi"), text[len(text.rstrip("kmgi")) :].replace("i", "")
    if number.isdecimal() and unit in _SIZES:
        found["block_size_bytes"] = int(number) * _SIZES[unit]
    elif done and all(each.operations for each in done):
        total = sum(each.size_bytes for each in done), sum(each.operations for each in done)
        found["block_size_bytes"] = round(total[0] / total[1])
    for name, word in (("queue_depth", "iodepth"), ("jobs", "numjobs")):
        if str(options.get(word, "")).isdecimal():
            found[name] = int(options[word])
    return found


def _side(side: Mapping[str, Any], milliseconds: int) -> Side | None:
    """None of a side that was not asked for; what was asked for and did nothing has zeros."""
    operations = int(side["total_ios"])
    if not operations and not milliseconds:
        return None
    if not operations:
        return None
    return Side(operations, int(side["io_bytes"]), _latency(side))


def _latency(side: Mapping[str, Any]) -> Histogram:
    of_total = side.get("lat_ns") or {}
    of_completion = side.get("clat_ns") or {}
    known = next(
        (each for each in (of_total, of_completion) if each.get("bins") or each.get("percentile")),
        of_total if of_total.get("N") else of_completion,
    )
    operations = int(known.get("N", 0))
    counts: dict[int, int] = {}
    for latency_ns, count in _steps(known, operations):
        bucket = bucket_of(latency_ns)
        counts[bucket] = counts.get(bucket, 0) + count
    return Histogram(
        sub_bucket_bits=SUB_BUCKET_BITS,
        counts=sorted(counts.items()),
        operations=operations,
        sum_ns=round(float(known.get("mean") or 0.0) * operations),
        min_ns=int(known.get("min") or 0),
        max_ns=int(known.get("max") or 0),
    )


def _steps(known: Mapping[str, Any], operations: int) -> list[tuple[int, int]]:
    """(latency, operations): fio's own bins, or what lies between its percentiles."""
    if known.get("bins"):
        return [(int(latency), int(count)) for latency, count in known["bins"].items() if count]
    listed = sorted(
        (float(key), int(value)) for key, value in (known.get("percentile") or {}).items()
    )
    found, done = [], 0
    for percent, latency_ns in listed:
        upto = round(operations * percent / 100)
        if upto > done:
            found.append((latency_ns, upto - done))
            done = upto
    if listed and operations > done:
        found.append((int(known.get("max") or 0), operations - done))
    return found
