"""Clients with files: the engine against peers with a thread, or a process, a client.

590 clients write files of 64 KiB in records of 4 KiB and read them again, in memory and on an ext4
in memory, and what they read is then checked. Then what the engine alone costs: CPU time of an
operation that does nothing, of 1, 590 and 10,000 clients, and memory of 10,000.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import elbencho
import engine
import fio
import fs_mark
import plain_files
from compiled import compiled
from file_work import FileTool, FileWork, Pass
from scratch import Scratch
from side_by_side import Comparison, Failed, Measure, Sample, Skipped

CLIENTS = 590
# Per client; of two lengths the difference has no start-up.
LONG, SHORT = 34, 2
# On a busy machine fewer files may take longer.
TRIES = 3
# Clients take turns. One file after the other costs the kernel a sixth less (bench/README.md).
PLAIN: dict[plain_files.Order, float] = {"turns": 0.9, "files": 0.75}
MEMORY_MB = 32
# Operations of a measurement on the null target; 18 a file.
NULL_FILES = 400_000
FLAT = 0.2
MANY = 10_000
MANY_MEMORY_MB = 100
# Files that a process has open beside those of its clients.
OTHER_FILES = 100

Place = Callable[[Scratch], Path]


def tmpfs(scratch: Scratch) -> Path:
    """In memory."""
    return scratch.tmpfs_for_clients()


def ext4(scratch: Scratch) -> Path:
    """On an ext4 in memory."""
    return scratch.ext4_for_clients()


def against_fio(place: Place) -> Callable[[Scratch], Comparison]:
    """Compare with fio."""
    return lambda scratch: compare(fio.Files(), place(scratch))


def against_fs_mark(place: Place) -> Callable[[Scratch], Comparison]:
    """Compare with fs_mark."""
    return lambda scratch: compare(fs_mark.Files(scratch.directory), place(scratch))


def against_elbencho(place: Place) -> Callable[[Scratch], Comparison]:
    """Compare with elbencho."""
    return lambda scratch: compare(elbencho.Files(scratch.directory), place(scratch))


def against_plain(place: Place, order: plain_files.Order) -> Callable[[Scratch], Comparison]:
    """Compare with a loop in C of the same calls, in one order: the part of the kernel."""

    def comparison(scratch: Scratch) -> Comparison:
        peer = plain_files.Files(compiled("plain_files.c", scratch.directory), order)
        return compare(peer, place(scratch), [thrift("write-cpu", PLAIN[order])])

    return comparison


def compare(peer: FileTool, directory: Path, measures: list[Measure] | None = None) -> Comparison:
    """Compare files per second of each pass, and memory, or what is named."""
    mine = engine.Files()
    if measures is None:
        measures = all_measures(peer)

    def sample(tool: FileTool) -> Sample:
        for _ in range(TRIES):
            values = two_lengths(tool, peer.passes, directory)
            if min(values.values()) > 0:
                return Sample(values)
        raise Failed(
            f"error: {tool.name} took longer for fewer files, {TRIES} times\n"
            "cause: other work on this machine\nnext: run it again when the machine is idle"
        )

    def remark(samples: list[Sample]) -> str:
        del samples
        return (
            f"16 records in a file; {mine.checked_records:,} records read back, all as written; "
            f"{mine.kernel_share:.0%} of the engine's processor time were the kernel's"
        )

    return Comparison(peer.name, measures, lambda: sample(mine), lambda: sample(peer), remark)


def all_measures(peer: FileTool) -> list[Measure]:
    """Give what the peer has a number for."""
    measures = []
    for what in peer.passes:
        if peer.own_time:
            measures.append(speed(what, what, peer.goal))
        measures += [speed(f"{what}-wall", f"{what}-wall", peer.goal), thrift(f"{what}-cpu")]
    if peer.own_time:
        measures.append(memory(MEMORY_MB))
    return measures


def two_lengths(tool: FileTool, passes: tuple[Pass, ...], directory: Path) -> dict[str, float]:
    """Run the passes with many and with few files; a rate is below 0 where few took longer."""
    values = {"memory": 0.0}
    walls: dict[tuple[str, int], float] = {}
    cpus: dict[tuple[str, int], float] = {}
    for files in (LONG, SHORT):
        work = FileWork(directory, CLIENTS, files)
        for what in passes:
            took = tool.run(what, work)
            walls[what, files] = took.wall_seconds
            cpus[what, files] = took.cpu_seconds
            values["memory"] = max(values["memory"], took.peak_bytes / 1e6)
            if files == LONG:
                values[what] = work.files / took.own_seconds
            work.expect_files()
        if isinstance(tool, engine.Files):
            tool.check(work)
        work.remove_files()
    for what in passes:
        for key, spent in (("wall", walls), ("cpu", cpus)):
            seconds = spent[what, LONG] - spent[what, SHORT]
            values[f"{what}-{key}"] = CLIENTS * (LONG - SHORT) / seconds if seconds else 0.0
    return values


def speed(key: str, short: str, goal: float) -> Measure:
    """Files per second."""
    return Measure(key, short, "files/s", f">= {goal:g}", lambda ratio, _: ratio >= goal)


def thrift(key: str, goal: float = 1) -> Measure:
    """Files per second of processor time: what is left of a comparison on a busy machine."""
    return Measure(key, key, "files/CPU s", f">= {goal:g}", lambda ratio, _: ratio >= goal)


def memory(limit_mb: int) -> Measure:
    """Judge the engine's peak by itself; the peer's stands beside it."""

    def fits(_: float, samples: list[Sample]) -> bool:
        return max(sample.values["memory"] for sample in samples) <= limit_mb

    return Measure("memory", "memory", "MB", f"each <= {limit_mb}", fits)


def flat(clients: int) -> Callable[[Scratch], Comparison]:
    """Compare CPU time of an operation on the null target with that of one client."""

    def cost(number: int) -> Sample:
        return Sample({"cost": engine.null_client_cost_ns(number, NULL_FILES // number)})

    def is_flat(ratio: float, _: list[Sample]) -> bool:
        return 1 - FLAT <= ratio <= 1 + FLAT

    def comparison(scratch: Scratch) -> Comparison:
        del scratch
        goal = f"{1 - FLAT:.1f} to {1 + FLAT:.1f}"
        measure = Measure("cost", "cost", "ns/operation", goal, is_flat)
        return Comparison("one client", [measure], lambda: cost(clients), lambda: cost(1))

    return comparison


def many(scratch: Scratch) -> Comparison:
    """Compare the memory of 10,000 clients with that of 590."""
    _, open_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files < MANY + OTHER_FILES:
        raise Skipped(f"{open_files} open files are allowed: ulimit -n {MANY + OTHER_FILES}")
    directory = scratch.tmpfs_for_clients()
    tool = engine.Files()

    def peak(clients: int) -> Sample:
        work = FileWork(directory, clients, 1)
        took = [tool.run(what, work) for what in tool.passes]
        tool.check(work)
        work.remove_files()
        return Sample({"memory": max(each.peak_bytes for each in took) / 1e6})

    measures = [memory(MANY_MEMORY_MB)]
    return Comparison("590 clients", measures, lambda: peak(MANY), lambda: peak(CLIENTS))
