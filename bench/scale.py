#!/usr/bin/env python3
"""Cost against size: `bench/scale.py [WHAT ...] [--most N]`, a line a size.

Processor seconds and memory of whole processes, which other work on the machine changes little.
"Each" is what one more thing costs: the difference to the size before over the difference of sizes;
where it stays the same, the line is straight. docs/evidence/scale.md has what came out.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine
import simulate
from age import churn_of_powers, job
from peak import run_watched
from side_by_side import Failed
from tool import run_tool

Cost = tuple[float, float]
"""Processor seconds and megabytes."""
FILES_OF_A_FOLDER = 1000
FILES_OF_A_CLIENT = 4
JOB_SECONDS = 0.5
AGED_BYTES = 1 << 20
"""Of space for a file, as the powers of two up to some MiB come out."""


def engine_alone(job_words: dict[str, Any]) -> Cost:
    """What a job of the engine takes, run once for its time and once for its memory."""
    command, words = [engine.engine_path()], json.dumps(job_words)
    seconds = run_tool(command, words).cpu_ns / 1e9
    try:
        return seconds, run_watched(command, words).peak_bytes / 1e6
    except Failed:  # it ended within a millisecond
        return seconds, 0.0


def files_scanned(files: int) -> Cost:
    """Small files in folders of a thousand, each opened and asked for its extents."""
    with tempfile.TemporaryDirectory(dir=engine.REPOSITORY / "target") as folder:
        for number in range(files):
            place = Path(folder) / f"{number // FILES_OF_A_FOLDER}"
            if number % FILES_OF_A_FOLDER == 0:
                place.mkdir()
            (place / f"{number}").write_bytes(b"x")
        words = {"format": 1, "kind": "scan", "path": folder, "threads": 1, "space": False}
        return engine_alone(words)


def files_aged(files: int) -> Cost:
    """Files that come and go in the simulator until the space was written three times."""
    space_bytes = files * AGED_BYTES
    profile, end = churn_of_powers(80, 3)
    words = {
        "format": 1,
        "kind": "simulate",
        "policy": simulate.EXT4,
        "device": {"model": "disks-8+2-2012"},
        "size_bytes": max(2 * space_bytes, simulate.SPACE_BYTES),
        "steps": [job("/simulated", profile, end, space_bytes, 80)],
        "without_data": True,
    }
    return engine_alone(words)


def clients(number: int) -> Cost:
    """Clients that write four files each to nothing, in one loop."""
    done = engine.clients({"kind": "null"}, "write", number, FILES_OF_A_CLIENT, threads=1)
    return done.cpu_ns / 1e9, done.result["clients"]["peak_memory_bytes"] / 1e6


def jobs(number: int) -> Cost:
    """Jobs that read nothing at depth 1 for a time: processor seconds of a million operations."""
    target = {"kind": "null", "size_bytes": 100 << 30}
    words = {"ranges": {"kind": "shared"}, "jobs": number, "warm_up_ns": 0}
    done = engine.random_reads(target, 1, JOB_SECONDS, **words)
    return done.cpu_ns / 1e9 / (done.operations / 1e6), 0.0


def hosts(number: int) -> Cost:
    """The coordinator until so many stub hosts have said who they are; theirs is not in it."""
    import stub_fleet
    from fsgauge.rig.fleet.hosts import started_hosts
    from fsgauge.rig.fleet.model import Host

    with stub_fleet._launcher() as launcher:
        spent = time.process_time()
        named = [Host(name=f"h{each:04d}") for each in range(number)]
        with started_hosts(named, launcher, "127.0.0.1"):
            took = time.process_time() - spent
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def rows(number: int) -> Cost:
    """The report of a study of 96 runs with so many rows in all."""
    import ten_million_rows

    ten_million_rows.BLOCKS = 1
    ten_million_rows.BUCKETS = max(1, int(number / 96 * 0.4 / 2))
    ten_million_rows.INTERVALS = max(1, int(number / 96 * 0.6))
    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-") as scratch:
        folder, _ = ten_million_rows.make(Path(scratch))
        _, processor, memory = ten_million_rows.report(folder)
    return processor, memory


def systems(number: int) -> Cost:
    """The report of a study of one cell, six blocks and so many systems."""
    import ten_million_rows

    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-") as scratch:
        made = ten_million_rows.make_study(
            systems={name: name for name in ("raw", *(f"s{each}" for each in range(1, number)))},
            patterns=("randread",),
            block_sizes=(4096,),
            queue_depths=(1,),
        )
        _, processor, memory = ten_million_rows.report(made.write(Path(scratch) / "study"))
    return processor, memory


def groups(number: int) -> Cost:
    """The emptiest sixteenth of a device of so many groups, as `scan --empty-region` finds it."""
    code = (
        "import sys; from types import SimpleNamespace as N; from array import array\n"
        "from fsgauge.engine.wire import Group; from fsgauge.engine.wire.base import Packed\n"
        "from fsgauge.scan.region import empty_region\n"
        "n = int(sys.argv[1]); numbers = {\n"
        "    'offset_bytes': (i << 27 for i in range(n)),\n"
        "    'size_bytes': (1 << 27 for _ in range(n)),\n"
        "    'free_bytes': (i * 7919 % (1 << 27) for i in range(n)),\n"
        "    'free_extents': (1 for _ in range(n)), 'largest_free_bytes': (9 for _ in range(n))}\n"
        "columns = tuple(array('Q', numbers[name]) for name in Group.model_fields)\n"
        "scan = N(groups=Packed(Group, columns), group_count=n, ended='', source=N())\n"
        "import time; begin = time.process_time(); empty_region(scan, (n // 16 or 1) << 27)\n"
        "print(time.process_time() - begin)"
    )
    watched = run_watched([sys.executable, "-c", code, str(number)], "")
    return float(watched.output), watched.peak_bytes / 1e6


WHAT: dict[str, tuple[Callable[[int], Cost], list[int]]] = {
    "files-scanned": (files_scanned, [10**power for power in range(3, 8)]),
    "groups": (groups, [1000, 10_000, 65_536, 10**6, 5_300_000]),
    "files-aged": (files_aged, [10**power for power in range(3, 8)]),
    "clients": (clients, [10**power for power in range(6)]),
    "jobs": (jobs, [4**power for power in range(6)]),
    "hosts": (hosts, [1, 10, 100, 1000]),
    "rows": (rows, [10**power for power in range(3, 9)]),
    "systems": (systems, [2, 5, 10, 20, 50, 100]),
}


def main() -> None:
    """Print a table in Markdown, a line as it is measured."""
    parser = argparse.ArgumentParser(description="Cost against size.")
    parser.add_argument("what", nargs="*", choices=[[], *WHAT], default=[])
    parser.add_argument("--most", type=int, default=10**5, help="no larger size (default 10^5)")
    options = parser.parse_args()
    print("| what | size | CPU s | MB | each, µs |\n| --- | --- | --- | --- | --- |")
    for what in options.what or WHAT:
        measure, sizes = WHAT[what]
        before: tuple[int, float] | None = None
        for size in sizes:
            if size > options.most:
                break
            seconds, megabytes = measure(size)
            each = f"{(seconds - before[1]) / (size - before[0]) * 1e6:.3g}" if before else ""
            print(f"| {what} | {size:,} | {seconds:.3g} | {megabytes:.0f} | {each} |", flush=True)
            before = size, seconds


if __name__ == "__main__":
    sys.exit(main())
