"""What storage, scans and file sets leave unsaid: sparse files, no heads, reads from memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import ClientsJob
from fsgauge.record.limits import memory_is_limited
from fsgauge.record.machine import Machine, cached_direct_cautions
from fsgauge.record.preconditioning import CellPreconditioning
from fsgauge.record.records import RunRecord, StepRecord, TurnRecord
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of, turn_name
from fsgauge.stats.noise import describe_noise
from fsgauge.stats.result_model import NoiseFloor
from fsgauge.stats.results import Finding
from fsgauge.stats.wording import IN_EVERY_BLOCK, ratio_range
from fsgauge.units import format_size

SHARES_ITS_DISK = ("loop",)
"""Kinds of storage below which others work too."""


def storage_cautions(evidence: Evidence) -> Iterator[Finding]:
    storage = evidence.before.storage
    floor = evidence.noise.get(evidence.primary_metric)
    advice = ""
    if storage.kind in SHARES_ITS_DISK:
        held = what_holds(describe_noise(floor) if floor is not None else None)
        advice = f"{held[:1].upper()}{held[1:]}. Absolute rates are those of a shared disk."
    for caution in storage.cautions:
        yield finding("storage.caution", "note", caution, advice)


def cached_direct(evidence: Evidence) -> Iterator[Finding]:
    """Direct I/O that was none, which the study's words and its numbers do not tell."""
    systems = evidence.before.storage.cached_direct
    if systems:
        said = "; ".join(cached_direct_cautions(systems))
        yield finding(
            "direct.cached",
            "warning",
            f"{said[:1].upper()}{said[1:]}.",
            "Its operations are copied, and cost more processor time than direct ones. btrfs does"
            " so for the sake of checksums: the mount option nodatasum ends it and gives them up."
            " Or compare buffered I/O of all systems.",
        )


def what_holds(floor: NoiseFloor | None) -> str:
    """Whether ratios hold on a disk that others use too, by what its noise was here."""
    if floor is not None and floor.state == "differs":
        return "ratios do not hold: the baseline differed from itself"
    band = None if floor is None or floor.state == "unknown" else floor.band
    if floor is None or band is None:
        return "whether ratios hold is not known: its noise was not measured in enough blocks"
    ratios = ratio_range(band.low, band.high)
    apart = f"equal systems may come out at {ratios} of one another"
    if ratios == IN_EVERY_BLOCK:
        apart = "equal systems came out equal in every block"
    if floor.state == "wide":
        return f"it was too noisy here ({apart}): only ratios called better or worse hold"
    return f"ratios hold within its noise here ({apart})"


def storage_words(sentence: str, kind: str, floor: NoiseFloor | None) -> str:
    """The storage in a sentence, and what was measured of its noise where others use it too."""
    if kind not in SHARES_ITS_DISK:
        return sentence
    return f"{sentence}; {what_holds(floor)}, rates are those of this disk"


def sparse_storage(evidence: Evidence, who_pays: str) -> Iterator[Finding]:
    """Places of a sparse file that were never written cost more; `who_pays` is a sentence."""
    storage = evidence.study.study.get("storage", {})
    if storage.get("kind") == "loop" and not storage.get("preallocate"):
        yield finding(
            "storage.sparse",
            "warning",
            "The storage is a sparse file: the first write to a block also allocates it on the disk"
            f" below. {who_pays}",
            "--set storage.preallocate=true, or a device.",
        )


def preconditioned(evidence: Evidence) -> Iterator[Finding]:
    """What a study that asked for preconditioning did not get of it."""
    done = evidence.before.storage.preconditioning
    if done is not None and not done.purged:
        yield finding(
            "precondition.no_purge",
            "warning",
            f"The device was not purged before it was preconditioned: {done.purge}.",
            "What was on it before may still slow it down: its maker's secure erase (nvme format,"
            " hdparm --security-erase), then the study again.",
        )
    asked = [(run, run.preconditioning) for run in evidence.runs if run.preconditioning is not None]
    late = [(run, each) for run, each in asked if each.rounds and not each.reached]
    if late:
        rounds = max(len(each.rounds) for _, each in late)
        yield finding(
            "precondition.not_steady",
            "warning",
            f"In {part_of(len(late), len(asked), 'run')}, the cell's own load was not steady after"
            f" {rounds} rounds (SNIA: five rounds within 20 %, trend within 10 %); the runs are"
            " kept.",
            "Longer rounds (--set workload.duration=...): a device that cleans up in bursts needs"
            " several in each.",
            [f"{name_of(run)}: {_window_words(each)}" for run, each in late],
        )
    without = [run for run, each in asked if not each.rounds]
    if without:
        yield finding(
            "precondition.no_rounds",
            "note",
            f"In {part_of(len(without), len(asked), 'run')}, the load could not precondition the"
            " device: a run ends with its work.",
            "It was discarded and written twice once, before the first turn.",
            [name_of(run) for run in without],
        )


