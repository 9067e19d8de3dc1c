"""Statistics of commits: what each asks of the device, and whether any reaches a flush."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fsgauge.kinds.commits.analysis.meanwhile import meanwhile, meanwhile_sentence
from fsgauge.kinds.commits.analysis.model import AskedOfDevice, CommitsResults
from fsgauge.kinds.commits.factors import ALONE, NO_PROMISE, CommitsFactors
from fsgauge.record.records import RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.evidence import Evidence, Question, finding
from fsgauge.stats.results import Finding
from fsgauge.stats.run_checks import rate_offered
from fsgauge.stats.samples import is_complete
from fsgauge.stats.traffic import operations_of
from fsgauge.stats.wording import listed
from fsgauge.units import count

WRITE_BACK = "write back"
"""What queue/write_cache says of a device that has a volatile cache, as far as the kernel knows."""


class CommitsAnalysis(Analysis):
    """Ratios of commits a second, as every study has them; requests and flushes of each."""

    own = CommitsResults

    def read(self, material: Material) -> CommitsResults:
        """What each cell asked of the device on each system, for each commit."""
        plan, samples = material.study.plan, material.samples.beside()
        counted = [run for run in material.runs if is_complete(run) and _asked(run)]
        for run in counted:
            for name, number in _asked(run).items():
                samples.put(name, run.cell.id, run, number)
        found = []
        for cell in plan.cells:
            for system in plan.systems:
                numbers = {
                    name: samples.plain_mean(name, cell.id, system)
                    for name in ("requests", "flushes", "bytes")
                }
                if numbers["requests"] is not None and numbers["bytes"] is not None:
                    found.append(
                        AskedOfDevice(
                            cell=cell.id,
                            system=system,
                            requests=numbers["requests"],
                            flushes=numbers["flushes"],
                            size_bytes=numbers["bytes"],
                        )
                    )
        is_paced = any(rate_offered(run) is not None for run in material.runs)
        costs = [] if is_paced else meanwhile(plan, material.samples, material.equivalence_percent)
        return CommitsResults(asked=found, meanwhile=costs)

    def answer(self, question: Question) -> str | None:
        """How systems compare, and what it costs that something else is written meanwhile."""
        cost = meanwhile_sentence(question)
        return f"{plain_answer(question)} {cost}" if cost else None

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Commits that reach no flush, and those that promise nothing."""
        synced = [run for run in evidence.runs if is_complete(run) and run.result is not None]
        yield from _no_promise(synced)
        yield from _no_flush(evidence, synced)


def _asked(run: RunRecord) -> dict[str, float]:
    """Of the device below, for each commit; {} where it was not counted."""
    commits, device = operations_of(run), run.device
    if device is None or not commits:
        return {}
    found = {
        "requests": (device.write_requests + device.read_requests) / commits,
        "bytes": device.write_bytes / commits,
    }
    if device.flush_requests is not None:
        found["flushes"] = device.flush_requests / commits
    return {name: number for name, number in found.items() if math.isfinite(number)}


def _no_promise(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    where = [run.cell.name for run in runs if CommitsFactors.of(run.cell).sync == NO_PROMISE]
    if where:
        yield finding(
            "commits.no_promise",
            "warning",
            "sync_file_range makes nothing durable: a power failure may lose what it returned for.",
            "Compare its rate with none that keeps commits: see sync_file_range(2).",
            list(dict.fromkeys(where)),
        )


def _no_flush(evidence: Evidence, runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """Cells whose synced runs flushed nothing, though the device says that it has a cache.

    A write past the page cache that is durable itself is carried by FUA where the device takes it,
    and no flush follows: that is as it has to be.
    """
    flushed: dict[tuple[str, str], list[int]] = {}
    takes_fua = _says(evidence, "fua") == "1"
    for run in runs:
        device, sync = run.device, CommitsFactors.of(run.cell).sync
        if device is None or device.flush_requests is None or sync == NO_PROMISE:
            continue
        if takes_fua and sync in ALONE and run.load is not None and run.load.direct:
            continue
        flushed.setdefault((run.system, run.cell.name), []).append(device.flush_requests)
    silent = [where for where, counts in flushed.items() if not any(counts)]
    if not silent:
        return
    systems = listed(list(dict.fromkeys(system for system, _ in silent)))
    where = [f"{system}, {cell}" for system, cell in silent]
    if _says(evidence, "write_cache") == WRITE_BACK:
        carried = {
            "0": "the device takes no FUA (queue/fua is 0), so the cache needs power of its own",
            "1": "these commits are carried by no FUA, so the cache needs power of its own",
        }
        how = carried.get(
            _says(evidence, "fua"),
            "they are safe only if writes carry FUA (queue/fua is 1) or the cache has power of its"
            " own",
        )
        yield finding(
            "commits.no_flush",
            "warning",
            f"Commits on {systems} reached no flush of the device in {count(len(silent), 'cell')},"
            " and it says that it has a write cache.",
            f"A power failure may lose them: {how}. See what the mount options give up.",
            where,
        )
        return
    yield finding(
        "commits.nothing_to_flush",
        "note",
        f"No commit on {systems} was followed by a flush in {count(len(silent), 'cell')}: the"
        " device says that it has no volatile write cache.",
        "Check that with its data sheet: cat /sys/block/DEVICE/queue/write_cache.",
        where,
    )


def _says(evidence: Evidence, key: str) -> str:
    """What the queue of the uppermost device of the storage says; "" where it does not."""
    chain = evidence.before.storage.device_chain
    return next((str(link[key]) for link in chain if link.get(key) is not None), "")


ANALYSIS = CommitsAnalysis()
