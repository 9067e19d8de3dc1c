"""A scan against filefrag and e2freefrag: 100,000 small files and 1,000 files of 1,000 extents.

All on one ext4 on a loop device in memory, everything cached, so that the tools' own work shows.
The peers are run as a person runs them: find gives filefrag all files at once, e2freefrag reads the
free space; together they do what the scan does. On one processor each, then the scan on two.
"""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import engine
from peak import run_watched
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample, Skipped, expect
from tool import run_tool

SPEED = "scans_per_second"
ONE_PROCESSOR = ["taskset", "--cpu-list", "0"]


def one_processor(scratch: Scratch) -> Comparison:
    """Compare on one processor."""
    return compare(scratch, threads=1, goal=1.0)


def two_processors(scratch: Scratch) -> Comparison:
    """Compare the scan on two processors with the peers on one, which is all that they use."""
    return compare(scratch, threads=2, goal=1.7)


def compare(scratch: Scratch, *, threads: int, goal: float) -> Comparison:
    """Compare how often a second the whole file system could be scanned."""
    for tool in ("filefrag", "e2freefrag", "taskset"):
        if shutil.which(tool) is None:
            raise Skipped(f"{tool} is missing: apt-get install e2fsprogs util-linux")
    directory, device = scratch.files_to_scan()
    pinned = ONE_PROCESSOR if threads == 1 else []
    job = {"format": 1, "kind": "scan", "path": str(directory), "threads": threads}
    words = json.dumps(job)

    def ours() -> Sample:
        begin = time.perf_counter()
        finished = run_tool([*pinned, engine.engine_path()], words)
        seconds = time.perf_counter() - begin
        result = json.loads(finished.output.splitlines()[-1])["result"]
        expect(result["counts"]["files"], scratch.FILES, "files scanned")
        expect(result["counts"]["extents"], scratch.EXTENTS, "extents found")
        return Sample({SPEED: 1 / seconds})

    def theirs() -> Sample:
        begin = time.perf_counter()
        every_file = f"find {directory} -xdev -type f -print0 | xargs -0 filefrag | tail -n 1"
        run_tool([*ONE_PROCESSOR, "sh", "-c", every_file])
        run_tool([*ONE_PROCESSOR, "e2freefrag", device])
        return Sample({SPEED: 1 / (time.perf_counter() - begin)})

    measure = Measure(SPEED, "speed", "scans/s", f">= {goal}", lambda ratio, _: ratio >= goal)
    return Comparison("filefrag + e2freefrag", [measure], ours, theirs)


def xfs_free_space(scratch: Scratch) -> Comparison:
    """Compare free space of an XFS in many pieces with xfs_spaceman's."""
    directory, _ = scratch.pieces_to_scan("mkfs.xfs", "xfsprogs")
    return against(
        "xfs_spaceman -c freesp",
        directory / "empty",
        ["xfs_spaceman", "-c", "freesp -s", str(directory)],
        "xfsprogs",
    )


def btrfs_trees(scratch: Scratch) -> Comparison:
    """Compare a btrfs, read from its device, with btrfs's own dump of its trees."""
    directory, device = scratch.pieces_to_scan("mkfs.btrfs", "btrfs-progs")
    image = directory.parent / "copy-of-btrfs.img"
    run_tool(["cp", "--sparse=always", device, str(image)])
    return against(
        "btrfs inspect-internal dump-tree",
        image,
        ["btrfs", "inspect-internal", "dump-tree", str(image)],
        "btrfs-progs",
    )


def against(peer: str, path: Path, command: list[str], package: str) -> Comparison:
    """Compare how often a second a scan and a tool's command could be run."""
    if shutil.which(command[0]) is None:
        raise Skipped(f"{command[0]} is missing: apt-get install {package}")
    words = json.dumps({"format": 1, "kind": "scan", "path": str(path), "threads": 1})

    def once(tool: list[str], given: str = "") -> Sample:
        begin = time.perf_counter()
        run_tool([*ONE_PROCESSOR, *tool], given)
        return Sample({SPEED: 1 / (time.perf_counter() - begin)})

    measure = Measure(SPEED, "speed", "scans/s", ">= 1", lambda ratio, _: ratio >= 1)
    return Comparison(
        peer, [measure], lambda: once([engine.engine_path()], words), lambda: once(command)
    )


def memory(scratch: Scratch) -> Comparison:
    """Compare the memory of a scan of all files with that of a scan of a tenth of them."""
    directory, _ = scratch.files_to_scan()

    def peak(path: Path, files: int) -> Sample:
        job = {"format": 1, "kind": "scan", "path": str(path), "threads": 2, "space": False}
        watched = run_watched([engine.engine_path()], json.dumps(job))
        result = json.loads(watched.output.splitlines()[-1])["result"]
        expect(result["counts"]["files"], files, "files scanned")
        return Sample({"peak": watched.peak_bytes / 1e6})

    measure = Measure("peak", "memory", "MB", "<= 1.1", lambda ratio, _: ratio <= 1.1)
    return Comparison(
        "a tenth of the files",
        [measure],
        lambda: peak(directory / "small", scratch.SMALL_FILES),
        lambda: peak(directory / "small" / "0", scratch.SMALL_FILES // 10),
    )
