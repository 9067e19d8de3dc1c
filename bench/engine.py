"""The engine: gives it a job, takes the result. Needs a release build."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from file_work import FILE_BYTES, RECORD_BYTES, FileWork, Pass, Took
from side_by_side import Failed, expect
from tool import run_tool

REPOSITORY = Path(__file__).resolve().parent.parent
PLACES = ("target/release/fsgauge-engine", ".venv/bin/fsgauge-engine")


@dataclass(frozen=True)
class Load:
    """The result of a load, with the CPU time of the whole process."""

    result: dict[str, Any]
    cpu_ns: float

    @property
    def part(self) -> dict[str, Any]:
        """The reads, or the writes of a load that has no reads."""
        return dict(self.result["read"] or self.result["write"])

    @property
    def operations(self) -> int:
        """Operations in the measured part."""
        return int(self.part["operations"])

    @property
    def operations_per_second(self) -> float:
        """The rate in the measured part."""
        return self.operations / float(self.result["elapsed_ns"]) * 1e9

    @property
    def smallest_share(self) -> float:
        """Operations of the slowest job, as a share of the jobs' mean."""
        counts = [job["operations"] for job in self.result["jobs"]]
        return float(min(counts)) * len(counts) / sum(counts)

    def latency_ns(self, quantile: float) -> float:
        """Give the middle of the bucket that holds a quantile of the service latency."""
        histogram = self.part["service_latency"]
        rest = quantile * histogram["operations"]
        for index, count in histogram["counts"]:
            rest -= count
            if rest <= 0:
                return bucket_middle(index, histogram["sub_bucket_bits"])
        return float(histogram["max_ns"])


def bucket_middle(index: int, bits: int) -> float:
    """Give the middle of a bucket in nanoseconds (crates/fsgauge-wire/src/histogram.rs)."""
    octave = index >> bits
    if octave < 2:
        return float(index)
    lowest = ((index & ((1 << bits) - 1)) + (1 << bits)) << (octave - 1)
    return lowest + ((1 << (octave - 1)) - 1) / 2


def engine_path() -> str:
    """Find the engine: FSGAUGE_ENGINE, the release build, or the installed one."""
    named = os.environ.get("FSGAUGE_ENGINE")
    for path in [Path(named)] if named else [REPOSITORY / place for place in PLACES]:
        if path.exists():
            return str(path)
    raise Failed("there is no engine\nnext: cargo build --release")


def random_reads(target: dict[str, Any], depth: int, seconds: float, **changes: object) -> Load:
    """Run 4 KiB random reads with one job; `changes` replace keys of the job."""
    job = {
        "format": 1,
        "kind": "load",
        "target": target,
        "interface": "io_uring",
        "direct": True,
        "access": {"kind": "random"},
        "read_percent": 100,
        "block_sizes": [{"size_bytes": 4096, "weight": 1}],
        "queue_depth": depth,
        "jobs": 1,
        "warm_up_ns": 100_000_000,
        "duration_ns": int(seconds * 1e9),
        "seed": 1,
    }
    return load(job | changes)


def shared_writes(
    target: dict[str, Any],
    writers: int,
    depth: int,
    seconds: float,
    **changes: object,
) -> Load:
    """Run 8 KiB writes by several jobs, each through all of the target; psync at depth 1."""
    return random_reads(
        target,
        depth,
        seconds,
        read_percent=0,
        access={"kind": "sequential"},
        ranges={"kind": "shared"},
        block_sizes=[{"size_bytes": 8192, "weight": 1}],
        interface="psync" if depth == 1 else "io_uring",
        jobs=writers,
        **changes,
    )


class Files:
    """Writes and reads files by clients in event loops, a directory each."""

    name = "engine"
    own_time = True
    goal = 1.0
    passes: tuple[Pass, ...] = ("write", "read")

    def __init__(self) -> None:
        self.checked_records = 0
        self._user_ns = self._system_ns = 0

    @property
    def kernel_share(self) -> float:
        """The kernel's share of the processor time of all passes so far."""
        return self._system_ns / max(self._user_ns + self._system_ns, 1)

    def run(self, what: Pass, work: FileWork) -> Took:
        """Run one pass; what is read is not compared, as the peers do not compare it."""
        target = {"kind": "path", "directory": str(work.directory)}
        begin = time.perf_counter()
        done = clients(target, what, work.clients, work.files_per_client)
        wall_seconds = time.perf_counter() - begin
        result = done.result
        expect(result[what]["operations"], work.records, f"records that the engine {what}s")
        self._user_ns += result["cpu"]["user_ns"]
        self._system_ns += result["cpu"]["system_ns"]
        peak_bytes = result["clients"]["peak_memory_bytes"]
        return Took(result["elapsed_ns"] / 1e9, wall_seconds, done.cpu_ns / 1e9, peak_bytes)

    def check(self, work: FileWork) -> None:
        """Read everything again and compare it with what was written."""
        target = {"kind": "path", "directory": str(work.directory)}
        done = clients(target, "read", work.clients, work.files_per_client, verify=True)
        found = done.result["clients"]
        expect(found["checked_records"], work.records, "records compared")
        expect(found["bad_records"], 0, "records are not what was written")
        self.checked_records += work.records


def null_client_cost_ns(number: int, files_per_client: int) -> float:
    """Give the CPU time of one of all operations of clients that write to nothing, in one loop."""
    result = clients({"kind": "null"}, "write", number, files_per_client, threads=1).result
    done = sum(each["operations"] for each in result["clients"]["operations"])
    return float((result["cpu"]["user_ns"] + result["cpu"]["system_ns"]) / done)


def clients(
    target: dict[str, Any],
    phase: str,
    number: int,
    files_per_client: int,
    inside: Sequence[str] = (),
    **changes: object,
) -> Load:
    """Run clients; `changes` replace keys of the job. Every file must have been done."""
    job = {
        "format": 1,
        "kind": "clients",
        "target": target,
        "phase": {"kind": phase},
        "clients": number,
        "files": {
            "clients": number,
            "files_per_client": files_per_client,
            "sizes": {"kind": "cycle", "sizes_bytes": [FILE_BYTES]},
            "record_size_bytes": RECORD_BYTES,
            "tree": {"kind": "own"},
        },
        "time_limit_ns": 100_000_000_000,
        "seed": 1,
    }
    done = load(job | changes, inside)
    found = done.result["clients"]
    expect(found["files"], number * files_per_client, f"files of phase {phase}")
    expect(len(found["errors"]), 0, f"kinds of errors: {found['errors']}")
    return done


def load(job: dict[str, Any], inside: Sequence[str] = ()) -> Load:
    """Run one load; `inside` is what its command begins with."""
    finished = run_tool([*inside, engine_path()], json.dumps(job))
    events = [json.loads(line) for line in finished.output.splitlines()]
    if events[0]["engine"]["profile"] != "release":
        raise Failed("this engine is not optimised\nnext: cargo build --release")
    return Load(events[-1]["result"], finished.cpu_ns)
