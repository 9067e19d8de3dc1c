"""Whole lives of the simulator: against geriatrix without I/O, and the published study in full.

geriatrix without I/O keeps account of its files and chooses no blocks, as the engine's op log does
by itself. A life of the engine keeps account of files, inodes, directories and commits as well, and
chooses blocks as ext4 of Linux 6.18 does.
"""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import allocate
import engine
import geriatrix
from age import DIRECTORIES, LAYOUT_FILE_BYTES, LAYOUT_FILES, POWERS, churn_of_powers, job
from example import built
from scratch import Scratch
from side_by_side import Comparison, Failed, Measure, Sample, expect
from tool import run_tool

MIB = 1 << 20
SIZES_MIB = (1, 2, 4, 8)
TARGETS_OF_A_SIZE = 8
# As published: 20.8 TiB, begun at group 60,000, 64 requests of 1 MiB in flight.
TARGET_BYTES = 170_394 << 27
LAST_GROUP = 60_000
STREAMS, QUEUE_DEPTH = 4, 16
GOAL_SECONDS = 20.0
PROCESSORS = 2
SPACE_BYTES = 1 << 32
AGES = 10
"""As many as the profile agrawal has, which geriatrix ships; the largest has 24."""
EXT4 = {"kind": "ext4", "release": "6.18"}


@dataclass(frozen=True)
class Life:
    """What became of its steps, and the processor time of the whole process."""

    steps: list[dict[str, Any]]
    cpu_seconds: float


def against_geriatrix(scratch: Scratch) -> Comparison:
    """Creates and deletes until the space was written three times; sizes and fill are equal. Beside
    the whole life also the account of files alone, which is all that geriatrix keeps, and the free
    space alone, which is what the model of mballoc adds."""
    geriatrix.require()
    operations = built("operations")
    allocations = allocate.rate("mballoc", 1 << 40, 0.0)(scratch).engine
    space_bytes, fill_percent, overwrites = SPACE_BYTES, 80, 3

    def ours() -> Sample:
        profile, end = churn_of_powers(fill_percent, overwrites)
        step = job("/simulated", profile, end, space_bytes, fill_percent)
        life = lived(EXT4, 2 * SPACE_BYTES, [step], without_data=True)
        result = life.steps[0]["result"]
        expect(len(result["errors"]), 0, "kinds of errors")
        done = sum(each["done"] for each in result["operations"])
        drawn = run_tool([operations, "count"], json.dumps(step))
        return Sample(
            {
                "account": int(drawn.output) * 1e9 / drawn.cpu_ns,
                "life": done / life.cpu_seconds,
                "space": allocations().values["cpu"],
            }
        )

    def theirs() -> Sample:
        found = geriatrix.age(
            scratch.directory,
            scratch.directory,
            sizes_bytes=POWERS,
            directories=DIRECTORIES,
            space_bytes=space_bytes,
            fill_percent=fill_percent,
            overwrites=overwrites,
            ages=AGES,
            no_io=True,
        )
        rate = found.operations / found.cpu_seconds
        return Sample({"account": rate, "life": rate, "space": rate})

    unit = "operations/s of processor time"
    measures = [
        Measure("account", "account", unit, ">= 500", lambda ratio, _: ratio >= 500),
        Measure("life", "life", unit, ">= 500", lambda ratio, _: ratio >= 500),
        Measure("space", "space", unit, ">= 500", lambda ratio, _: ratio >= 500),
    ]
    return Comparison("geriatrix without I/O", measures, ours, theirs)


def published(_: Scratch) -> Comparison:
    """The published study on all of its 32 targets, eight of each size, two at a time."""
    if (os.cpu_count() or 1) < PROCESSORS:
        raise Failed(f"this machine has no {PROCESSORS} processors")

    def ours() -> Sample:
        begin = time.perf_counter()
        sizes = [size for size in reversed(SIZES_MIB) for _ in range(TARGETS_OF_A_SIZE)]
        with ThreadPoolExecutor(PROCESSORS) as pool:
            moved = list(pool.map(target_life, sizes))
        expect(len(moved), TARGETS_OF_A_SIZE * len(SIZES_MIB), "targets")
        return Sample({"wall": time.perf_counter() - begin})

    goal = f"<= {GOAL_SECONDS:g} s"
    measures = [
        Measure("wall", "wall", "s", goal, lambda ratio, _: ratio <= 1, limit=GOAL_SECONDS),
    ]
    return Comparison("goal", measures, ours, lambda: Sample({}))


