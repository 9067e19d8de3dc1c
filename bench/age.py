"""The ager against geriatrix, and against plain loops of the same system calls.

Mode fast: space is allocated with fallocate, no data is written. Every run has an ext4 of its own
on a sparse file in memory, so that no disk is waited for.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engine
import geriatrix
from compiled import compiled
from example import built
from fresh_ext4 import fresh_ext4
from scratch import Scratch
from side_by_side import Comparison, Failed, Measure, Sample, expect
from tool import run_tool

HERE = Path(__file__).resolve().parent
SPACE_BYTES = 3800 << 20
FILE_SYSTEM_BYTES = 4 << 30
OPERATIONS = 200_000
DIRECTORIES = 64
# As published: 20 files of 93.75 GiB, on an OST's 1.9 TB that are used.
LAYOUT_FILES = 20
LAYOUT_FILE_BYTES = 100_663_296_000
LAYOUT_CHUNK_BYTES = 1 << 20
LAYOUT_FILE_SYSTEM_BYTES = 2000 << 30
POWERS = [1 << shift for shift in range(12, 21)]


@dataclass(frozen=True)
class Loop:
    """What a loop did: by its own clocks, without its preparations."""

    operations: int
    seconds: float
    cpu_seconds: float

    @property
    def sample(self) -> Sample:
        """Rates."""
        return Sample(
            {"rate": self.operations / self.seconds, "cpu": self.operations / self.cpu_seconds}
        )


def rates(least: float) -> list[Measure]:
    """Operations by wall time and by processor time, engine over peer."""
    goal = f">= {least}"
    return [
        Measure("rate", "wall", "operations/s", goal, lambda ratio, _: ratio >= least),
        Measure(
            "cpu", "cpu", "operations/s of processor time", goal, lambda ratio, _: ratio >= least
        ),
    ]


def against_python(scratch: Scratch) -> Comparison:
    """Creates and deletes at 80 % full, and a loop in Python that does the same."""
    operations = log(scratch)

    def theirs() -> Sample:
        script = [sys.executable, str(HERE / "plain_loop.py"), "churn"]
        return in_a_loop(scratch, [*script, str(operations)])

    return Comparison("plain loop in Python", rates(1.0), lambda: churn(scratch), theirs)


def against_c(scratch: Scratch) -> Comparison:
    """The same against a loop in C: the kernel's own part."""
    program = compiled("plain_loop.c", scratch.directory)
    operations = log(scratch)

    def theirs() -> Sample:
        return in_a_loop(scratch, [str(program), str(operations)])

    return Comparison("plain loop in C", rates(0.95), lambda: churn(scratch), theirs)


