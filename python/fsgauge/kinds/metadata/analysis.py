"""Statistics of metadata: operations a second, and what is wrong with a number: clients that were
uneven, a folder too small, a stonewall out of reach, or nothing read from the storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import ClientsJob, ClientsResult, LoadJob
from fsgauge.kinds.metadata.factors import MetadataFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.client_errors import unfinished_work
from fsgauge.stats.evidence import Evidence, finding, name_of
from fsgauge.stats.results import Finding
from fsgauge.units import exact_duration

EVEN_SHARE = 0.9
"""Of the files of the client that had most: who had less when the time was up was held back."""
_COLD = ("list", "stat")
"""Operations whose answer a cache may give."""


class MetadataAnalysis(Analysis):
    worker = "client"
    worker_advice = " Compare single clients in the records."

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:
        """Files a second, or records; under a pace, which sets that, how long a file takes."""
        factors = MetadataFactors.of(cell)
        return factors.judged_at_pace if paced else factors.metric

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        yield from unfinished_work(
            evidence,
            "A longer workload.time_limit, or less to do (workload.entries, workload.records).",
            lambda run: _wall_ns(run) is None,
        )
        yield from uneven_at_the_stonewall(evidence.runs)
        yield from no_stonewall(evidence.runs)
        yield from never_full(evidence.runs)
        yield from from_memory(evidence.runs)


ANALYSIS = MetadataAnalysis()


def uneven_at_the_stonewall(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """The time was up while some clients were behind: the rate is that of the fast ones."""
    found = []
    for run in runs:
        clients = _clients(run)
        if clients is None or run.result is None:
            continue
        was_up = clients.stonewall_ns is not None or run.result.ended == "duration"
        if was_up and clients.fewest_files < EVEN_SHARE * clients.most_files:
            found.append((run, clients))
    if not found:
        return
    run, first = found[0]
    went_on = first.stonewall_ns is not None
    yield finding(
        "metadata.uneven",
        "warning",
        f"The time was up with uneven clients in {len(found)} of {len(runs)} runs: in"
        f" {name_of(run)}, one had {first.most_files:,} files and another {first.fewest_files:,}."
        + (" All went on to as many." if went_on else ""),
        "The rate has the wait for the slowest in it: read first_done and last_done in the records."
        if went_on
        else "Raise workload.time_limit, or set workload.stonewall: then all go on to as many.",
        [name_of(each) for each, _ in found],
    )


def no_stonewall(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """All that there may be was there before the stonewall: nothing was stopped, or wore out."""
    walled = [run for run in runs if (_wall_ns(run) is not None and run.result is not None)]
    found = [run for run in walled if _is_through_before(run)]
    if not found:
        return
    of_records = (MetadataFactors.of(run.cell).is_of_records for run in found)
    raised = sorted({"workload.records" if each else "workload.entries" for each in of_records})
    yield finding(
        "metadata.no_stonewall",
        "warning",
        f"The stonewall was not reached in {len(found)} of {len(walled)} runs that have one: in"
        f" {name_of(found[0])} all was there before {exact_duration(_wall_ns(found[0]) or 0)}.",
        f"Clients did not wear out, as IO500's do. Raise {' and '.join(raised)}.",
        [name_of(run) for run in found],
    )


def never_full(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """A folder had fewer names than the study says when it was made, or listed."""
    found = [(run, names) for run in runs if (names := _too_few(run)) is not None]
    if not found:
        return
    run, names = found[0]
    wanted = MetadataFactors.of(run.cell).entries
    is_meant = all(_stonewall_ns(run) is not None for run, _ in found)
    yield finding(
        "metadata.folder_size",
        "note" if is_meant else "warning",
        f"Folders never had their size in {len(found)} of {len(runs)} runs: in {name_of(run)} there"
        f" were {names:,} of {wanted:,} files.",
        "The stonewall ends creates: rates are those of the smaller folder, and not of one size on"
        " all systems."
        if is_meant
        else "Rates are those of the smaller folder. Give a longer workload.time_limit, or fewer"
        " workload.entries.",
        [name_of(each) for each, _ in found],
    )


def from_memory(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """What was asked for after caches were dropped, or should have been, came from memory."""
    asked = [
        run
        for run in runs
        if run.cell.factors["operation"] in _COLD and run.result is not None and not run.not_read
    ]
    kept = [run for run in asked if "caches dropped" not in run.caches]
    if kept:
        yield finding(
            "metadata.caches_kept",
            "warning",
            f"Names and inodes were in memory before {len(kept)} of {len(asked)} runs of list and"
            f" stat: {kept[0].caches}.",
            "These rates are of caches. Run as root: then they are dropped before each operation.",
            [name_of(run) for run in kept],
        )
    silent = [
        run for run in asked if run not in kept and run.device and not run.device.read_requests
    ]
    if silent:
        yield finding(
            "metadata.from_memory",
            "warning",
            f"Nothing was read from the device in {len(silent)} of {len(asked)} runs of list and"
            f" stat, though caches were dropped: {name_of(silent[0])}.",
            "Blocks that a journal has not written back, or a cache below, answered: call these"
            " rates warm.",
            [name_of(run) for run in silent],
        )


def _clients(run: RunRecord) -> ClientsResult | None:
    """The run's result by clients; None where it read or wrote the shared file."""
    if run.result is None or not isinstance(run.job, ClientsJob):
        return None
    return run.result.clients


def _stonewall_ns(run: RunRecord) -> int | None:
    clients = _clients(run)
    return clients.stonewall_ns if clients is not None else None


def _wall_ns(run: RunRecord) -> int | None:
    """When creates or record writes were to stop; None of a run without a stonewall."""
    if isinstance(run.job, ClientsJob):
        return run.job.time_limit_ns if run.job.wear_out else None
    return run.job.duration_ns if isinstance(run.job, LoadJob) and run.job.wear_out else None


def _is_through_before(run: RunRecord) -> bool:
    result, clients = run.result, _clients(run)
    if result is None or result.ended != "size_limit":
        return False
    if clients is not None:
        return clients.stonewall_ns is None
    return result.elapsed_ns < (_wall_ns(run) or 0)


def _too_few(run: RunRecord) -> int | None:
    """The files that there were, where that is not what the cell says."""
    factors, clients = MetadataFactors.of(run.cell), _clients(run)
    if clients is None or factors.entries is None:
        return None
    if factors.operation == "create":
        return clients.files if clients.files < factors.entries else None
    if factors.operation != "list" or not clients.files or not clients.names:
        return None
    # Each of its clients lists a folder once; own folders hold a part of the files each.
    per_list = clients.names / clients.files
    there = round(per_list * (factors.clients if factors.folder == "own" else len(run.parts)))
    return there if there < factors.entries else None
