"""Findings: what the reader has to know before believing the numbers.

Takes all records, comparisons and noise floors; gives sentences with advice, the gravest first.
Nothing here changes or drops a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from fsgauge.record.records import RunRecord
from fsgauge.stats import storage_findings
from fsgauge.stats.advice import RUN_CHECKS, RunCheck, advice_for, cache_advice, in_its_keys
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.drift import changed_midway, drift_of_study, turning_points
from fsgauge.stats.durability import weak_systems
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of, turn_name
from fsgauge.stats.hosts import host_findings
from fsgauge.stats.idle import IDLE, idle_hosts, idle_systems
from fsgauge.stats.idle_workers import idle_workers
from fsgauge.stats.lost_data import LOST_DATA, lost_data
from fsgauge.stats.machine_findings import (
    disk_limits,
    emulator_limited,
    limit_findings,
    machine_findings,
)
from fsgauge.stats.missing_runs import (
    advice_for_more,
    few_blocks,
    lost_machines,
    missing_runs,
    not_read,
    not_removed,
    stopped_early,
    withheld_quantiles,
)
from fsgauge.stats.noise import ASKED_PERCENT, hides
from fsgauge.stats.results import Finding, Level
from fsgauge.stats.robust import differs
from fsgauge.stats.served import SERVER_ADVICE, places_served, server_aborts, unstable_writes
from fsgauge.stats.wording import blocks_in_words
from fsgauge.units import grouped

SURE, UNSURE = 0.05, 0.2
_ORDER: dict[Level, int] = {"invalid": 0, "warning": 1, "note": 2}


def find_all(evidence: Evidence, analysis: Analysis) -> list[Finding]:
    """All findings: lost data, who did nothing or little, then the others by gravity."""
    found = [
        *lost_data(evidence),
        *idle_systems(evidence),
        *idle_hosts(evidence),
        *idle_workers(evidence, analysis.worker, analysis.worker_advice),
        *_noise(evidence),
        *limit_findings(evidence),
        *analysis.findings(evidence),
        *_single_runs(evidence),
        *server_aborts(evidence, analysis),
        *missing_runs(evidence),
        *lost_machines(evidence),
        *not_removed(evidence),
        *not_read(evidence),
        *few_blocks(evidence),
        *withheld_quantiles(evidence),
        *stopped_early(evidence),
        *drift_of_study(evidence),
        *turning_points(evidence),
        *unstable_writes(evidence),
        *weak_systems(evidence),
        *_cache_answered(evidence),
        *_robust_disagrees(evidence),
        *changed_midway(evidence),
        *host_findings(evidence),
        *machine_findings(evidence),
        *emulator_limited(evidence),
        *disk_limits(evidence),
        *storage_findings.layout_scans(evidence),
        *storage_findings.preconditioned(evidence),
        *storage_findings.file_set_in_memory(evidence),
        *storage_findings.cached_direct(evidence),
        *storage_findings.storage_cautions(evidence),
        *_notes(evidence),
    ]
    better = analysis.said_better
    found = [each for each in found if each.code not in better]
    workload = evidence.study.study.get("workload", {})
    told = [
        each.model_copy(update={"advice": in_its_keys(each.advice, workload)}) for each in found
    ]
    return sorted(told, key=_rank)


def _rank(found: Finding) -> tuple[bool, bool, int]:
    return found.code not in LOST_DATA, found.code not in IDLE, _ORDER[found.level]


def _noise(evidence: Evidence) -> Iterator[Finding]:
    floor = evidence.noise.get(evidence.primary_metric)
    if floor is None and evidence.few_operations:
        yield finding("operations.few", "warning", evidence.few_operations, evidence.next_step)
        return
    if floor is None and _baseline_did_nothing(evidence):
        return
    if floor is None:
        yield finding(
            "noise.unknown",
            "warning",
            "No block has two turns of the baseline, so the noise floor is unknown.",
            advice_for_more(evidence, "Run the study again: fsgauge run STUDY."),
        )
        return
    if floor.state == "differs":
        percent = 100 * (floor.ratio.ratio - 1)
        yield finding(
            "noise.invalid",
            "invalid",
            f"The baseline differs from itself by {abs(percent):.1f} %, whatever the order of its"
            " turns, and by more than the margin.",
            "Something other than the systems changes from turn to turn: other load, or a disk that"
            " fills, wears or heats up. Stop other work, warm up longer and repeat.",
        )
    if floor.state == "wide":
        hidden = hides(evidence.comparisons, evidence.primary_metric)
        stands = " What is called better or worse stands all the same."
        yield finding(
            "noise.wide",
            "warning",
            f"Too noisy {hidden}: here two equal systems may come out"
            f" {_percent(math.expm1(min(floor.typical, 700.0)))} apart in one cell, so a difference"
            f" of {ASKED_PERCENT:.0f} % would most likely not be seen.",
            f"{_quieter(evidence)}, longer runs or more blocks: half the noise"
            f" takes four times the blocks.{'' if hidden == 'to answer' else stands}",
        )
    if floor.drifts:
        percent = 100 * (floor.in_time.ratio - 1)
        yield finding(
            "noise.drift",
            "warning",
            f"The rig drifts: in a block the baseline's later turn was {abs(percent):.1f} %"
            f" {'above' if percent > 0 else 'below'} its earlier one.",
            "A disk that fills, wears or heats up, or other load that grows. The order of systems"
            " is random, so ratios hold and intervals are wider. A longer warm-up may help.",
        )


def _quieter(evidence: Evidence) -> str:
    """A quota stops and starts the threads: with it no machine is quiet."""
    quota = evidence.situation.processor_quota
    if quota is None:
        return "Stop other work, or use a quieter machine"
    return f"Raise the CPU quota of {quota:.3g} processors, or use a quieter machine"


def _baseline_did_nothing(evidence: Evidence) -> bool:
    """Whether that is why there is no noise floor, which is told by its name."""
    metric, baseline = evidence.primary_metric, evidence.study.plan.baseline
    return any(
        (metric, cell.id, baseline) in evidence.samples.nothing
        for cell in evidence.study.plan.cells
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share < 10 else "more than 1000 %"


def _single_runs(evidence: Evidence) -> Iterator[Finding]:
    measured = [run for run in evidence.runs if run.result is not None]
    for check in RUN_CHECKS:
        where = [text for run in measured if (text := _evidence_of(check, run)) is not None]
        if where:
            yield finding(
                check.code,
                check.level,
                f"In {part_of(len(where), len(evidence.runs), 'run')}, {check.sentence}.",
                advice_for(check.code, evidence.situation),
                where,
            )


def _evidence_of(check: RunCheck, run: RunRecord) -> str | None:
    text = check.check(run, run.result) if run.result is not None else None
    return None if text is None else f"{name_of(run)}: {text}"


def _cache_answered(evidence: Evidence) -> Iterator[Finding]:
    """A file system cannot move data faster than the device it sits on."""
    plan = evidence.study.plan
    kinds = {turn.system: turn.facts.kind for turn in evidence.turns}
    if kinds.get(plan.baseline) != "raw":
        return
    names = {cell.id: cell.name for cell in plan.cells}
    above = [
        entry
        for entry in evidence.comparisons
        if entry.metric == "iops"
        and entry.verdict == "better"
        and not entry.in_memory
        and not evidence.samples.idle_blocks("iops", entry.cell, plan.baseline)
        and entry.low is not None
        and entry.low > 1 / (1 - entry.margin_percent / 100)
    ]
    if above:
        top = max(above, key=lambda entry: entry.ratio)
        yield finding(
            "cache.answered",
            "warning",
            f"{top.system} did {100 * (top.ratio - 1):.0f} % more than the raw device at"
            f" {names[top.cell]}. Either a cache answered, or the file system orders, merges or"
            " places the data better than the raw pattern does.",
            SERVER_ADVICE
            if (top.cell, top.system) in places_served(evidence.runs)
            else cache_advice(evidence.situation),
            [f"{e.system}, {names[e.cell]}: {e.ratio:.2f} of raw" for e in above],
        )


def _robust_disagrees(evidence: Evidence) -> Iterator[Finding]:
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    apart = [
        f"{entry.system}, {names[entry.cell]}: {entry.ratio:.3f} against {entry.robust_ratio:.3f}"
        f" ({blocks_in_words(entry.robust_light)} apart)"
        for entry in evidence.comparisons
        if entry.metric == evidence.primary_metric
        and not entry.limited_by
        and differs(entry)
        and min(entry.p, entry.robust_p) <= SURE
        and max(entry.p, entry.robust_p) > UNSURE
    ]
    if apart:
        yield finding(
            "estimates.disagree",
            "note",
            f"In {count(len(apart), 'comparison')} the answer hangs on a few runs far off: a fit in"
            " which they count little (Student-t) says otherwise.",
            "Look at the runs of these blocks: did the machine stall, or does the system? The"
            " verdict counts them in full.",
            apart,
        )


def _notes(evidence: Evidence) -> Iterator[Finding]:
    """What engine and rig said, once each."""
    places = grouped(
        (note.text, name_of(run))
        for run in evidence.runs
        for note in (run.result.notes if run.result is not None else ())
    )
    for turn in evidence.turns:
        laid_out = turn.layout.notes if turn.layout is not None else []
        for text in (*turn.notes, *(note.text for note in laid_out)):
            places.setdefault(text, []).append(turn_name(turn))
    for text, where in places.items():
        yield finding("note", "note", text, "", where)
