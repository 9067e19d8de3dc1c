"""Workers that did nothing or little: a job, a writer or a client, against all of the run."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import ClientsJob, LoadResult, timed_operations
from fsgauge.record.merging import merged
from fsgauge.record.parts import Part
from fsgauge.record.records import RunRecord
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.idle import LITTLE, amount, by_slice_of, least_of, shares_in
from fsgauge.stats.metrics import client_paces, own_rates
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete
from fsgauge.units import count

FEWEST_OPERATIONS = 100
"""Operations of a client from which on its pace says more than the luck of single ones."""
FEWEST_FOR_NONE = 10
"""The same of a client without any: by luck alone one in 22,000 has none where 10 are usual."""


@dataclass(frozen=True)
class Worker:
    """One of several at once in a run; `share` is its rate over the mean of all."""

    name: str
    machine: str
    share: float


def workers_of(run: RunRecord, noun: str = "job") -> list[Worker]:
    """The workers of a run, each with its share of the mean; [] of one, or where none is known."""
    result = run.result
    if result is None or not is_complete(run):
        return []
    shares = _client_shares(run) if isinstance(run.job, ClientsJob) else _job_shares(run, result)
    noun = "client" if isinstance(run.job, ClientsJob) else noun
    places = [(part.machine, at) for part in run.parts for at in range(_jobs_of(part))]
    if len(shares) != len(places):
        return []
    where = {machine: f" on {machine}" if len(run.parts) > 1 else "" for machine, _ in places}
    return [
        Worker(f"{noun} {at + 1}{where[machine]}", machine, share)
        for (machine, at), share in zip(places, shares, strict=True)
    ]


def _jobs_of(part: Part) -> int:
    return max(len(each.result.jobs) for each in part.slices)


def _of_mean(rates: Sequence[float]) -> list[float]:
    mean = statistics.fmean(rates) if rates else 0.0
    return [rate / mean for rate in rates] if len(rates) > 1 and mean > 0 else []


def _job_shares(run: RunRecord, result: LoadResult) -> list[float]:
    """Of the whole run, or of the slice in which a job did least, if that had enough operations."""
    whole = _of_mean(own_rates(result))
    by_slice = []
    for parts in by_slice_of(run):
        of_slice = merged(parts)
        if of_slice is not None and len(of_slice.jobs) == len(whole):
            each_did = timed_operations(of_slice) / len(whole) if whole else 0
            shares = _of_mean(own_rates(of_slice))
            if each_did >= FEWEST_OPERATIONS:
                by_slice.append(shares)
            elif each_did >= FEWEST_FOR_NONE and shares:
                by_slice.append(
                    [0.0 if share == 0 else whole[at] for at, share in enumerate(shares)]
                )
    return [
        least_of(share, [each[at] for each in by_slice if each]) for at, share in enumerate(whole)
    ]


def _client_shares(run: RunRecord) -> list[float]:
    """By pace, where that is known: clients may have unequal work. Otherwise by operations, where
    the time ended the run; else only those without any are told from the others.
    """
    result, job = run.result, run.job
    if result is None or not isinstance(job, ClientsJob) or job.phase.kind == "backup":
        return []
    shares = _of_mean([float(each.operations) for each in result.jobs])
    each_did = timed_operations(result) / max(len(result.jobs), 1)
    if each_did >= FEWEST_OPERATIONS:
        paces = client_paces(run)
        if paces and shares:  # who did nothing has no pace
            return [pace if share else 0.0 for pace, share in zip(paces, shares, strict=True)]
        if paces or job.phase.kind == "mix" or result.ended == "duration":
            return paces or shares
    return [float(share > 0) for share in shares] if each_did >= FEWEST_FOR_NONE else []


def idle_workers(evidence: Evidence, noun: str, advice: str) -> Iterator[Finding]:
    """Runs in which one of several workers did less than half of the mean; of hosts that did, the
    host is told."""
    known = [(run, found) for run in evidence.runs if (found := workers_of(run, noun))]
    low = []
    for run, workers in known:
        idle = {host for host, share in shares_in(run).items() if share < LITTLE}
        told = [each for each in workers if each.machine not in idle]
        slowest = min(told, key=lambda each: each.share, default=None)
        if slowest is not None and slowest.share < LITTLE:
            low.append((run, slowest, sum(each.share < LITTLE for each in told)))
    if not low:
        return
    run, worst, _ = min(low, key=lambda each: each[1].share)
    yield finding(
        "idle.worker",
        "warning",
        f"In {part_of(len(low), len(known), 'run')} the slowest {worst.name.split()[0]} did less"
        f" than half of the mean{_of_slices(each for each, _, _ in low)}, at worst"
        f" {amount([worst.share])}: {worst.name} of {run.system}, {run.cell.name}.",
        f"Totals and averages hide that one waits: see p99, not only the rate.{advice}",
        [
            f"{name_of(run)}: {each.name} did {amount([each.share])} of the mean"
            + (f", one of {count(number, each.name.split()[0])} below half" if number > 1 else "")
            for run, each, number in low
        ],
    )


def _of_slices(runs: Iterable[RunRecord]) -> str:
    sliced = any(len(part.slices) > 1 for run in runs for part in run.parts)
    return ", in all or in one slice of it" if sliced else ""
