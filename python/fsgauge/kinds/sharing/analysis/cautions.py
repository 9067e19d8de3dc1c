"""What tests of sharing do not show: the disk where a cache answers, a cluster on one node.

The rule for caches is that of the published comparison, "file size twice the memory", for client
and server together. A write that is not flushed may end in memory whatever its file's size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.kinds.sharing.analysis.model import CellMemory
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.record.machine import LOAD, SERVER, Machine, with_role
from fsgauge.record.records import Plan
from fsgauge.stats.analysis import Material
from fsgauge.stats.evidence import finding, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.wording import listed
from fsgauge.units import exact_size, format_size

SHARE_FOR_FILES = 0.85
"""Of its storage, what every file system of the study leaves for files."""
TIMES = 2
"""A file is larger than caches from so many times the memory on."""


def memory_of(material: Material) -> list[CellMemory]:
    machines = counted(material.environment.machines)
    return [
        found
        for cell in material.study.plan.cells
        if (found := _of_cell(cell.id, SharingFactors.of(cell), machines)) is not None
    ]


def counted(machines: Sequence[Machine]) -> list[Machine]:
    """The machines whose memory may hold a client's file: the client that has most of it, since
    each has a file of its own, and all that serve. None of a client that is not known."""
    largest = sorted(with_role(machines, LOAD), key=lambda each: each.memory_bytes)[-1:]
    return [*largest, *with_role(machines, SERVER)] if largest else []


def _of_cell(cell: str, factors: SharingFactors, machines: Sequence[Machine]) -> CellMemory | None:
    file_bytes = factors.file_size_bytes
    if file_bytes is None or not machines:
        return None
    memory_bytes = {each.name: each.memory_bytes for each in machines}
    is_small = file_bytes < TIMES * sum(memory_bytes.values())
    return CellMemory(
        cell=cell,
        file_bytes=file_bytes,
        memory_bytes=memory_bytes,
        servers=[each.name for each in with_role(machines, SERVER)],
        is_small=is_small,
        is_unflushed=factors.is_cache_test,
        is_cache_test=is_small or factors.is_cache_test,
    )


_WITH_A_SIZE = ("loop", "ram", "path")
"""Kinds of storage of which a study uses as much as it says."""


def cache_test_finding(
    cells: Sequence[CellMemory], plan: Plan, storage_kind: str = ""
) -> Iterator[Finding]:
    """How many cells are tests of caches, and by which half of the rule; `storage_kind` as in the
    study."""
    names = {cell.id: cell.name for cell in plan.cells}
    small = [each for each in cells if each.is_small]
    unflushed = [each for each in cells if each.is_unflushed]
    found = [each for each in cells if each.is_cache_test]
    if not found:
        return
    reasons: list[str] = []
    advice: list[str] = []
    if small:
        enough = TIMES * sum(small[0].memory_bytes.values())
        reasons.append(
            f"{part_of(len(small), len(cells), 'cell')} with a file that is smaller than twice the"
            f" memory of client and server, {format_size(enough)}"
        )
        advice.append(_larger_files(_whole_gib(enough), storage_kind))
    if unflushed:
        reasons.append(f"{part_of(len(unflushed), len(cells), 'cell')} with writes not flushed")
        advice.append("--set workload.include_flush=true")
    yield finding(
        "sharing.cache_test",
        "note",
        f"These cells are cache tests: {'; '.join(reasons)}. Where caches are emptied before each"
        " run, what it reads comes from disks all the same.",
        f"{' and '.join(advice)}.",
        [names[each.cell] for each in found],
    )


def _larger_files(size_bytes: int, storage_kind: str) -> str:
    """What makes files large enough, with the storage that holds them where the study makes it."""
    files = f"--set 'workload.file_sizes=[\"{exact_size(size_bytes)}\"]'"
    if storage_kind not in _WITH_A_SIZE:
        return files
    storage = exact_size(_whole_gib(round(size_bytes / SHARE_FOR_FILES)))
    slow = " (on a limited disk that takes hours)" if storage_kind == "loop" else ""
    return f"{files} --set 'storage.size={storage}'{slow}"


def _whole_gib(size_bytes: int) -> int:
    return -(-size_bytes // (1 << 30)) << 30


_LOCAL = {"localflocks", "heartbeat=none", "lockproto=lock_nolock"}
"""Options in force of GFS2 and OCFS2 without a cluster, as /proc/mounts has them."""
MEASURED_BY = "fsgauge run two-nodes"


def with_local_locks(material: Material) -> list[str]:
    """The systems whose mount says that no other node takes part, in the plan's order."""
    local = {
        turn.system for turn in material.turns if _LOCAL & set(turn.facts.mount_options.split(","))
    }
    return [system for system in material.study.plan.systems if system in local]


def words(systems: Sequence[str]) -> str:
    """ "gfs2 and ocfs2 are mounted on one node only, so their locks never leave it"."""
    verb, whose = ("is", "its") if len(systems) == 1 else ("are", "their")
    return f"{listed(systems)} {verb} mounted on one node only, so {whose} locks never leave it"


def one_node_finding(systems: Sequence[str]) -> Iterator[Finding]:
    if systems:
        yield finding(
            "sharing.one_node",
            "note",
            f"{words(systems)}: these rates are those of a file system that could be shared, and is"
            " not. What a cluster's lock manager costs is not in them.",
            f"{MEASURED_BY}, which has them on two nodes.",
        )
