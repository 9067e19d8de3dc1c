"""Extents of the files that each writing test left, beside those of the reference."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence

from fsgauge.engine.wire import ScanResult
from fsgauge.kinds.connections.analysis.model import CellExtents, Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Plan, ScanRecord
from fsgauge.stats.contrast import Contrast, Value, in_blocks, judged_ratio
from fsgauge.stats.evidence import Question
from fsgauge.stats.layouts import PER_FILE, at_least, with_numbers
from fsgauge.stats.samples import Samples
from fsgauge.stats.sentence import DECIDED

EXTENTS = "extents"


def scanned_cells(scans: Sequence[ScanRecord]) -> list[ScanRecord]:
    """The scans that followed a cell and can be counted: whole, with files that have extents."""
    return [
        scan
        for scan in scans
        if scan.when == "after cell"
        and scan.result is not None
        and scan.result.ended != "interrupted"
        and _files(scan.result) > 0
        and scan.result.counts.extents > 0
    ]


def reference_of(plan: Plan, scans: Sequence[ScanRecord]) -> str:
    """Whom ratios are to: the baseline, or the first system that has extents."""
    with_extents = {scan.system for scan in scanned_cells(scans)}
    found = [system for system in plan.systems if system in with_extents]
    return plan.baseline if plan.baseline in with_extents or not found else found[0]


def cell_extents(
    study: Samples, scans: Sequence[ScanRecord], equivalence_percent: float
) -> list[CellExtents]:
    """One entry a cell and system whose files were scanned after the cell. Of the baseline, the
    mean of its two turns counts in a block; ratios are one family of comparisons."""
    plan, whole, reference = study.plan, scanned_cells(scans), reference_of(study.plan, scans)
    of_cells = [(scan, scan.cell or "") for scan in whole]
    samples = with_numbers(study.beside(), of_cells, (EXTENTS, PER_FILE))
    contrasts = {
        (cell, system): Contrast(Value(PER_FILE, cell, system), Value(PER_FILE, cell, reference))
        for cell, system in plan.places
        if system != reference
    }
    ratios = in_blocks(contrasts, samples, equivalence_percent)
    found = []
    for cell, system in plan.places:
        of_cell = [scan for scan in whole if (scan.cell, scan.system) == (cell, system)]
        results = [scan.result for scan in of_cell if scan.result is not None]
        extents = samples.number(EXTENTS, cell, system)
        per_file = samples.number(PER_FILE, cell, system)
        if extents is None or per_file is None:
            continue
        counts = [each.counts for each in results]
        found.append(
            CellExtents(
                cell=cell,
                system=system,
                files=statistics.fmean(map(_files, results)),
                extents=extents,
                per_file=per_file,
                fragmented_share=sum(c.fragmented_files for c in counts)
                / sum(map(_files, results)),
                mean_extent_bytes=sum(c.extent_bytes for c in counts)
                / sum(c.extents for c in counts),
                ratio=judged_ratio(ratios.get((cell, system))),
                lengths=at_least([one for each in results for one in each.extent_lengths]),
                by_extents=_by_extents(results),
            )
        )
    return found


def _files(result: ScanResult) -> int:
    """An empty file, or one inside its inode, has no extent."""
    return result.counts.files - result.counts.files_without_extents


def _by_extents(results: Sequence[ScanResult]) -> list[tuple[int, float]]:
    """The share of files with so many extents, to below twice that; ascending."""
    files: Counter[int] = Counter()
    for each in results:
        files.update({found.at_least_extents: found.files for found in each.files_by_extents})
    total = files.total()
    return [(at, files[at] / total) for at in sorted(files)]


def extents_sentence(question: Question) -> str:
    """ "After writes by 590 clients, 1.00 extents per file instead of 20.0.", of the first primary
    test whose files were scanned on the reference and on others; "" for none."""
    connections = Connections.within(question)
    against = connections.extents_reference
    systems = [system for system in (question.baseline, *question.others) if system != against]
    for cell in question.primary:
        reference = connections.extents_of(cell.id, against)
        others = [each for name in systems if (each := connections.extents_of(cell.id, name))]
        if reference is None or not others:
            continue
        start = f"After {ConnectionsFactors.of(cell).noun},"
        usual = _number(reference.per_file.value)
        differing = [
            (each, each.ratio.ratio)
            for each in others
            if each.ratio is not None and each.ratio.verdict in DECIDED
        ]
        if not differing:
            is_of_all = len(others) == len(systems)
            return f"{start} extents per file are the same, {usual}." if is_of_all else ""
        values = sorted(each.per_file.value for each, _ in differing)
        if len(differing) == len(others) > 1:
            ends = dict.fromkeys(map(_number, (values[0], values[-1])))
            return f"{start} {' to '.join(ends)} extents per file instead of {usual}."
        most, _ = max(differing, key=lambda each: abs(math.log(each[1])))
        of = "" if len(systems) == 1 else f"{most.system}'s files have "
        return f"{start} {of}{_number(most.per_file.value)} extents per file instead of {usual}."
    return ""


def _number(value: float) -> str:
    """Two digits behind the point below 2, so that 1.02 is not 1; fewer above."""
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
