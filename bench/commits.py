"""Commits of 8 KiB, one after the other: the engine against pg_test_fsync, method by method.

Both write the first 8 KiB of a file of 16 MiB that is there, again and again, and make each write
durable. open_datasync goes past the page cache (O_DIRECT) in both, as pg_test_fsync has it; the
others go through it. pg_test_fsync is stopped after its first table: the rest asks other things.
Both make the file for each pair, take the methods in one order, and have no warm-up.

In memory the ext4 is on zram, which takes a block within the call that writes it. Behind a loop
device the rate was the scheduler's: on an idle machine the device's worker ran on the other
processor (11 context switches a commit, 24 k commits a second) or on that of the writer (5
switches, 53 k), for seconds at a time, also within one run of pg_test_fsync, while calls, blocks
and flushes of both tools were the same. zram has no cache to flush: the disk's row has the flushes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine
from scratch import Scratch
from side_by_side import Comparison, Failed, Measure, Sample, Skipped
from tool import LIMIT_SECONDS

Place = Callable[[Scratch], Path]

VARIABLE = "FSGAUGE_PG_TEST_FSYNC"
DEBIAN = Path("/usr/lib/postgresql")
SECONDS = 1
"""The least that pg_test_fsync gives a method."""
COMMIT_BYTES = 8 << 10
LOG_BYTES = 16 << 20
"""A segment of PostgreSQL's log, which pg_test_fsync fills first."""
SYNCS: dict[str, tuple[str, bool]] = {
    "open_datasync": ("dsync", True),
    "fdatasync": ("fdatasync", False),
    "fsync": ("fsync", False),
}
"""The engine's word, and whether the page cache is left out."""
NEXT_TABLE = "two 8kB writes"


def against_pg_test_fsync(place: Place) -> Callable[[Scratch], Comparison]:
    """Operations a second of each method that both have."""

    def comparison(scratch: Scratch) -> Comparison:
        program, folder = pg_test_fsync(), place(scratch)
        log = folder / "log"

        def ours() -> Sample:
            log.unlink(missing_ok=True)
            with log.open("wb") as file:
                file.write(os.urandom(LOG_BYTES))
                file.flush()
                os.fsync(file.fileno())
            return Sample({name: _rate(log, *how) for name, how in SYNCS.items()})

        def theirs() -> Sample:
            table = first_table([program, "-s", str(SECONDS), "-f", str(folder / "pg")])
            return Sample({name: printed(table, name) for name in SYNCS})

        return Comparison("pg_test_fsync", [_alike(name) for name in SYNCS], ours, theirs)

    return comparison


def memory(scratch: Scratch) -> Path:
    """On an ext4 in memory, without a worker between the two."""
    return scratch.ext4_on_zram()


def disk(scratch: Scratch) -> Path:
    """Where the scratch files are: on the machine's own disk."""
    return scratch.directory


def pg_test_fsync() -> str:
    """The program that the variable names, or that of Debian's newest PostgreSQL."""
    named = os.environ.get(VARIABLE)
    packaged = sorted(DEBIAN.glob("*/bin/pg_test_fsync"), key=lambda path: int(path.parts[-3]))
    path = shutil.which(named or (packaged[-1] if packaged else "pg_test_fsync"))
    if path is None:
        raise Skipped(
            f"{VARIABLE} names {named}, which cannot be run"
            if named
            else "pg_test_fsync is missing: apt-get install postgresql"
        )
    return path


def first_table(command: list[str]) -> str:
    """What it prints of one write a commit; it is ended then, and removes its file. Not by SIGINT,
    which what was started in the background ignores."""
    lines: list[str] = []
    # Not timeout(1): a signal that comes before it knows its child's number ends it alone.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        limit = threading.Timer(LIMIT_SECONDS, process.terminate)
        limit.start()
        assert process.stdout is not None  # noqa: S101 - PIPE above
        try:
            for line in process.stdout:
                lines.append(line)
                if NEXT_TABLE in line:
                    process.terminate()
                    return "".join(lines)
        finally:
            limit.cancel()
    raise Failed(f"{' '.join(command)}: ended before its second table\n{''.join(lines)[-2000:]}")


def printed(table: str, name: str) -> float:
    """Operations a second of one method."""
    found = re.search(rf"^\s+{name}\s+([\d.]+) ops/sec", table, re.MULTILINE)
    if found is None:
        raise Failed(f"pg_test_fsync gave no rate of {name}:\n{table[-2000:]}")
    return float(found[1])


def _rate(log: Path, sync: str, direct: bool) -> float:
    target: dict[str, Any] = {"kind": "file", "path": str(log), "size_bytes": COMMIT_BYTES}
    way: dict[str, Any] = {"kind": sync} | ({} if sync == "dsync" else {"every": 1})
    return engine.random_reads(
        target,
        1,
        SECONDS,
        interface="psync",
        direct=direct,
        read_percent=0,
        warm_up_ns=0,
        access={"kind": "sequential"},
        ranges={"kind": "interleaved"},
        block_sizes=[{"size_bytes": COMMIT_BYTES, "weight": 1}],
        sync=way,
    ).operations_per_second


def _alike(name: str) -> Measure:
    short = name.replace("_", "-")
    return Measure(name, short, "commits/s", "0.97 to 1.03", lambda ratio, _: 0.97 <= ratio <= 1.03)
