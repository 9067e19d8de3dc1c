"""What churn brings to light: trees that are not what was asked for, and what rates cannot say.

Nothing here changes or drops a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.churn.analysis.layouts import Made, live_share, made_trees, place_of
from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.stats.client_errors import ERROR_WORDS, clients_of, error_rows, given_up
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.results import Finding
from fsgauge.units import format_size

FILL_TOLERANCE = 0.03
"""How far a tree's bytes may be from the level, as a share of the space."""


def churn_findings(evidence: Evidence) -> Iterator[Finding]:
    """All findings about churn."""
    churn = Churn.of(evidence)
    if churn is None:
        return
    made = made_trees(evidence.steps)
    yield from _refused(evidence, made)
    yield from _ended_early(evidence, made)
    yield from _not_filled(evidence, made)
    yield from _different_trees(churn)
    yield from _given_up(evidence)
    yield from _errors(evidence)
    yield from _cut(evidence)
    yield from _scans(evidence, churn)
    yield from _sparse_below(evidence, churn)
    yield from _without_seeks(churn)


def _refused(evidence: Evidence, made: list[Made]) -> Iterator[Finding]:
    """Ageing that failed part of its operations."""
    broken = [each for each in made if each[2].errors]
    if not broken:
        return
    _, _, first = broken[0]
    error = max(first.errors, key=lambda each: each.count)
    failed = sum(each.failed for _, _, result in broken for each in result.operations)
    yield finding(
        "churn.refused",
        "warning",
        f"While trees were made, {count(failed, 'operation')} failed, in"
        f" {part_of(len(broken), len(made), 'tree')}; the first: {error.operation or 'syncfs'},"
        f" {error.text}. The log went on without them, so these trees lack files.",
        "A lower level in workload.fills, or larger storage: metadata takes room too. dmesg | tail"
        " where it is an I/O error.",
        [
            f"{_place(evidence, each)}: {sum(e.count for e in each[2].errors)} failed"
            for each in broken
        ],
    )


def _ended_early(evidence: Evidence, made: list[Made]) -> Iterator[Finding]:
    early = [each for each in made if each[2].ended != "complete"]
    if early:
        how = ", ".join(sorted({result.ended.replace("_", " ") for _, _, result in early}))
        yield finding(
            "churn.ended_early",
            "warning",
            f"Ageing was cut short in {part_of(len(early), len(made), 'tree')} ({how}), so"
            " these systems are younger than was asked for, and their fresh copies another tree.",
            "A longer workload.age_time_limit, or a smaller workload.storage_age.",
            [
                f"{_place(evidence, each)}: storage age {each[2].storage_age or 0:.2f}"
                for each in early
            ],
        )


def _not_filled(evidence: Evidence, made: list[Made]) -> Iterator[Finding]:
    off = [
        (each, share)
        for each in made
        if (share := live_share(each[1], each[2])) is not None
        and abs(share - each[1].fill_percent / 100) > FILL_TOLERANCE
    ]
    if off:
        each, share = max(off, key=lambda pair: abs(pair[1] - pair[0][1].fill_percent / 100))
        yield finding(
            "churn.not_filled",
            "warning",
            f"{part_of(len(off), len(made), 'tree')} {'is' if len(off) == 1 else 'are'} not as full"
            f" as was asked: {_place(evidence, each)} holds {100 * share:.0f} % of what was"
            " available.",
            "Small files take whole blocks, and a large one may not fit any more: smaller"
            " workload.largest_size, or larger storage.",
            [
                f"{_place(evidence, each)}: {format_size(each[2].live_bytes)}, {100 * share:.1f} %"
                for each, share in off
            ],
        )


def _different_trees(churn: Churn) -> Iterator[Finding]:
    if churn.different_trees:
        yield finding(
            "churn.different_trees",
            "warning",
            "Aged and fresh do not hold the same tree in"
            f" {count(len(churn.different_trees), 'pair')} of turns, so their ratio shows more than"
            " the effect of ageing.",
            "See the findings about ageing: operations failed, or it ended early.",
            churn.different_trees,
        )


