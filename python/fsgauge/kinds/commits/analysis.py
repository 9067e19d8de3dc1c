"""Statistics of commits: what each asks of the device, and whether any reaches a flush."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pydantic import Field

from fsgauge.kinds.commits.factors import ALONE, NO_PROMISE, CommitsFactors
from fsgauge.record.records import Cell, Plan, RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Evidence, Question, finding, name_of, part_of
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import Finding, JudgedRatio, OwnResults
from fsgauge.stats.run_checks import operations, rate_offered
from fsgauge.stats.samples import Samples, is_complete
from fsgauge.stats.traffic import operations_of
from fsgauge.stats.verdict import OPEN, is_too_wide
from fsgauge.stats.wording import NAMED_SYSTEMS, factor_words, left_out, listed, ratio_range
from fsgauge.units import count


class AskedOfDevice(ResultModel):
    """For each commit of one cell on one system: requests to the device, bytes written to it;
    flushes of the disks below and writes with FUA to them, None where these are not counted."""

    cell: str
    system: str
    requests: Estimate
    flushes: Estimate | None
    fua: Estimate | None = None
    size_bytes: Estimate


class OverPartner(JudgedRatio):
    """Commits a second of a cell over those of its partner, which differs in one factor, on one
    system."""

    cell: str
    partner: str
    system: str


class CommitsResults(OwnResults):
    """In the order of cells, then of systems. `meanwhile`: something else is written, over the same
    without. `syncs`: another way of making commits durable, over the study's first."""

    asked: list[AskedOfDevice]
    meanwhile: list[OverPartner] = Field([])
    syncs: list[OverPartner] = Field([])


WRITE_BACK = "write back"
"""What queue/write_cache says of a device that has a volatile cache, as far as the kernel knows."""
MOST_STRAY = 0.05
"""Of the flushes that a run's commits need at least, shared as they can be: so many are others'."""
MOST_UNSYNCED = 0.1
"""Of a run's writes: so many after the last sync change its rate by as much."""
MOUNT_TRACEFS = "mount -t tracefs tracefs /sys/kernel/tracing"
_RATE = "iops"


class CommitsAnalysis(Analysis):
    own = CommitsResults

    def read(self, material: Material) -> CommitsResults:
        plan, found = material.study.plan, []
        samples = material.samples.beside().put_runs(
            material.runs, lambda run: _asked(run).items(), float
        )
        for cell, system in plan.places:
            requests, flushes, fua, size_bytes = (
                samples.plain_mean(name, cell, system)
                for name in ("requests", "flushes", "fua", "bytes")
            )
            if requests is not None and size_bytes is not None:
                found.append(
                    AskedOfDevice(
                        cell=cell,
                        system=system,
                        requests=requests,
                        flushes=flushes,
                        fua=fua,
                        size_bytes=size_bytes,
                    )
                )
        is_paced = any(rate_offered(run) is not None for run in material.runs)
        if is_paced:
            return CommitsResults(asked=found)
        usual = {"meanwhile": "nothing", "sync": CommitsFactors.of(plan.cells[0]).sync}
        costs, syncs = (
            over_partners(plan, material.samples, material.equivalence_percent, name, value)
            for name, value in usual.items()
        )
        return CommitsResults(asked=found, meanwhile=costs, syncs=syncs)

    def answer(self, question: Question) -> str | None:
        more = [*filter(None, [meanwhile_sentence(question)]), *sync_sentences(question)]
        return " ".join([plain_answer(question), *more]) if more else None

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        synced = [run for run in evidence.runs if is_complete(run) and run.result is not None]
        yield from _not_synced(synced)
        yield from _no_promise(synced)
        yield from _not_counted(synced)
        yield from _no_flush(evidence, synced)


ANALYSIS = CommitsAnalysis()


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
    if device.fua_requests is not None:
        found["fua"] = device.fua_requests / commits
    return {name: number for name, number in found.items() if math.isfinite(number)}


