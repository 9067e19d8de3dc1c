"""Findings: what the reader has to know before believing the numbers.

Takes all records, comparisons and noise floors; gives sentences with advice, the gravest first.
Nothing here changes or drops a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fsgauge.record import EnvironmentRecord, RunRecord, StudyRecord, TurnRecord
from fsgauge.stats.advice import RUN_CHECKS, RunCheck, Situation, advice_for, cache_advice
from fsgauge.stats.noise import Noise, cells_that_differ_from_themselves
from fsgauge.stats.results import Comparison, Finding, Level
from fsgauge.stats.samples import Samples

WHERE_LIMIT = 10
FEW_BLOCKS = 6
BUSY_SHARE = 0.5
SURE, UNSURE = 0.05, 0.2
_ORDER: dict[Level, int] = {"invalid": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Evidence:
    """Everything that findings are drawn from."""

    study: StudyRecord
    turns: Sequence[TurnRecord]
    runs: Sequence[RunRecord]
    before: EnvironmentRecord
    after: EnvironmentRecord | None
    samples: Samples
    comparisons: Sequence[Comparison]
    noise: dict[str, Noise]
    situation: Situation
    primary_metric: str
    blocks_complete: int
    stopped: bool


def find_all(evidence: Evidence) -> list[Finding]:
    """All findings, the gravest first."""
    found = [
        *_noise(evidence),
        *_single_runs(evidence),
        *_missing_runs(evidence),
        *_few_blocks(evidence),
        *_stopped(evidence),
        *_cache_answered(evidence),
        *_robust_disagrees(evidence),
        *_turns_differ(evidence),
        *_environment(evidence),
        *_storage(evidence),
        *_notes(evidence),
    ]
    return sorted(found, key=lambda finding: _ORDER[finding.level])


def _finding(
    code: str, level: Level, sentence: str, advice: str, where: Sequence[str] = ()
) -> Finding:
    return Finding(
        code=code,
        level=level,
        sentence=sentence,
        advice=advice,
        count=len(where) or 1,
        where=list(where[:WHERE_LIMIT]),
    )


def _noise(evidence: Evidence) -> Iterator[Finding]:
    floor = evidence.noise.get(evidence.primary_metric)
    if floor is None:
        yield _finding(
            "noise.unknown",
            "warning",
            "The baseline has not been measured twice in any block, so the noise floor is unknown.",
            "Let the study run to its end, or use resume.",
        )
        return
    if floor.excludes_one:
        percent = 100 * (floor.ratio.ratio - 1)
        yield _finding(
            "noise.invalid",
            "invalid",
            f"The baseline differs from itself: its later turn was {abs(percent):.1f} %"
            f" {'above' if percent > 0 else 'below'} its earlier one, more than chance explains.",
            "Something but the systems changed within the blocks: other load, a disk that fills,"
            " wears or heats up. Quieten the machine, warm up longer and repeat. Chance alone does"
            " this to one study in twenty.",
        )
    cells = cells_that_differ_from_themselves(evidence.samples, evidence.primary_metric)
    if cells:
        names = [cell.name for cell in evidence.samples.plan.cells if cell.id in cells]
        yield _finding(
            "noise.cells",
            "warning",
            f"In {_of(len(cells), len(evidence.samples.plan.cells), 'cell')} the baseline differs"
            " from itself, also after correction for the number of cells.",
            "Believe no verdict of these cells that is smaller than their own A/A.",
            names,
        )


def _single_runs(evidence: Evidence) -> Iterator[Finding]:
    measured = [run for run in evidence.runs if run.result is not None]
    for check in RUN_CHECKS:
        where = [text for run in measured if (text := _evidence_of(check, run)) is not None]
        if where:
            yield _finding(
                check.code,
                check.level,
                f"In {_of(len(where), len(measured), 'run')}, {check.sentence}.",
                advice_for(check.code, evidence.situation),
                where,
            )


def _evidence_of(check: RunCheck, run: RunRecord) -> str | None:
    text = check.check(run, run.result) if run.result is not None else None
    return None if text is None else f"{name_of(run)}: {text}"


def name_of(run: RunRecord) -> str:
    """A run in words: block 3, xfs, randread 4 KiB, depth 32."""
    again = " (second turn)" if run.again else ""
    return f"block {run.block + 1}, {run.system}{again}, {run.cell.name}"


def _missing_runs(evidence: Evidence) -> Iterator[Finding]:
    failed = [run for run in evidence.runs if run.fault is not None]
    if failed:
        where = [f"{name_of(run)}: {run.fault.what}" for run in failed if run.fault is not None]
        first = next(run.fault for run in failed if run.fault is not None)
        yield _finding(
            "runs.failed",
            "warning",
            f"{_of(len(failed), len(evidence.runs), 'run')} failed; their blocks are left out"
            " of the cells concerned.",
            " ".join(part for part in (first.cause, first.next) if part),
            where,
        )
    cut = [
        name_of(run)
        for run in evidence.runs
        if run.result is not None and run.result.ended == "interrupted"
    ]
    planned = sum(len(turn.cells) for turn in evidence.study.plan.turns)
    missing = planned - len(evidence.runs) + len(cut)
    if missing > 0:
        yield _finding(
            "runs.interrupted",
            "warning",
            f"The study ended early: {_of(missing, planned, 'run')} were not made. Blocks that are"
            " not complete are left out, cell by cell.",
            "fsgauge resume DIR makes the rest.",
            cut,
        )


def _stopped(evidence: Evidence) -> Iterator[Finding]:
    if evidence.stopped:
        limit = evidence.study.study["plan"]["stop_interval"]
        yield _finding(
            "plan.stopped",
            "note",
            f"The study ended after {evidence.blocks_complete} blocks, as it asked: no interval of"
            f" a primary ratio reaches further than {limit:g} % from it.",
            "A smaller plan.stop_interval, or none, runs more blocks.",
        )


def _few_blocks(evidence: Evidence) -> Iterator[Finding]:
    blocks = evidence.blocks_complete
    if blocks < FEW_BLOCKS:
        yield _finding(
            "blocks.few",
            "note" if blocks >= 3 else "warning",
            f"{blocks} complete {'block' if blocks == 1 else 'blocks'}:"
            + (
                " intervals are wide, and rest on block ratios being normally distributed."
                if blocks >= 3
                else " too few for any verdict."
            ),
            "Use 8 or more: --set plan.blocks=8.",
        )


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
        and entry.low is not None
        and entry.low > 1 / (1 - entry.margin_percent / 100)
    ]
    if above:
        top = max(above, key=lambda entry: entry.ratio)
        yield _finding(
            "cache.answered",
            "warning",
            f"{top.system} did {100 * (top.ratio - 1):.0f} % more than the raw device at"
            f" {names[top.cell]}. Either a cache answered, or the file system orders, merges or"
            " places the data better than the raw pattern does.",
            cache_advice(evidence.situation),
            [f"{e.system}, {names[e.cell]}: {e.ratio:.2f} of raw" for e in above],
        )


def _robust_disagrees(evidence: Evidence) -> Iterator[Finding]:
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    apart = [
        f"{entry.system}, {names[entry.cell]}: {entry.ratio:.3f} against {entry.robust_ratio:.3f}"
        for entry in evidence.comparisons
        if entry.metric == evidence.primary_metric
        and entry.robust_low is not None
        and min(entry.p, entry.robust_p) <= SURE
        and max(entry.p, entry.robust_p) > UNSURE
    ]
    if apart:
        yield _finding(
            "estimates.disagree",
            "note",
            "The interval of the mean and the one that outliers cannot move (Hodges-Lehmann) come"
            f" to different ends in {_count(len(apart), 'comparison')}.",
            "Look at the blocks in the table: one stalled run may stand behind it.",
            apart,
        )


def _turns_differ(evidence: Evidence) -> Iterator[Finding]:
    """One system must be made the same way in every turn."""
    made: dict[str, set[tuple[str, ...]]] = {}
    for turn in evidence.turns:
        facts = turn.facts
        key = (" ".join(facts.mkfs_command), facts.mount_options, str(facts.size_bytes))
        made.setdefault(turn.system, set()).add(key)
    changed = [system for system, ways in made.items() if len(ways) > 1]
    if changed:
        yield _finding(
            "system.changed",
            "warning",
            f"{', '.join(changed)}: not made the same way in every turn.",
            "Compare the turn.json files of its records.",
            changed,
        )


def _environment(evidence: Evidence) -> Iterator[Finding]:
    before, after = evidence.before, evidence.after
    if before.load_average > BUSY_SHARE * before.processor_count:
        yield _finding(
            "machine.busy",
            "note",
            f"The machine was busy before the study: load {before.load_average:.1f} on"
            f" {_count(before.processor_count, 'processor')}.",
            "Other work widens every interval; repeat when it is quiet.",
        )
    if after is None:
        return
    compared = ("kernel", "governor", "processor_count", "memory_bytes", "clock_source")
    changed = [
        f"{key}: {getattr(before, key)} before, {getattr(after, key)} after"
        for key in compared
        if getattr(before, key) != getattr(after, key)
    ]
    if changed:
        yield _finding(
            "environment.changed",
            "warning",
            "The machine changed while the study ran.",
            "Repeat the study with the machine left as it is.",
            changed,
        )


def _storage(evidence: Evidence) -> Iterator[Finding]:
    for caution in evidence.before.storage.cautions:
        advice = ""
        if evidence.before.storage.kind == "loop":
            advice = "Ratios between systems hold; absolute rates are those of a shared disk."
        yield _finding("storage.caution", "note", caution, advice)


def _notes(evidence: Evidence) -> Iterator[Finding]:
    """What engine and rig said, once each."""
    places: dict[str, list[str]] = {}
    for run in evidence.runs:
        for note in run.result.notes if run.result is not None else ():
            places.setdefault(note.text, []).append(name_of(run))
    for turn in evidence.turns:
        for text in (*turn.notes, *(note.text for note in turn.layout.notes)):
            places.setdefault(text, []).append(f"block {turn.block + 1}, {turn.system}")
    for text, where in places.items():
        yield _finding("note", "note", text, "", where)


def _of(part: int, whole: int, noun: str) -> str:
    return f"{part} of {_count(whole, noun)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
