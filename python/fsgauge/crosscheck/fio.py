"""The installed fio: its version, a run, and the numbers in its JSON that the engine has as well.
fio may print messages before the document, and "-nan", which is not JSON.

Its command line for one job of the engine is the same load on the very same target. Where fio has a
cheaper way to do the same work it gets it: registered files and buffers, one histogram an
operation, no clock reads beside it. Option names and meanings: fio's HOWTO, version 3.33.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from typing import Any

from fsgauge.crosscheck.sitting import not_installed
from fsgauge.engine import wire
from fsgauge.errors import InputError, RigError
from fsgauge.machine.process.tool import find_tool, run_tool

_SLACK_SECONDS = 120.0


def fio_version() -> str:
    """The version of the installed fio; RigError without one."""
    if find_tool("fio") is None:
        raise not_installed("fio", "apt-get install fio")
    said = run_tool(["fio", "--version"])
    if said.exit_code != 0 or not said.output.strip():
        raise RigError(
            "fio --version failed",
            details=(said.words[:200],),
            cause="its installation is not whole: a library is missing",
            next="apt-get install --reinstall fio",
        )
    return said.output.strip().splitlines()[-1]


def run_fio(command: list[str], lasts_ns: int) -> dict[str, Any]:
    """fio's JSON document; RigError with its own message when it fails."""
    seconds = lasts_ns / 1e9 + _SLACK_SECONDS
    said = run_tool(command, seconds=seconds)
    if said.exit_code != 0:
        raise RigError(
            f"fio failed (exit code {said.exit_code})",
            details=(shlex.join(command), *said.words.splitlines()[:6]),
            cause="see the message above; an old fio, or one built without io_uring, lacks options",
            next="fio --version; fio --enghelp",
        )
    return parse_fio(said.output)


