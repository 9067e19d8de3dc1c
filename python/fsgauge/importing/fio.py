"""fio's JSON, and json+ with its histograms: a document or several, each a run.

A job (or group, with group_reporting) is a test. Latency is fio's total one where its distribution
was kept (lat_percentiles), else its completion latency, which lacks the time of submission.
Percentiles without bins are steps: each listed one is exact, others are the next listed one above;
below the first and above the last nothing is known.
"""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fsgauge.engine.wire import Histogram, SyncResult
from fsgauge.errors import InputError
from fsgauge.importing.measured import (
    SUB_BUCKET_BITS,
    NonsenseError,
    Run,
    Side,
    Test,
    binary_bytes,
    bucket_of,
    json_documents,
)
from fsgauge.units import count

TOOL = "fio"
_ONE_NAME = {"readwrite": "rw", "blocksize": "bs", "blocksize_range": "bsrange"}
_UNSPLIT = {"bssplit": "none", "bsrange": "none"}
_DEFAULTS = {
    "iodepth": "1", "numjobs": "1", "direct": "0", "sync": "none", "fsync": "0", "fdatasync": "0",
    "ioengine": "psync", "rwmixread": "50", "rate": "0", "rate_iops": "0", "thinktime": "0",
    "random_distribution": "random", "percentage_random": "100", **_UNSPLIT,
}  # fmt: skip
_COMPARED = (
    "rw", "rwmixread", "direct", "sync", "fsync", "fdatasync", "ioengine", "rate", "rate_iops",
    "thinktime", "random_distribution", "percentage_random", "bssplit", "bsrange", "size",
    "filesize",
)  # fmt: skip
_BEGIN = re.compile(r"(?:^|(?<=\}))[ \t]*\{", re.MULTILINE)
_NO_NUMBER = re.compile(r"([:\[,]\s*)-?(?:nan|inf)\b", re.IGNORECASE)
"""fio prints messages around its documents, and numbers that are not JSON's."""


def is_fio(text: str) -> bool:
    return re.search(r'"fio version"\s*:', text) is not None


def read_fio(text: str, path: Path) -> list[Run]:
    """The runs; of several clients, their sum where fio gave it."""
    ended: list[dict[str, Any]] = []
    earlier = 0
    for document in json_documents(_NO_NUMBER.sub(r"\1null", text), _BEGIN):
        if "fio version" not in document:
            continue
        if ended and _goes_on(ended[-1], document):
            ended.pop()
            earlier += 1
        ended.append(document)
    if not ended:
        raise NonsenseError("it has no jobs")
    runs = [_run(document, path) for document in ended]
    if earlier:
        told = f"{count(earlier, 'document')} of {path}: of a run that went on, as the next one has"
        runs[0] = replace(runs[0], left_out=(*runs[0].left_out, told))
    return runs


