"""fio: builds its command, reads its JSON. https://github.com/axboe/fio"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass
from typing import Any

from file_work import FILE_BYTES, RECORD_BYTES, FileWork, Pass, Took
from side_by_side import Skipped, expect
from tool import Finished, run_tool

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
    """The reads or writes of fio's jobs, with the CPU time of the whole of fio."""

    part: dict[str, Any]
    cpu_ns: float
    job_operations: tuple[int, ...] = ()

    @property
    def operations(self) -> int:
        """How many there were."""
        return int(self.part["total_ios"])

    @property
    def operations_per_second(self) -> float:
        """The rate over fio's own run time."""
        return float(self.part["iops"])

    @property
    def smallest_share(self) -> float:
        """Operations of the slowest job, as a share of the jobs' mean."""
        counts = self.job_operations
        return float(min(counts)) * len(counts) / sum(counts)

    def latency_ns(self, quantile: str) -> float:
        """Give a percentile, such as "99.000000", of clat: from submission to completion.

        The middle of the bucket, as the engine's: both have 64 buckets an octave.
        """
        return float(self.part["clat_ns"]["percentile"][quantile])


def random_reads(options: list[str], depth: int, seconds: float) -> Run:
    """Run 4 KiB random reads with one job: a process, which is faster here than a thread."""
    command = [
        "--name=reads",
        "--rw=randread",
        "--bs=4k",
        f"--iodepth={depth}",
        "--norandommap",
        *options,
    ]
    jobs, cpu_ns = run_for(command, seconds)
    return Run(jobs[0]["read"], cpu_ns)


def shared_writes(options: list[str], writers: int, depth: int, seconds: float) -> Run:
    """Run 8 KiB writes by several threads, each through all of the file."""
    command = [
        *writes_of(writers),
        f"--iodepth={depth}",
        "--overwrite=0",
        "--fallocate=none",
        "--ramp_time=100ms",
        *(["--ioengine=psync"] if depth == 1 else AT_ITS_BEST),
        *options,
    ]
    together, cpu_ns = run_for([*command, "--group_reporting"], seconds)
    return Run(together[0]["write"], cpu_ns)


def writes_of(writers: int) -> list[str]:
    """Give the options of 8 KiB writes by so many threads."""
    return ["--name=writes", "--thread", "--rw=write", "--bs=8k", f"--numjobs={writers}"]


def shares_of_writers(options: list[str], writers: int, seconds: float) -> Run:
    """Run 8 KiB writes by several threads on nothing, each reported by itself."""
    jobs, cpu_ns = run_for([*writes_of(writers), "--ioengine=null", *options], seconds)
    counts = tuple(int(job["write"]["total_ios"]) for job in jobs)
    return Run(jobs[0]["write"], cpu_ns, counts)


class Files:
    """Writes and reads files with a thread a client, each file open by itself; pwrite and pread.

    fio looks for every file (stat) before its threads begin, outside of its own time. From then on
    its calls are the engine's: advice to the kernel and dropping of caches are off.
    """

    name = "fio"
    own_time = True
    goal = 1.5
    passes: tuple[Pass, ...] = ("write", "read")

    def run(self, what: Pass, work: FileWork) -> Took:
        """Run one pass; fio makes a client's directory when it opens the first file."""
        options = ["--create_on_open=1", "--fallocate=none"] if what == "write" else []
        begin = time.perf_counter()
        jobs, finished = run_fio(
            [
                "--name=client",
                f"--rw={what}",
                *options,
                "--thread",
                f"--numjobs={work.clients}",
                "--group_reporting",
                "--ioengine=psync",
                f"--bs={RECORD_BYTES}",
                f"--directory={work.directory}",
                "--filename_format=c$jobnum/f$filenum",
                f"--nrfiles={work.files_per_client}",
                f"--filesize={FILE_BYTES}",
                "--openfiles=1",
                "--file_service_type=sequential",
                "--fadvise_hint=0",
                "--invalidate=0",
            ]
        )
        wall_seconds = time.perf_counter() - begin
        part = jobs[0][what]
        expect(part["total_ios"], work.records, f"records that fio {what}s")
        own_seconds = float(part["runtime"]) / 1e3
        return Took(own_seconds, wall_seconds, finished.cpu_ns / 1e9, finished.peak_bytes)


def run_for(options: list[str], seconds: float) -> tuple[list[dict[str, Any]], float]:
    """Run fio for a time; give what its jobs report, and its CPU time."""
    jobs, finished = run_fio(
        [*options, "--time_based", f"--runtime={round(seconds * 1000)}ms", "--clat_percentiles=1"]
    )
    return jobs, finished.cpu_ns


def run_fio(options: list[str]) -> tuple[list[dict[str, Any]], Finished]:
    """Run fio; give what its jobs report."""
    if shutil.which("fio") is None:
        raise Skipped("fio is missing: apt-get install fio")
    finished = run_tool(["fio", *options, "--output-format=json"])
    # fio may print notes before its JSON document.
    document = json.loads(finished.output[finished.output.index("{") :])
    return document["jobs"], finished
