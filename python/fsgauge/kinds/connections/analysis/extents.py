"""Extents of the files that each cell wrote, over blocks, and their ratio to the baseline's.

Takes the scans that followed a cell; of the baseline, the mean of its two turns counts in a block.
Extents per file are a ratio scale, so they are averaged as logs. All ratios of a study are one
family of comparisons: their p values are corrected together.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from fsgauge.engine.wire import ScanResult
from fsgauge.kinds.connections.analysis.model import CellExtents
from fsgauge.record.records import Plan, ScanRecord
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.layouts import PER_FILE, at_least, with_numbers
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.samples import Samples

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
    """One entry a cell and system whose files were scanned."""
    plan, whole = study.plan, scanned_cells(scans)
    of_cells = [(scan, scan.cell or "") for scan in whole]
    samples = with_numbers(study.beside(), of_cells, (EXTENTS, PER_FILE))
    ratios = _ratios(plan, samples, reference_of(plan, scans), equivalence_percent)
    found = []
    for cell, system in plan.places:
        of_cell = [scan for scan in whole if (scan.cell, scan.system) == (cell, system)]
        results = [scan.result for scan in of_cell if scan.result is not None]
        extents = samples.number(EXTENTS, cell, system)
        per_file = samples.number(PER_FILE, cell, system)
        if extents is None or per_file is None:
            continue
        fragmented = sum(each.counts.fragmented_files for each in results)
        found.append(
            CellExtents(
                cell=cell,
                system=system,
                files=statistics.fmean(map(_files, results)),
                extents=extents,
                per_file=per_file,
                fragmented_share=fragmented / sum(map(_files, results)),
                mean_extent_bytes=_mean_extent_bytes(results),
                ratio=ratios.get((cell, system)),
                lengths=at_least([one for each in results for one in each.extent_lengths]),
                by_extents=_by_extents(results),
            )
        )
    return found


def _files(result: ScanResult) -> int:
    """An empty file, or one inside its inode, has no extent."""
    return result.counts.files - result.counts.files_without_extents


def _ratios(
    plan: Plan, samples: Samples, reference: str, equivalence_percent: float
) -> dict[tuple[str, str], JudgedRatio]:
    contrasts = {
        (cell, system): Contrast(Value(PER_FILE, cell, system), Value(PER_FILE, cell, reference))
        for cell, system in plan.places
        if system != reference
    }
    return {
        place: JudgedRatio(**judged.numbers())
        for place, judged in in_blocks(contrasts, samples, equivalence_percent).items()
    }


def _mean_extent_bytes(results: Sequence[ScanResult]) -> float:
    extents = sum(each.counts.extents for each in results)
    return sum(each.counts.extent_bytes for each in results) / extents


def _by_extents(results: Sequence[ScanResult]) -> list[tuple[int, float]]:
    """The share of files with so many extents, to below twice that; ascending."""
    files: dict[int, int] = {}
    for each in results:
        for found in each.files_by_extents:
            files[found.at_least_extents] = files.get(found.at_least_extents, 0) + found.files
    total = sum(files.values())
    return [(at, files[at] / total) for at in sorted(files)]
