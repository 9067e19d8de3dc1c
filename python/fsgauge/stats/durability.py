"""What is named with a rate and must not be praised alone: systems that give up durability.

Takes turn and run records; gives each such system with its options, what holds for all of them, and
the sentences and findings that say it. Options and their sources are in `fsgauge.durability`. The
virtual machine below counts flushes: a system that answered fsync without one, where others have
flushed theirs, may lose what a disk's own cache still had.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from fsgauge.durability import MEMORY, NEVER_SYNCED, SystemOptions, weakened
from fsgauge.engine.wire import ClientsJob, LoadJob, NfsTarget, NoSync
from fsgauge.record.machine import StorageFacts
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.results import Durability, Finding, WeakSystem
from fsgauge.stats.samples import is_complete
from fsgauge.stats.wording import blocks_in_words, listed, named_systems
from fsgauge.units import grouped


def durability_in(evidence: Evidence) -> Durability:
    """Of a whole study; nothing of a simulation, which stores nothing that a crash could lose."""
    if evidence.before.load.simulation is not None:
        return Durability(systems=[], of_all=[])
    plan = evidence.study.plan
    return durability_of(plan.systems, evidence.turns, evidence.runs, evidence.before.storage)


def durability_of(
    systems: Sequence[str],
    turns: Sequence[TurnRecord],
    runs: Sequence[RunRecord],
    storage: StorageFacts,
) -> Durability:
    """Each system's own options in the study's order, of all its turns; then the whole study."""
    found = [
        WeakSystem(
            system=system,
            option=weak.option
            if len(blocks) == of
            else f"{weak.option} in {blocks_in_words(blocks)}",
            loses=weak.loses,
            source=weak.source,
            guards=weak.guards,
        )
        for system in systems
        if (of := len(own := [turn for turn in turns if turn.system == system]))
        for weak, blocks in grouped(
            (weak, turn.block) for turn in own for weak in weakened(made_as(turn))
        ).items()
    ]
    found += unflushed(systems, runs, _is_synced)
    of_all = [MEMORY] if _is_memory(storage) else []
    return Durability(systems=found, of_all=[*of_all, *_load(runs)])


def _is_memory(storage: StorageFacts) -> bool:
    """Storage that fsgauge makes of memory, and files or folders of which each is in memory."""
    ends = list(_ends(storage.device_chain))
    in_memory = [each.get("file_system") in ("tmpfs", "ramfs") for each in ends]
    return storage.kind == "ram" or (bool(ends) and all(in_memory))


def _ends(links: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """What each chain of devices ends in; those of several folders follow one another."""
    for link, below in pairwise([*links, None]):
        if link is None or link.get("backing_file") or link.get("file_system") == "overlay":
            continue
        if link["kind"] == "device" or below is None or below["kind"] == "file_system":
            yield link


def made_as(turn: TurnRecord) -> SystemOptions:
    facts = turn.facts
    kind = facts.details.get("file system", facts.kind) if facts.kind == "mounted" else facts.kind
    return SystemOptions(
        kind=kind,
        mount=facts.mount_options,
        mkfs=facts.mkfs_command[1:],
        tunables=facts.tunables,
        server=turn.server.options if turn.server is not None else {},
        export=facts.details.get("export options", ""),
    )


def _load(runs: Sequence[RunRecord]) -> list[str]:
    """Whether what the load writes is ever synced; [] where it is, or where nothing is written."""
    synced = {run.cell.id: found for run in runs if (found := _is_synced(run)) is not None}
    never = [cell for cell, found in synced.items() if not found]
    if not never:
        return []
    if len(never) == len(synced):
        return [NEVER_SYNCED]
    where = f"in {len(never)} of {len(synced)} cells that write, "
    return [where + NEVER_SYNCED]


def _is_synced(run: RunRecord) -> bool | None:
    """Whether a run's writes are durable by what is measured; None for a run without writes. So
    they are where the system is synced after each slice at the slice's cost, and where an NFS
    client closes what it has written (RFC 1813, 4.11)."""
    if run.result is None or run.result.write is None or not run.result.write.operations:
        return None
    charged = any(each.sync_ns is not None for part in run.parts for each in part.slices)
    if isinstance(run.job, LoadJob):
        asked = {each.operation for each in run.job.operations if each.weight}
        syncs = not isinstance(run.job.sync, NoSync) or bool(asked & {"fsync", "fdatasync"})
        return charged or run.job.finish.fsync or syncs
    if isinstance(run.job, ClientsJob):
        at_end = run.job.fsync or run.job.sync_at_end
        return charged or at_end or isinstance(run.job.target, NfsTarget)
    return None


def caveats(said: str, durability: Durability) -> list[str]:
    """What each system that a text names gives up for its rate, in sentences."""
    named = names_in(said, [each.system for each in durability.systems])
    found: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for system in named:
        weak = durability.of(system)
        options = tuple(each.option for each in weak)
        loses = "; ".join(dict.fromkeys(each.loses for each in weak))
        found.setdefault((options, loses), []).append(system)
    return [
        f"{running_with(systems, options)}: {loses}." for (options, loses), systems in found.items()
    ]


def running_with(systems: Sequence[str], options: Sequence[str]) -> str:
    """ "ext4 wb runs with data=writeback"; the systems alone where each name has the options."""
    own = [option for option in options if not all(names_in(each, [option]) for each in systems)]
    if not own:
        return listed(systems)
    return f"{listed(systems)} {'runs' if len(systems) == 1 else 'run'} with {listed(own)}"


def names_in(said: str, systems: Sequence[str]) -> list[str]:
    """The systems that a sentence names, in their own order; "ext4" is not named by "ext4 wb"."""
    found = set()
    rest = said
    for system in sorted(set(systems), key=len, reverse=True):
        rest, count = re.subn(rf"(?<![\w-]){re.escape(system)}(?![\w-])", "\0", rest)
        if count:
            found.add(system)
    return [system for system in dict.fromkeys(systems) if system in found]


def weak_systems(evidence: Evidence) -> Iterator[Finding]:
    """Who gives up what, with the sources that say so; those that give up the same together."""
    plan = evidence.study.plan
    found = durability_in(evidence)
    groups: dict[tuple[str, str], list[str]] = {}
    for system in dict.fromkeys(each.system for each in found.systems):
        weak = found.of(system)
        said = "; ".join(f"{each.option}: {each.loses}" for each in weak)
        sources = listed(list(dict.fromkeys(each.source for each in weak)))
        groups.setdefault((said, sources), []).append(system)
    alone = {each.system for each in found.systems} != set(plan.systems)
    for (said, sources), systems in groups.items():
        yield finding(
            "durability.weakened",
            "warning" if alone else "note",
            f"{named_systems(systems)} {'gives' if len(systems) == 1 else 'give'} up durability"
            f" ({said}).",
            f"See {sources}. Compare with systems that give up the same, or say so with the rate.",
        )


OPTION = "no flush of its disk after fsync"
_COUNTER, _FLUSH = "disk_requests", "flush"


@dataclass
class _Counted:
    runs: int = 0
    flushes: int = 0
    by_cell: dict[str, int] = field(default_factory=dict)


def unflushed(
    systems: Sequence[str], runs: Sequence[RunRecord], is_synced: Callable[[RunRecord], bool | None]
) -> list[WeakSystem]:
    """Systems of which no synced run flushed a disk, though another did in the same cell."""
    counted = {system: _Counted() for system in systems}
    for run in runs:
        flushes = _flushes(run)
        if run.system in counted and flushes is not None and is_complete(run) and is_synced(run):
            of = counted[run.system]
            of.runs, of.flushes = of.runs + 1, of.flushes + flushes
            of.by_cell[run.cell.id] = of.by_cell.get(run.cell.id, 0) + flushes
    return [
        WeakSystem(
            system=system,
            option=OPTION,
            loses="a power failure may lose what the disk's cache still had",
            source=_source(own, counted[other], other),
            guards="crash",
        )
        for system, own in counted.items()
        if own.runs and not own.flushes
        for other in [_who_flushed(counted, own)]
        if other is not None
    ]


def _flushes(run: RunRecord) -> int | None:
    """Of all disks; None where they were not counted."""
    return next(
        (
            each.parts[_FLUSH]
            for each in run.traffic
            if each.name == _COUNTER and _FLUSH in each.parts
        ),
        None,
    )


def _who_flushed(counted: dict[str, _Counted], own: _Counted) -> str | None:
    """The first system that flushed in a cell which this one has too."""
    return next(
        (
            system
            for system, of in counted.items()
            if any(of.by_cell.get(cell, 0) for cell in own.by_cell)
        ),
        None,
    )


def _source(own: _Counted, other: _Counted, name: str) -> str:
    return (
        f"flushes counted below the virtual machines: none in {own.runs:,} synced runs,"
        f" {other.flushes:,} in {other.runs:,} of {name}"
    )