def target_life(size_mib: int) -> int:
    """One target: clean rates, 20 files in turns, then each deleted and the rates measured again;
    gives the bytes moved."""
    policy = {
        "kind": "ldiskfs",
        "prealloc_table_blocks": [size_mib * MIB // 4096],
        "last_group": LAST_GROUP,
    }
    each_bytes = LAYOUT_FILE_BYTES * 9 // 10 // STREAMS
    file_bytes = each_bytes - each_bytes % MIB
    steps = [rates(file_bytes, 0), rates(file_bytes, 100), clear("/simulated/rate")]
    profile = {
        "kind": "intermingled",
        "files": LAYOUT_FILES,
        "file_size_bytes": LAYOUT_FILE_BYTES,
        "chunk_bytes": MIB,
    }
    steps.append(job("/simulated/aged", profile, {"kind": "complete"}, None, 100))
    # What is left is not the region's.
    steps.append({"kind": "ballast", "path": "/simulated/ballast", "leave_bytes": 0})
    for number in range(LAYOUT_FILES):
        path = f"/simulated/aged/d0000/f{number:07}"
        steps += [{"kind": "delete", "path": path}, rates(file_bytes, 0), rates(file_bytes, 100)]
        steps.append(clear("/simulated/rate"))
    done = lived(policy, TARGET_BYTES, steps).steps
    moved = [int(each["moved"]["size_bytes"]) for each in done if each.get("moved")]
    expect(len(moved), 2 + 2 * LAYOUT_FILES, "rates")
    expect(min(moved), STREAMS * file_bytes, "bytes in the shortest run")
    return sum(moved)


def rates(file_bytes: int, read_percent: int) -> dict[str, Any]:
    """Streams that each write or read a file of their own."""
    target = {
        "kind": "files",
        "directory": "/simulated/rate",
        "prefix": "rate-",
        "count": STREAMS,
        "file_size_bytes": file_bytes,
    }
    return {
        "format": 1,
        "kind": "load",
        "target": target,
        "interface": "io_uring",
        "direct": True,
        "access": {"kind": "sequential"},
        "read_percent": read_percent,
        "block_sizes": [{"size_bytes": MIB, "weight": 1}],
        "queue_depth": QUEUE_DEPTH,
        "jobs": STREAMS,
        "duration_ns": 1,
        "seed": 1,
        "ranges": {"kind": "own_files"},
        "passes": 1,
        "extend": read_percent == 0,
    }


def clear(directory: str) -> dict[str, Any]:
    """Every file of a folder is deleted."""
    return {"kind": "clear", "directory": directory}


def lived(
    policy: dict[str, Any], size_bytes: int, steps: list[dict[str, Any]], **more: object
) -> Life:
    """A life, whole."""
    words = {
        "format": 1,
        "kind": "simulate",
        "policy": policy,
        "device": {"model": "disks-8+2-2012"},
        "size_bytes": size_bytes,
        "steps": steps,
        **more,
    }
    finished = run_tool([engine.engine_path()], json.dumps(words))
    events = [json.loads(line) for line in finished.output.splitlines()]
    if events[0]["engine"]["profile"] != "release":
        raise Failed("this engine is not optimised\nnext: cargo build --release")
    done: list[dict[str, Any]] = events[-1]["result"]["steps"]
    faults = [each["fault"]["what"] for each in done if each.get("fault")]
    expect(len(faults), 0, f"faults: {faults}")
    expect(len(done), len(steps), "steps")
    return Life(done, finished.cpu_ns / 1e9)