def churn_of_powers(fill_percent: int, overwrites: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Profile and end of a life as geriatrix has it: files of POWERS come and go until the space
    was written so often."""
    bins = [{"at_least_bytes": size, "below_bytes": size + 1, "weight": 1} for size in POWERS]
    profile = {"kind": "churn", "streams": DIRECTORIES, "sizes": {"kind": "bins", "bins": bins}}
    return profile, {"kind": "storage_age", "storage_age": overwrites * 100 / fill_percent}


def against_geriatrix(scratch: Scratch) -> Comparison:
    """Creates and deletes until the space was written three times; sizes and fill are equal."""
    geriatrix.require()
    space_bytes, fill_percent, overwrites = 1 << 31, 80, 3

    def timed(work: Callable[[Path], tuple[int, float]]) -> Sample:
        with fresh_ext4(scratch, FILE_SYSTEM_BYTES) as folder:
            begin = time.perf_counter()
            operations, cpu_seconds = work(folder)
            return Loop(operations, time.perf_counter() - begin, cpu_seconds).sample

    def ours(folder: Path) -> tuple[int, float]:
        profile, end = churn_of_powers(fill_percent, overwrites)
        given = aged(folder, profile, end, space_bytes, fill_percent)
        return given.operations, given.cpu_seconds

    def theirs(folder: Path) -> tuple[int, float]:
        found = geriatrix.age(
            folder,
            scratch.directory,
            sizes_bytes=POWERS,
            directories=DIRECTORIES,
            space_bytes=space_bytes,
            fill_percent=fill_percent,
            overwrites=overwrites,
        )
        return found.operations, found.cpu_seconds

    return Comparison("geriatrix", rates(5.0), lambda: timed(ours), lambda: timed(theirs))


def published_layout(scratch: Scratch) -> Comparison:
    """The published layout in full, and a loop of posix_fallocate in Python: time over time."""
    sizes = [LAYOUT_FILES, LAYOUT_FILE_BYTES, LAYOUT_CHUNK_BYTES]

    def ours() -> Sample:
        profile = {
            "kind": "intermingled",
            "files": LAYOUT_FILES,
            "file_size_bytes": LAYOUT_FILE_BYTES,
            "chunk_bytes": LAYOUT_CHUNK_BYTES,
        }
        with fresh_ext4(scratch, LAYOUT_FILE_SYSTEM_BYTES) as folder:
            return seconds_of(aged(folder, profile, {"kind": "complete"}, None, 100))

    def theirs() -> Sample:
        words = [sys.executable, str(HERE / "plain_loop.py"), "layout"]
        with fresh_ext4(scratch, LAYOUT_FILE_SYSTEM_BYTES) as folder:
            return seconds_of(looped([*words, str(folder), *map(str, sizes)]))

    def seconds_of(loop: Loop) -> Sample:
        chunks = LAYOUT_FILES * (LAYOUT_FILE_BYTES // LAYOUT_CHUNK_BYTES)
        expect(loop.operations, LAYOUT_FILES + chunks, "operations of the layout")
        return Sample({"wall": loop.seconds, "cpu": loop.cpu_seconds})

    goal = "<= 1.0"
    measures = [
        Measure("wall", "wall", "s", goal, lambda ratio, _: ratio <= 1),
        Measure("cpu", "cpu", "s of processor time", goal, lambda ratio, _: ratio <= 1),
    ]
    return Comparison("loop of posix_fallocate in Python", measures, ours, theirs)


def churn_job(directory: str) -> dict[str, Any]:
    """Give the job that both loops do."""
    profile = {"kind": "churn", "streams": DIRECTORIES}
    end = {"kind": "operations", "operations": OPERATIONS}
    return job(directory, profile, end, SPACE_BYTES, 80)


def churn(scratch: Scratch) -> Sample:
    """Let the engine do it."""
    with fresh_ext4(scratch, FILE_SYSTEM_BYTES) as folder:
        done = run_job(churn_job(str(folder)))
    expect(done.operations, OPERATIONS, "operations of the engine")
    return done.sample


def log(scratch: Scratch) -> Path:
    """Give the operations of that job, a line each."""
    path = scratch.directory / "operations"
    if not path.exists():
        written = run_tool([built("operations")], json.dumps(churn_job("/"))).output
        path.write_text(written)
    return path


def in_a_loop(scratch: Scratch, command: list[str]) -> Sample:
    """Run a loop on the log, directories made before."""
    with fresh_ext4(scratch, FILE_SYSTEM_BYTES) as folder:
        for index in range(DIRECTORIES):
            (folder / f"d{index}").mkdir()
        loop = looped([*command, str(folder), str(DIRECTORIES)])
    expect(loop.operations, OPERATIONS, "operations of the loop")
    return loop.sample


def looped(command: list[str]) -> Loop:
    """Read what a loop prints."""
    operations, seconds, cpu_seconds = run_tool(command).output.split()
    return Loop(int(operations), float(seconds), float(cpu_seconds))


def aged(
    folder: Path,
    profile: dict[str, Any],
    end: dict[str, Any],
    space_bytes: int | None,
    fill_percent: int,
) -> Loop:
    """Age a folder; nothing may have failed."""
    return run_job(job(str(folder), profile, end, space_bytes, fill_percent))


def job(
    directory: str,
    profile: dict[str, Any],
    end: dict[str, Any],
    space_bytes: int | None,
    fill_percent: int,
) -> dict[str, Any]:
    """Give a job of mode fast."""
    return {
        "format": 1,
        "kind": "age",
        "directory": directory,
        "profile": profile,
        "mode": "fast",
        "space_bytes": space_bytes,
        "fill_percent": fill_percent,
        "end": end,
        "time_limit_ns": 100_000_000_000,
        "seed": 1,
    }


def run_job(words: dict[str, Any]) -> Loop:
    """Run it; the last syncfs is left out of the wall time, as it is of a loop's."""
    events = [
        json.loads(line)
        for line in run_tool([engine.engine_path()], json.dumps(words)).output.splitlines()
    ]
    if events[0]["engine"]["profile"] != "release":
        raise Failed("this engine is not optimised\nnext: cargo build --release")
    result = events[-1]["result"]
    expect(len(result["errors"]), 0, f"kinds of errors: {result['errors']}")
    if result["ended"] != "complete":
        raise Failed(f"the ageing ended with {result['ended']}")
    return Loop(
        sum(each["done"] for each in result["operations"]),
        (result["elapsed_ns"] - result["sync_ns"]) / 1e9,
        (result["user_ns"] + result["system_ns"]) / 1e9,
    )