def _window_words(done: CellPreconditioning) -> str:
    if done.range_share is None or done.slope_share is None:
        return "nothing was done"
    return f"range {100 * done.range_share:.0f} %, trend {100 * done.slope_share:.0f} %"


def file_set_in_memory(evidence: Evidence) -> Iterator[Finding]:
    """Reads through the page cache of files that all fit into memory."""
    cached = [run for run in evidence.runs if reads_through_cache(run)]
    size_bytes = file_set_bytes(evidence.turns, evidence.runs, evidence.steps)
    memory_bytes = evidence.before.below.memory_bytes
    if not cached or size_bytes is None or size_bytes >= memory_bytes:
        return
    if evidence.before.load.simulation is not None:
        return
    yield finding(
        "cache.file_set",
        "note",
        f"The file set, {format_size(size_bytes)}, is smaller than"
        f" {_memory_of(evidence.before.below)}, {format_size(memory_bytes)}, and"
        f" {part_of(len(cached), len(evidence.runs), 'run')} read through the page cache: what is"
        " read twice in a run comes from memory. How much memory the device itself has is not"
        " known.",
        f"For the storage's rates: files of {format_size(2 * memory_bytes)} or more in all, or"
        " direct I/O where the study has it.",
        [name_of(run) for run in cached],
    )


def _memory_of(machine: Machine) -> str:
    limited = memory_is_limited(machine.limits)
    return "the memory that control groups leave it" if limited else "this host's memory"


def no_seeks(sentence: str, advice: str) -> Finding:
    """Storage without moving heads, on which fragments cost less than on a disk."""
    return finding("storage.no_seeks", "note", sentence, advice)


def layout_scans(evidence: Evidence) -> Iterator[Finding]:
    """Scans before the first and after the last run that failed or missed something."""
    layouts = evidence.layouts
    records = "records/*/scan-*.json"
    if layouts is not None and layouts.failed:
        yield finding(
            "layout.failed",
            "warning",
            f"{count(layouts.failed, 'scan')} of the layout failed; the layout numbers leave out"
            " those turns.",
            f"The scans' records say why: {records}.",
        )
    if layouts is not None and layouts.incomplete:
        yield finding(
            "layout.incomplete",
            "warning",
            f"{count(layouts.incomplete, 'scan')} of the layout could not read everything.",
            f"The scans' records name each problem: {records}.",
        )


def failed_scans(evidence: Evidence, missing: str) -> Iterator[Finding]:
    """Scans of a kind's own that failed; `missing` says what the report lacks without them."""
    failed = [
        scan
        for scan in evidence.scans
        if scan.result is None and scan.when not in ("before", "after")
    ]
    if not failed:
        return
    fault = next((scan.fault for scan in failed if scan.fault is not None), None)
    yield finding(
        "scan.failed",
        "warning",
        f"{count(len(failed), 'scan')} failed, so {missing}"
        + (f": {fault.what}." if fault else "."),
        " ".join(part for part in (fault.cause, fault.next) if part) if fault else "",
        [f"{turn_name(scan)}, {scan.cell or scan.when}" for scan in failed],
    )


def file_set_bytes(
    turns: Sequence[TurnRecord], runs: Sequence[RunRecord], steps: Sequence[StepRecord] = ()
) -> int | None:
    """The largest of the systems' file sets; None where no record says it. Laid out before the
    runs, left by ageing, or written by clients in a run of their own."""
    laid_out = [turn.layout.size_bytes for turn in turns if turn.layout is not None]
    aged = [step.size_bytes for step in steps if step.step == "age"]
    return max([*laid_out, *aged, *_written_by_clients(runs)], default=None)


def _written_by_clients(runs: Sequence[RunRecord]) -> list[int]:
    return [
        result.write.size_bytes
        for run in runs
        if isinstance(run.job, ClientsJob) and run.job.phase.kind == "write"
        if (result := run.result) is not None and result.write is not None
    ]


def reads_through_cache(run: RunRecord) -> bool:
    """Whether the run read files of this machine through its page cache."""
    result = run.result
    if result is None or result.read is None or result.read.operations == 0:
        return False
    if run.load is not None:
        return not run.load.direct and run.load.target.kind in ("files", "file", "block")
    return isinstance(run.job, ClientsJob) and run.job.target.kind == "path"
