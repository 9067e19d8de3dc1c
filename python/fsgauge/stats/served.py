"""Systems that were reached through a private server: writes that ended in its memory, aborts.

An unstable write (NFS UNSTABLE, SMB without write-through) is answered when the server has it. Its
rate is that of the server's memory, so it says nothing of the device, and is not held against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import NoSync, ShareFilesTarget
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.results import Comparison, Finding
from fsgauge.stats.wording import listed

MEMORY = "in the server's memory"
Place = tuple[str, str]
"""A cell's id and a system."""


def places_served(runs: Sequence[RunRecord]) -> set[Place]:
    """Where plain loads went through a server."""
    return {(run.cell.id, run.system) for run in runs if _is_served(run)}


def places_unstable(runs: Sequence[RunRecord]) -> set[Place]:
    """Where writes went through a server and nothing made them durable."""
    return {
        (run.cell.id, run.system)
        for run in runs
        if _is_served(run)
        and run.load is not None
        and run.load.read_percent < 100
        and isinstance(run.load.sync, NoSync)
    }


def _is_served(run: RunRecord) -> bool:
    return run.load is not None and isinstance(run.load.target, ShareFilesTarget)


def marked(
    comparisons: Sequence[Comparison], runs: Sequence[RunRecord], baseline_kind: str
) -> list[Comparison]:
    """The comparisons; those of unstable writes with a bare device are marked as such."""
    unstable = places_unstable(runs) if baseline_kind == "raw" else set()
    return [
        entry.model_copy(update={"in_memory": True})
        if (entry.cell, entry.system) in unstable
        else entry
        for entry in comparisons
    ]


def served_sentence(turns: Sequence[TurnRecord], runs: Sequence[RunRecord]) -> str:
    """Which systems were reached through which server; "" where plain loads went over paths."""
    loads = {system for _, system in places_served(runs)}
    servers: dict[str, list[str]] = {}
    for turn in turns:
        if turn.server is not None and turn.system in loads:
            systems = servers.setdefault(turn.server.name, [])
            systems += [turn.system] * (turn.system not in systems)
    if not servers:
        return ""
    parts = [f"{listed(systems)} through {server}" for server, systems in servers.items()]
    said = f"Measured {listed(parts)}"
    return f"{said}; unstable writes are {MEMORY}" if places_unstable(runs) else said


def unstable_writes(evidence: Evidence) -> Iterator[Finding]:
    unstable = places_unstable(evidence.runs)
    runs = [run for run in evidence.runs if (run.cell.id, run.system) in unstable]
    if runs:
        systems = list(dict.fromkeys(run.system for run in runs))
        yield finding(
            "server.memory",
            "warning",
            f"Unstable writes: on {listed(systems)} the server answered writes that were in its"
            " memory alone. Their rates are not those of the device.",
            SERVER_ADVICE,
            [name_of(run) for run in runs],
        )


SERVER_ADVICE = (
    "The server's cache answered, and the device has yet to do these writes. Make them durable"
    ' (workload.sync = "fsync" or "dsync", where the kind has it; direct writes of kind writers'
    " are)."
)


def abort_sentence(runs: Sequence[RunRecord], analysis: Analysis) -> str:
    """ "smbd aborted in 1 of 3 runs with two writers of one file"; "" where none did."""
    served = [run for run in runs if run.server is not None]
    broken = [run for run in served if aborts_of(run)]
    if not broken:
        return ""
    daemons = dict.fromkeys(run.server.daemon for run in broken if run.server is not None)
    load = analysis.load_of(broken)
    alike = [run for run in served if analysis.load_of([*broken, run]) == load]
    where = f" with {load}" if load else ""
    return f"{' and '.join(daemons)} aborted in {part_of(len(broken), len(alike), 'run')}{where}"


def aborts_of(run: RunRecord) -> list[str]:
    """Why processes of its server aborted; [] where none did."""
    return run.server.aborts if run.server is not None else []


def server_aborts(evidence: Evidence, analysis: Analysis) -> Iterator[Finding]:
    """That a server aborted: its bug, not the file system's answer."""
    broken = [run for run in evidence.runs if aborts_of(run)]
    if not broken:
        return
    sentence = abort_sentence(evidence.runs, analysis)
    reasons = dict.fromkeys(reason for run in broken for reason in aborts_of(run))
    yield finding(
        "server.aborted",
        "warning",
        f"{sentence}: {'; '.join(reasons)}.",
        "This is a fault of the server, not of the file system. "
        + (analysis.abort_advice or "Compare another server (--serve ganesha).")
        + " The last lines of its log are in the run's record (server.last_words).",
        [f"{name_of(run)}: {'; '.join(aborts_of(run))}" for run in broken],
    )