def _not_synced(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """Runs that ended long before the next sync: what came after the last one is no commit."""
    shares = [(run, share) for run in runs if (share := _unsynced(run)) > MOST_UNSYNCED]
    if not shares:
        return
    run, most = max(shares, key=lambda pair: pair[1])
    what = "no write" if most == 1 else f"{100 * (1 - most):.0f} % of the writes"
    yield finding(
        "commits.not_synced",
        "invalid" if most == 1 else "warning",
        f"In {part_of(len(shares), len(runs), 'run')} committers wrote on after their last sync,"
        f" and the rate counts that: in {name_of(run)} {what} became durable.",
        "A longer workload.duration (a larger log, of one that grows), or fewer commits together.",
        [f"{name_of(each)}: {100 * share:.0f} % not synced" for each, share in shares],
    )


def _unsynced(run: RunRecord) -> float:
    """Of a run's writes, the share behind which no sync came."""
    if run.result is None or run.result.sync is None or not (writes := operations(run.result)):
        return 0.0
    return max(0.0, 1 - run.result.sync.calls * CommitsFactors.of(run.cell).together / writes)


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


def _not_counted(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    why = {run.system: run.device.fua_not_counted for run in runs if run.device is not None}
    where = [system for system, words in why.items() if words]
    if where:
        yield finding(
            "commits.fua_not_counted",
            "note",
            f"FUA not counted: {why[where[0]]}.",
            f"Counting takes root, and tracefs: {MOUNT_TRACEFS}.",
            where,
        )


def _no_flush(evidence: Evidence, runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """Cells whose synced runs reached neither flush nor FUA, though the device says that it has a
    cache. What else is on the disk may flush it a few times meanwhile.

    A write past the page cache that is durable itself is carried by FUA where the device takes it,
    and no flush follows: that is as it has to be, also where FUA was not counted.
    """
    reached: dict[tuple[str, str], list[bool]] = {}
    takes_fua = _says(evidence, "fua") == "1"
    for run in runs:
        device, factors = run.device, CommitsFactors.of(run.cell)
        if device is None or device.flush_requests is None or factors.sync == NO_PROMISE:
            continue
        is_carried = factors.sync in ALONE and run.load is not None and run.load.direct
        if device.fua_requests is None and takes_fua and is_carried:
            continue
        fewest = operations_of(run) / (factors.committers * factors.together)
        durable = device.flush_requests + (device.fua_requests or 0)
        is_reached = durable > MOST_STRAY * fewest
        reached.setdefault((run.system, run.cell.name), []).append(is_reached)
    silent = [where for where, found in reached.items() if not any(found)]
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


def over_partners(
    plan: Plan, samples: Samples, margin_percent: float, factor: str, usual: str
) -> list[OverPartner]:
    """What another value of a factor costs: the same cell with it and with the usual one, in one
    block, on every system."""
    contrasts = {
        (cell.id, partner.id, system): Contrast(
            Value(_RATE, cell.id, system), Value(_RATE, partner.id, system), family=cell.id
        )
        for cell, partner in _pairs(plan, factor, usual)
        for system in plan.systems
    }
    return [
        OverPartner(cell=cell, partner=partner, system=system, **each.numbers())
        for (cell, partner, system), each in in_blocks(contrasts, samples, margin_percent).items()
    ]


def _pairs(plan: Plan, factor: str, usual: str) -> Iterator[tuple[Cell, Cell]]:
    def others(factors: CommitsFactors) -> str:
        return factors.model_copy(update={factor: ""}).model_dump_json(warnings=False)

    of_cells = [(cell, CommitsFactors.of(cell)) for cell in plan.cells]
    usually = {others(each): cell for cell, each in of_cells if getattr(each, factor) == usual}
    for cell, factors in of_cells:
        partner = usually.get(others(factors))
        if getattr(factors, factor) != usual and partner is not None:
            yield cell, partner


def meanwhile_sentence(question: Question) -> str:
    """ "While a checkpoint is written, a commit takes 6.1 times as long on ext4 (5.2 to 7.1)." for
    the first primary cell that has a partner; "" for none."""
    own = _of_primary(question, CommitsResults.within(question).meanwhile)
    if not own:
        return ""
    _, (factors, found) = next(iter(own.items()))
    what = factors.meanwhile_words.removeprefix(", ")
    return _sentence(f"{what[0].upper()}{what[1:]}", found, "without it")


MOST_SYNCS = 2


def sync_sentences(question: Question) -> list[str]:
    """ "With open_datasync, a commit on ext4 takes 0.82 times as long (0.75 to 0.90)." of the first
    other ways that promise something, and in one sentence those that are too noisy on every system;
    the tables have all."""
    own = _of_primary(question, CommitsResults.within(question).syncs)
    usual = CommitsFactors.of(question.cells[0]).sync
    by_sync: dict[str, list[OverPartner]] = {}
    for factors, found in own.values():
        if factors.sync != NO_PROMISE:
            by_sync.setdefault(factors.sync, found)
    noisy = [sync for sync, found in by_sync.items() if all(map(_is_noise, found))]
    told = [sync for sync in by_sync if sync not in noisy][:MOST_SYNCS]
    said = [_sentence(f"With {sync}", by_sync[sync], f"with {usual}") for sync in told]
    return [*said, *([f"Too noisy to tell {listed(noisy)} from {usual}."] if noisy else [])]


_OfCell = tuple[CommitsFactors, list[OverPartner]]


def _of_primary(question: Question, found: Sequence[OverPartner]) -> dict[str, _OfCell]:
    primary = {cell.id for cell in question.primary}
    cells = {cell.id: cell for cell in question.cells}
    own: dict[str, _OfCell] = {}
    for each in found:
        if each.partner in primary:
            factors = CommitsFactors.of(cells[each.cell])
            own.setdefault(each.cell, (factors, []))[1].append(each)
    return own


def _sentence(start: str, found: Sequence[OverPartner], without: str) -> str:
    said = [_on(each, without) for each in found[:NAMED_SYSTEMS]]
    return f"{start}, {', '.join(said)}{left_out(len(found))}."


def _is_noise(each: OverPartner) -> bool:
    return each.low is None or each.high is None or is_too_wide(each.low, each.high)


def _on(each: OverPartner, without: str) -> str:
    if each.low is None or each.high is None or _is_noise(each):
        return f"on {each.system} the noise is too large to say"
    edges = (1 / each.high, 1 / each.low)
    if each.verdict in OPEN:
        return (
            f"a commit on {each.system} cannot be told from one {without} ({ratio_range(*edges)})"
        )
    times = factor_words(1 / each.ratio, edges)
    return f"a commit on {each.system} takes {times} times as long ({ratio_range(*edges)})"
