"""Layouts at each level: contiguity, free space, and the rate that a disk would have there.

Takes the scans that followed a written cell. A turn is one sample: its prediction is set against
the prediction of its own clean files, and of the baseline the mean of both turns counts.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from fsgauge.kinds.aging.analysis import extents
from fsgauge.kinds.aging.analysis.levels import written_cells
from fsgauge.kinds.aging.analysis.model import AgedFiles, AgingLayout
from fsgauge.kinds.aging.disk import Disk, predict_rate
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.record import Cell, Plan, ScanRecord
from fsgauge.stats.estimate import Estimate, estimate, over
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.samples import Samples
from fsgauge.wire import ScanResult

PREDICTED, IN_CHUNKS = "predicted", "in chunks"
AGED = "aged"
Chunks = Mapping[str, int | None]


def aging_layouts(
    plan: Plan, scans: Sequence[ScanRecord], chunks: Chunks, disk: Disk
) -> list[AgingLayout]:
    """One entry a system and level whose files were scanned."""
    known = {cell.id: cell for cell in written_cells(plan)}
    whole = [scan for scan in scans if scan.cell in known and is_whole(scan)]
    predicted, shares = _predictions(plan, whole, disk), _shares(plan, whole, chunks)
    clean = next(
        (cell.id for cell in known.values() if AgingFactors.of(cell).free_percent is None), None
    )
    return [
        _layout(cell, system, results, (predicted, shares), clean)
        for system in plan.systems
        for cell in known.values()
        if (results := _results(scan for scan in whole if _is_of(scan, cell, system)))
    ]


def aged_files(plan: Plan, scans: Sequence[ScanRecord], chunks: Chunks) -> list[AgedFiles]:
    """What ageing itself left, of each system that was scanned then."""
    whole = [scan for scan in scans if scan.when == AGED and is_whole(scan)]
    marked = [scan.model_copy(update={"cell": AGED}) for scan in whole]
    shares = _shares(plan, marked, chunks)
    return [
        AgedFiles(
            system=system,
            chunk_share=_mean(shares.block_logs(IN_CHUNKS, AGED, system)),
            lengths=extents.lengths_of(results),
        )
        for system in plan.systems
        if (results := _results(scan for scan in whole if scan.system == system))
    ]


def is_whole(scan: ScanRecord) -> bool:
    """Whether it can be counted: to its end, with files that have extents."""
    result = scan.result
    return result is not None and result.ended != "interrupted" and result.counts.extents > 0


def _is_of(scan: ScanRecord, cell: Cell, system: str) -> bool:
    return (scan.cell, scan.system) == (cell.id, system)


def _layout(
    cell: Cell,
    system: str,
    results: Sequence[ScanResult],
    samples: tuple[Samples, Samples],
    clean: str | None,
) -> AgingLayout:
    predicted, shares = samples
    rates = predicted.block_logs(PREDICTED, cell.id, system)
    before = predicted.block_logs(PREDICTED, clean, system) if clean else {}
    return AgingLayout(
        system=system,
        cell=cell.id,
        free_percent=AgingFactors.of(cell).free_percent,
        chunk_share=_mean(shares.block_logs(IN_CHUNKS, cell.id, system)),
        lengths=extents.lengths_of(results),
        free=extents.free_of(results),
        predicted=estimate(rates),
        predicted_relative=estimate(over(rates, before)) if cell.id != clean else None,
        listed_share=statistics.fmean(map(extents.listed_share, results)),
    )


def _results(scans: Iterable[ScanRecord]) -> list[ScanResult]:
    return [scan.result for scan in scans if scan.result is not None]


def _predictions(plan: Plan, scans: Sequence[ScanRecord], disk: Disk) -> Samples:
    """Log of the predicted rate of each turn's files."""
    samples = Samples(plan)
    for scan in scans:
        if scan.result is None or scan.cell is None:
            continue
        rate = predict_rate(extents.streams_of(scan.result), disk)
        if rate is not None:
            key = (PREDICTED, scan.cell, scan.system)
            samples.logs.setdefault(key, {})[scan.block, scan.again] = math.log(rate)
    return samples


def _shares(plan: Plan, scans: Sequence[ScanRecord], chunks: Chunks) -> Samples:
    """Shares as they are, not as logs: they may be 0."""
    samples = Samples(plan)
    for scan in scans:
        chunk = chunks.get(scan.system)
        if scan.result is None or scan.cell is None or not chunk:
            continue
        share = extents.share_of_exactly(scan.result, chunk)
        if share is not None:
            key = (IN_CHUNKS, scan.cell, scan.system)
            samples.logs.setdefault(key, {})[scan.block, scan.again] = share
    return samples


def _mean(by_block: Mapping[int, float]) -> Estimate | None:
    """The arithmetic mean, between 0 and 1."""
    values = list(by_block.values())
    if not values:
        return None
    mean, half = statistics.fmean(values), None
    if len(values) > 1:
        half = t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return Estimate(
        value=mean,
        low=None if half is None else max(mean - half, 0.0),
        high=None if half is None else min(mean + half, 1.0),
        n=len(values),
    )
