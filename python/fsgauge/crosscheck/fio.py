"""The installed fio: its version, a run, and the numbers in its JSON that the engine has as well.
fio may print messages before the document, and "-nan", which is not JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from typing import Any

from fsgauge.crosscheck.fio_command import QUANTILES
from fsgauge.crosscheck.sitting import not_installed
from fsgauge.errors import RigError
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
            next="a longer workload.duration",
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
