"""The engine: gives it a job, takes the result. Needs a release build."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    raise SystemExit("error: there is no engine\nnext: cargo build --release")


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


def load(job: dict[str, Any]) -> Load:
    """Run one load."""
    finished = run_tool([engine_path()], json.dumps(job))
    events = [json.loads(line) for line in finished.output.splitlines()]
    if events[0]["engine"]["profile"] != "release":
        raise SystemExit("error: this engine is not optimised\nnext: cargo build --release")
    return Load(events[-1]["result"], finished.cpu_ns)