def _given_up(evidence: Evidence) -> Iterator[Finding]:
    """Work that the reader or the writers did not do."""
    lost = [e for e in given_up(evidence.study.plan, evidence.runs) if e.files or e.clients]
    if lost:
        names = {cell.id: cell.name for cell in evidence.study.plan.cells}
        worst = max(lost, key=lambda entry: entry.files / max(entry.of_files, 1))
        yield finding(
            "churn.gave_up",
            "warning",
            f"{worst.system} did not do all of its work: in {names[worst.cell]} {worst.files} of"
            f" {worst.of_files} files were given up, so its rate is that of less work.",
            "The errors below say why.",
            [f"{e.system}, {names[e.cell]}: {e.files} of {e.of_files} files" for e in lost],
        )


def _errors(evidence: Evidence) -> Iterator[Finding]:
    rows = error_rows(evidence.study.plan, evidence.runs)
    if not rows:
        return
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    first, total = rows[0], sum(row.count for row in rows)
    yield finding(
        "churn.errors",
        "warning",
        f"{count(total, 'operation')} of the reader or the writers failed; first {first.system},"
        f" {names[first.cell]}: {first.operation}, because"
        f" {ERROR_WORDS.get(first.kind, first.message)} ({first.first_path}).",
        "Out of space: a smaller workload.write_fill, or a lower level. Else see dmesg | tail.",
        [
            f"{row.system}, {names[row.cell]}: {row.operation}, {row.kind.replace('_', ' ')},"
            f" {row.count} times in {count(row.runs, 'run')}"
            for row in rows
        ],
    )


def _cut(evidence: Evidence) -> Iterator[Finding]:
    """Runs that the time limit ended."""
    made = [run for run, _ in clients_of(evidence.runs)]
    cut = [run for run in made if run.result is not None and run.result.ended == "duration"]
    if cut:
        yield finding(
            "churn.cut",
            "warning",
            f"In {part_of(len(cut), len(made), 'run')} the time limit came before everything was"
            " read or written, so the rate covers only a part.",
            "A longer workload.time_limit.",
            [name_of(run) for run in cut],
        )


def _scans(evidence: Evidence, churn: Churn) -> Iterator[Finding]:
    if churn.failed_scans:
        first = next(scan for scan in evidence.scans if scan.fault is not None)
        yield finding(
            "churn.scan_failed",
            "warning",
            f"{part_of(churn.failed_scans, len(evidence.scans), 'scan')} failed, so these turns are"
            " not among the layouts"
            + (f": {first.fault.what}." if first.fault is not None else "."),
            "The scans' records say why: records/*/scan-*.json.",
        )


def _sparse_below(evidence: Evidence, churn: Churn) -> Iterator[Finding]:
    """Fresh copies write to places that nobody wrote before; old systems do not.

    In mode fast no tree writes anything, so both begin alike.
    """
    storage = evidence.study.study.get("storage", {})
    sparse = storage.get("kind") == "loop" and not storage.get("preallocate")
    if sparse and churn.mode != "fast":
        yield finding(
            "churn.sparse_below",
            "warning",
            "The storage is a sparse file: the first write to a place also allocates it on the disk"
            " below. A fresh copy writes more such places than an aged system, so the aged system"
            " looks better than it is.",
            "--set storage.preallocate=true, or a device.",
        )


def _without_seeks(churn: Churn) -> Iterator[Finding]:
    if churn.seeks == "no" and "read" in churn.sides:
        yield finding(
            "churn.no_seeks",
            "note",
            "The storage has no heads that follow the layout: read damage shows requests that are"
            " split where extents end, and caches that miss, not what seeks cost.",
            "Measure on a disk: --storage /dev/disk/by-id/NAME. Extents a file and the layout score"
            " hold anywhere.",
        )


def _place(evidence: Evidence, made: Made) -> str:
    step = made[0]
    again = " (second turn)" if step.again else ""
    found = place_of(evidence.study.plan, step)
    where = f", {found[1]}, {found[0]} % full" if found else ""
    return f"block {step.block + 1}, {step.system}{again}{where}"
