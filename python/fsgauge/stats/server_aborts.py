"""Processes of a private server that aborted, or a server that died, while a load ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.record.records import RunRecord
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.results import Finding


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