def _goes_on(before: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether a document is of the same run, later: --status-interval prints all numbers each time.
    It has the same options, ran longer and began before the other was printed, or a job that had
    ended is in both."""
    pairs = list(zip(_jobs(before), _jobs(document), strict=False))
    done = [(_done(job), _done(later)) for job, later in pairs]
    ran_ms = [(_longest_ms(job), _longest_ms(later)) for job, later in pairs]
    if before.get("global options") != document.get("global options") or any(
        job.get(key) != later.get(key) for job, later in pairs for key in ("jobname", "job options")
    ):
        return False
    if any(later < job for job, later in (*done, *ran_ms)):
        return False
    if not any(job for job, _ in done):
        return True
    began_ms = _ended_ms(document) - max(_longest_ms(job) for job in _jobs(document))
    is_longer = any(job < later for job, later in ran_ms)
    return (is_longer and began_ms < _ended_ms(before) <= _ended_ms(document)) or any(
        _done(job) and all(job.get(side) == later.get(side) for side in ("read", "write"))
        for job, later in pairs
    )


def _jobs(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(document.get("jobs") or document.get("client_stats") or [])


def _done(job: Mapping[str, Any]) -> int:
    sides = (job.get(side) or {} for side in ("read", "write", "mixed"))
    return sum(int(side.get("total_ios", 0)) for side in sides)


def _longest_ms(job: Mapping[str, Any]) -> int:
    return max([int((job.get(side) or {}).get("runtime", 0)) for side in ("read", "write")])


def _ended_ms(document: Mapping[str, Any]) -> int:
    return int(document.get("timestamp_ms") or 1000 * document.get("timestamp", 0))


def _run(document: Mapping[str, Any], path: Path) -> Run:
    version = str(document["fio version"]).replace("fio-", "fio ")
    number = re.match(r"fio (\d+)\.", version)
    if number and int(number[1]) < 3:
        raise InputError(
            f"{path} is of {version}, whose numbers are in other units",
            cause="before 3.0, what is called bytes was KiB and latencies were microseconds",
            next="fio --output-format=json JOB.fio > FILE   (fio 3.0 or later)",
        )
    everything = _jobs(document)
    if not everything:
        raise NonsenseError("it has no jobs")
    for job in everything:
        _require_whole(job, path)
    jobs = [job for job in everything if job.get("jobname") == "All clients"] or everything
    given = document.get("global options") or {}
    tests = [_test(job, _options(given, job)) for job in jobs]
    trims = [
        test for job, test in zip(jobs, tests, strict=True)
        if (job.get("trim") or {}).get("total_ios")
    ]  # fmt: skip
    for test in trims:
        if not (test.read or test.write):
            raise NonsenseError(f"{test.name} trims, and no number here is of trims")
    stamp_ms = _ended_ms(document)
    longest_ns = max(test.elapsed_ns for test in tests)
    return Run(
        tool=version,
        tests=tuple(tests),
        started_unix_ns=stamp_ms * 10**6 - longest_ns if stamp_ms else None,
        machine=str(jobs[0].get("hostname", "")),
        left_out=tuple(f"trims of {test.name}: no number here is of trims" for test in trims),
    )


def _require_whole(job: Mapping[str, Any], path: Path) -> None:
    """InputError where reads and writes are one number, or I/O failed: it is in fio's rates."""
    name, error = job["jobname"], int(job.get("error") or job.get("first_error") or 0)
    failed = int(job.get("total_err") or 0)
    if "mixed" in job and "read" not in job:
        raise InputError(
            f"{path}: {name} has reads and writes in one number",
            cause="unified_rw_reporting adds them up",
            next="fio --unified_rw_reporting=none --output-format=json JOB.fio > FILE",
        )
    if error == errno.EILSEQ:
        raise InputError(
            f"{path}: verify of {name} failed",
            cause="what fio read was not what it had written",
            next="fio --verify_dump=1 JOB.fio",
        )
    if error or failed:
        times = f" {failed} times" if failed else ""
        why = f": {os.strerror(error)}" if error else ""
        raise InputError(
            f"{path}: {name} failed{times}{why}",
            cause="fio ended there, or went on without it: its rates are of no whole run",
            next="dmesg | tail",
        )


def _test(job: Mapping[str, Any], options: Mapping[str, Any]) -> Test:
    milliseconds = _longest_ms(job) or int(job.get("job_runtime", 0))
    sides = {name: _side(job[name]) for name in ("read", "write")}
    ran_ns = int(job.get("job_runtime", milliseconds)) * 10**6
    syncs = job.get("sync") or {}
    calls = int(syncs.get("total_ios", 0))
    return Test(
        name=str(job["jobname"]),
        by="iops",
        elapsed_ns=milliseconds * 10**6,
        read=sides["read"],
        write=sides["write"],
        sync=SyncResult(calls=calls, latency=_latency(syncs)) if calls else None,
        factors=_factors(options, sides),
        said=_said(options),
        cpu_user_ns=round(job.get("usr_cpu", 0.0) / 100 * ran_ns),
        cpu_system_ns=round(job.get("sys_cpu", 0.0) / 100 * ran_ns),
    )


def _options(given: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, str]:
    """The options of a job. fio prints what was set: others have its default, unless none are
    printed, as for the sum of several clients."""
    own = job.get("job options")
    found = {_ONE_NAME.get(key, key): str(each) for key, each in {**given, **(own or {})}.items()}
    if "buffered" in found:
        found["direct"] = "0" if _in_one_spelling(found["buffered"]) == "1" else "1"
    if found.get("rwmixwrite", "").isdecimal():
        found["rwmixread"] = str(100 - int(found["rwmixwrite"]))
    return found if own is None else {**_DEFAULTS, **found}


def _said(options: Mapping[str, str]) -> dict[str, str]:
    """The options besides sizes and depth by which two jobs are told apart, spelt alike."""
    said = {key: _in_one_spelling(options[key]) for key in _COMPARED if key in options}
    if "sync" in said:
        said["sync"] = {"0": "none", "1": "sync"}.get(said["sync"], said["sync"])
    return said


def _in_one_spelling(text: str) -> str:
    text = text.strip().lower()
    if (size_bytes := binary_bytes(text)) is not None:
        return str(size_bytes)
    return {"": "1", "true": "1", "false": "0", "readwrite": "rw"}.get(text, text)


def _factors(options: Mapping[str, Any], sides: Mapping[str, Side | None]) -> dict[str, Any]:
    """What its own document says of it; the size that all operations had where it says none."""
    found: dict[str, Any] = {}
    done = [side for side in sides.values() if side is not None]
    is_split = any(options.get(name, none) != none for name, none in _UNSPLIT.items())
    size_bytes = None if is_split else binary_bytes(str(options.get("bs", "")))
    if size_bytes is not None:
        found["block_size_bytes"] = size_bytes
    elif done and not is_split and not options.get("bs"):
        total = sum(each.size_bytes for each in done), sum(each.operations for each in done)
        if total[0] and total[0] % total[1] == 0:
            found["block_size_bytes"] = total[0] // total[1]
    for name, word in (("queue_depth", "iodepth"), ("jobs", "numjobs")):
        if str(options.get(word, "")).isdecimal():
            found[name] = int(options[word])
    return found


def _side(side: Mapping[str, Any]) -> Side | None:
    operations = int(side["total_ios"])
    return Side(operations, int(side["io_bytes"]), _latency(side)) if operations else None


def _latency(side: Mapping[str, Any]) -> Histogram:
    of_total = side.get("lat_ns") or {}
    of_completion = side.get("clat_ns") or {}
    known = next(
        (each for each in (of_total, of_completion) if each.get("bins") or each.get("percentile")),
        of_total if of_total.get("N") else of_completion,
    )
    operations = int(known.get("N", 0))
    counts: dict[int, int] = {}
    for latency_ns, each in _steps(known, operations):
        bucket = bucket_of(latency_ns)
        counts[bucket] = counts.get(bucket, 0) + each
    return Histogram(
        sub_bucket_bits=SUB_BUCKET_BITS,
        counts=sorted(counts.items()),
        operations=operations,
        sum_ns=round(float(known.get("mean") or 0.0) * operations),
        min_ns=int(known.get("min") or 0),
        max_ns=int(known.get("max") or 0),
    )


def _steps(known: Mapping[str, Any], operations: int) -> list[tuple[int, int]]:
    """(latency, operations): fio's own bins, or what lies between its percentiles; at 0 ns those
    of which it says nothing."""
    if known.get("bins"):
        found = [(int(latency), int(count)) for latency, count in known["bins"].items() if count]
        if any(count < 0 for _, count in found):
            raise NonsenseError("a histogram has operations below 0")
        return found
    listed = sorted(
        (float(key), int(value)) for key, value in (known.get("percentile") or {}).items()
    )
    found, done = list[tuple[int, int]](), 0
    for percent, latency_ns in listed:
        upto = math.ceil(operations * percent / 100 - 1e-9)
        if not found and upto > 1:
            found, done = [(0, upto - 1)], upto - 1
        if upto > done:
            found.append((latency_ns, upto - done))
            done = upto
    return found
