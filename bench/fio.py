"""fio: builds its command, reads its JSON. https://github.com/axboe/fio"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import Any

from side_by_side import Skipped
from tool import run_tool

# Registered files and buffers and batches of 16: fio at its own best at depth 32.
AT_ITS_BEST = [
    "--ioengine=io_uring",
    "--registerfiles",
    "--fixedbufs",
    "--iodepth_batch_submit=16",
    "--iodepth_batch_complete_max=16",
]


@dataclass(frozen=True)
class Run:
    """The read side of one fio job, with the CPU time of the whole of fio."""

    read: dict[str, Any]
    cpu_ns: float

    @property
    def operations(self) -> int:
        """Reads."""
        return int(self.read["total_ios"])

    @property
    def operations_per_second(self) -> float:
        """The rate over fio's own run time."""
        return float(self.read["iops"])

    def latency_ns(self, quantile: str) -> float:
        """Give a percentile, such as "99.000000", of clat: from submission to completion.

        The middle of the bucket, as the engine's: both have 64 buckets an octave.
        """
        return float(self.read["clat_ns"]["percentile"][quantile])


def random_reads(options: list[str], depth: int, seconds: float) -> Run:
    """Run 4 KiB random reads with one job: a process, which is faster here than a thread."""
    if shutil.which("fio") is None:
        raise Skipped("fio is missing: apt-get install fio")
    command = [
        "fio",
        "--name=reads",
        "--rw=randread",
        "--bs=4k",
        f"--iodepth={depth}",
        "--norandommap",
        "--time_based",
        f"--runtime={round(seconds * 1000)}ms",
        "--clat_percentiles=1",
        "--output-format=json",
        *options,
    ]
    finished = run_tool(command)
    # fio may print notes before its JSON document.
    document = json.loads(finished.output[finished.output.index("{") :])
    return Run(document["jobs"][0]["read"], finished.cpu_ns)