_NO_NUMBER = re.compile(r"([:\[,]\s*)-?(?:nan|inf)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Numbers:
    """One run: metrics by name, and the share of time that a thread was on a CPU."""

    values: dict[str, float]
    processor_share: float


def parse_fio(text: str) -> dict[str, Any]:
    """The JSON document in fio's output; RigError without one."""
    cleaned = _NO_NUMBER.sub(r"\1null", text)
    decoder = json.JSONDecoder()
    for begin in re.finditer(r"^\{", cleaned, flags=re.MULTILINE):
        try:
            document, _ = decoder.raw_decode(cleaned, begin.start())
        except json.JSONDecodeError:
            continue
        if isinstance(document, dict) and document.get("jobs"):
            return document
    raise RigError(
        "fio printed no results",
        details=tuple(text.strip().splitlines()[:5]),
        cause="it failed, or is too old to print JSON",
        next="fio --version   (3.13 or newer knows io_uring)",
    )


def fio_numbers(document: dict[str, Any]) -> Numbers:
    """Metrics of one run, all jobs together; RigError where fio's JSON is not as expected. Latency
    is fio's "lat": from the moment an operation is ready to its completion."""
    try:
        return _numbers(document["jobs"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise RigError(
            f"fio's results lack a compared value: {type(error).__name__} {error}",
            details=(f"written by {document.get('fio version', 'an unknown version')}",),
            cause="this version of fio writes other JSON",
            next="fio --version",
        ) from error


def _numbers(jobs: list[dict[str, Any]]) -> Numbers:
    if len(jobs) != 1:
        raise ValueError(f"{len(jobs)} groups instead of one")
    job = jobs[0]
    if job["error"]:
        raise RigError(
            f"fio met I/O error {job['error']}: {os.strerror(job['error'])}",
            cause="the storage failed, or is full",
            next="dmesg | tail; df -h",
        )
    operations = sum(job[side]["total_ios"] for side in ("read", "write"))
    if not operations:
        raise RigError(
            f"fio did not read or write in {job.get('jobname', 'its job')}",
            cause="its time was over before the first operation, or a pace allows none",
            next="a longer workload.duration; of groups with times of their own,"
            " workload.group.NAME.duration",
        )
    share = (job["usr_cpu"] + job["sys_cpu"]) / 100
    values = {
        "iops": sum(float(job[side]["iops"]) for side in ("read", "write")),
        "cpu": share * job["job_runtime"] * 1e6 / operations,
    }
    for side in ("read", "write"):
        if job[side]["total_ios"]:
            values |= {f"{side}.{name}": value for name, value in _latencies(job[side]).items()}
    return Numbers({name: value for name, value in values.items() if value > 0}, share)


def _latencies(side: dict[str, Any]) -> dict[str, float]:
    latency = side["lat_ns"]
    percentiles = {float(key): float(value) for key, value in latency["percentile"].items()}
    named = {name: percentiles[percent] for name, percent in QUANTILES.items()}
    return {"mean": float(latency["mean"]), **named}


ENGINE_BATCH = 16
"""How many operations the engine submits at once where they do not go straight to a device."""
LONGEST_NAMES = 4096
"""fio refuses a longer list of file names."""
QUANTILES = {"p50": 50.0, "p99": 99.0, "p999": 99.9}


def fio_command(job: wire.LoadJob, *, own_batches: bool = False) -> list[str]:
    """Arguments, the program's name first; raises InputError where fio has no equal. With
    `own_batches`, fio submits and reaps with its defaults, not in the engine's batches."""
    require_equal_exists(job)
    return [
        "fio",
        "--output-format=json",
        "--thread",
        "--group_reporting",
        *_load(job),
        *_queue(job, own_batches=own_batches),
        *_data(job),
        *_time(job),
        *measurement(),
        *_jobs(job),
    ]


def require_equal_exists(job: wire.LoadJob) -> None:
    several = isinstance(job.target, wire.FilesTarget) and job.target.count > 1
    if isinstance(job.access, wire.ZipfAccess) and several:
        raise InputError(
            "fio has no equivalent of a zipf load on several files",
            cause="fio draws hot places inside each file, the engine over all files together",
            next="--set workload.files=1, or --set workload.distribution=uniform",
        )
    if isinstance(job.access, wire.ZipfAccess) and job.access.theta == 1:
        raise InputError("fio refuses zipf with theta 1", next="--set workload.zipf_theta=1.1")
    if isinstance(job.target, wire.FilesTarget):
        _require_nameable(job, job.target)


def _require_nameable(job: wire.LoadJob, files: wire.FilesTarget) -> None:
    sequential = isinstance(job.access, wire.SequentialAccess)
    if sequential and files.count % job.jobs:
        raise InputError(
            f"fio cannot share {files.count} files among {job.jobs} sequential jobs",
            cause="the engine's jobs can begin in the middle of a file, fio's cannot",
            next=f"--set workload.files={job.jobs}",
        )
    on_files(files, 0, files.count // job.jobs if sequential else files.count)


def _load(job: wire.LoadJob) -> list[str]:
    order = "" if isinstance(job.access, wire.SequentialAccess) else "rand"
    direction = {100: "read", 0: "write"}.get(job.read_percent, "rw")
    options = [
        f"--rw={order}{direction}",
        f"--bs={job.block_sizes[0].size_bytes}",
        f"--direct={int(job.direct)}",
        "--invalidate=0",
        "--fadvise_hint=0",
        f"--randseed={job.seed}",
    ]
    if direction == "rw":
        options.append(f"--rwmixread={job.read_percent}")
    if isinstance(job.access, wire.RandomAccess | wire.ZipfAccess):
        options.append("--norandommap")
    if isinstance(job.access, wire.ZipfAccess):
        options.append(f"--random_distribution=zipf:{job.access.theta}")
    return options


def _queue(job: wire.LoadJob, *, own_batches: bool) -> list[str]:
    options = [f"--ioengine={job.interface}", f"--iodepth={job.queue_depth}"]
    if job.interface == "io_uring":
        options += ["--registerfiles", "--fixedbufs"]
    if job.interface == "io_uring" and not own_batches:
        options += [
            f"--iodepth_batch_submit={engine_batch(job)}",
            f"--iodepth_batch_complete_min={job.batch or 1}",
            f"--iodepth_batch_complete_max={job.queue_depth}",
        ]
    return options


def engine_batch(job: wire.LoadJob) -> int:
    """How many operations the engine submits at once, by its job or by default."""
    by_itself = 1 if job.direct and not isinstance(job.target, wire.NullTarget) else ENGINE_BATCH
    return min(job.batch or job.submit_batch or by_itself, job.queue_depth)


def _data(job: wire.LoadJob) -> list[str]:
    """What is written. Like the engine, fio then fills once and changes a few words each time."""
    if job.read_percent == 100:
        return []
    keep = ["--fallocate=none", "--allow_file_create=0"]
    match job.data:
        case wire.ZeroData():
            return [*keep, "--zero_buffers"]
        case wire.CompressibleData(compressible_percent=percent):
            return [*keep, f"--buffer_compress_percentage={percent}", "--refill_buffers"]
        case wire.DuplicatedData(duplicate_percent=same, compressible_percent=percent):
            compressed = [f"--buffer_compress_percentage={percent}"] if percent else []
            return [*keep, f"--dedupe_percentage={same}", *compressed]
        case _:
            return [*keep, "--scramble_buffers=1"]


def _time(job: wire.LoadJob) -> list[str]:
    options = ["--time_based", f"--runtime={_duration(job.duration_ns)}"]
    if job.warm_up_ns:
        options.append(f"--ramp_time={_duration(job.warm_up_ns)}")
    if job.rate is not None:
        process = {"constant": "linear", "exponential": "poisson"}[job.rate.arrival]
        options += [f"--rate_iops={_rates(job)}", f"--rate_process={process}"]
    return options


def _rates(job: wire.LoadJob) -> str:
    """Reads, writes: of one job, which is how fio counts."""
    rate = job.rate.operations_per_second / job.jobs if job.rate else 0.0
    shares = (job.read_percent / 100, 1 - job.read_percent / 100)
    return ",".join(str(max(1, round(rate * share))) if share else "" for share in shares)


def measurement() -> list[str]:
    """Total latency of every operation, and nothing that only costs fio time."""
    quantiles = ":".join(f"{quantile:g}" for quantile in QUANTILES.values())
    return [
        "--disk_util=0",
        "--disable_slat=1",
        "--disable_clat=1",
        "--clat_percentiles=0",
        "--lat_percentiles=1",
        f"--percentile_list={quantiles}",
    ]


def _jobs(job: wire.LoadJob) -> list[str]:
    """The target; sequential jobs get a share each, as the engine's do."""
    if isinstance(job.access, wire.SequentialAccess) and job.jobs > 1:
        return [
            word
            for number in range(job.jobs)
            for word in (f"--name=crosscheck{number}", *_share(job, number))
        ]
    return ["--name=crosscheck", f"--numjobs={job.jobs}", *_share(job, 0, of=1)]


def _share(job: wire.LoadJob, number: int, of: int | None = None) -> list[str]:
    """Part `number` of the target, in `of` equal parts (one a job)."""
    parts = of or job.jobs
    match job.target:
        case wire.FilesTarget() as files:
            count = files.count // parts
            named = on_files(files, number * count, count)
            return [*named, f"--file_service_type={_service(job, files)}"]
        case wire.BlockTarget(path=path, offset_bytes=offset, size_bytes=size):
            return _region(job, path, offset, size, number, parts)
        case wire.FileTarget(path=path, size_bytes=size):
            return _region(job, path, 0, size, number, parts)
        case wire.NullTarget(size_bytes=size):
            return ["--ioengine=null", f"--size={size}"]
        case _:
            raise InputError(
                "fio is not asked about a share",
                cause="it reaches files through this machine's kernel alone",
                next="cross-check the same cells on a path",
            )


def on_files(
    files: wire.FilesTarget, first: int, count: int, fewer: str = "--set workload.files=256"
) -> list[str]:
    """The options that name so many files, from one on; InputError where fio cannot take all of
    the names, and the next command is `fewer`."""
    numbers = range(first, first + count)
    names = ":".join(_escaped(f"{files.prefix}{number:04d}") for number in numbers)
    if len(names) > LONGEST_NAMES:
        raise InputError(
            f"fio cannot take the names of {count} files",
            cause=f"its option filename takes {LONGEST_NAMES} characters",
            next=fewer,
        )
    return [
        # fio takes a link for no folder, and /proc names an open one by a link: a slash.
        f"--directory={_escaped(files.directory)}/",
        f"--filename={names}",
        f"--filesize={files.file_size_bytes}",
        f"--size={count * files.file_size_bytes}",
    ]


def _region(
    job: wire.LoadJob, path: str, offset: int, size: int, number: int, parts: int
) -> list[str]:
    step = job.block_sizes[0].size_bytes
    begin, end = (size // step * part // parts * step for part in (number, number + 1))
    return [f"--filename={_escaped(path)}", f"--offset={offset + begin}", f"--size={end - begin}"]


def _service(job: wire.LoadJob, files: wire.FilesTarget) -> str:
    """Which file is next: any, as likely as the others; or the next when one was walked through.
    "sequential" would close and open each file as it is walked through, the engine does not; this
    way fio does so only after a pass over all of them."""
    if isinstance(job.access, wire.SequentialAccess):
        return f"roundrobin:{files.file_size_bytes // job.block_sizes[0].size_bytes}"
    return "random"


def _escaped(path: str) -> str:
    """A colon separates names."""
    return path.replace(":", "\\:")


def _duration(duration_ns: int) -> str:
    milliseconds, rest = divmod(duration_ns, 1_000_000)
    return f"{duration_ns // 1000}us" if rest else f"{milliseconds}ms"
