"""Layouts at each level: extents, contiguity, free space, and the rate that a disk would have.

Takes the scans that followed a written cell. A turn is one sample: its prediction is set against
the prediction of its own clean files, and of the baseline the mean of both turns counts. Exact
lengths are counted by the scan; one of an earlier engine knows them where it lists every extent.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fsgauge.engine.wire import PassedFile, ScanResult
from fsgauge.errors import RigError
from fsgauge.kinds.aging.analysis.model import AgedFiles, AgingLayout, FreeAtLevel, Lengths
from fsgauge.kinds.aging.analysis.rates import written_cells
from fsgauge.kinds.aging.disk import DiskModel
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.kinds.aging.predicting import predict_rates
from fsgauge.record.records import Cell, ScanRecord
from fsgauge.stats.estimate import Estimate, over
from fsgauge.stats.layouts import at_least
from fsgauge.stats.samples import Samples

PREDICTED, IN_CHUNKS = "predicted", "in chunks"
AGED = "aged"
Chunks = Mapping[str, int | None]


def aging_layouts(
    study: Samples, scans: Sequence[ScanRecord], chunks: Chunks, predicted: Samples
) -> list[AgingLayout]:
    """One entry a system and level whose files were scanned; with what is predicted of them."""
    plan = study.plan
    known = {cell.id: cell for cell in written_cells(plan)}
    whole = [scan for scan in scans if scan.cell in known and is_whole(scan)]
    shares = _shares(study, whole, chunks)
    clean = next(
        (cell.id for cell in known.values() if AgingFactors.of(cell).free_percent is None), None
    )
    return [
        _layout(cell, system, results, (predicted, shares), clean)
        for system in plan.systems
        for cell in known.values()
        if (results := _results(s for s in whole if (s.cell, s.system) == (cell.id, system)))
    ]


def aged_files(study: Samples, scans: Sequence[ScanRecord], chunks: Chunks) -> list[AgedFiles]:
    plan = study.plan
    whole = [scan for scan in scans if scan.when == AGED and is_whole(scan)]
    marked = [scan.model_copy(update={"cell": AGED}) for scan in whole]
    shares = _shares(study, marked, chunks)
    return [
        AgedFiles(
            system=system, chunk_share=_mean(shares, AGED, system), lengths=lengths_of(results)
        )
        for system in plan.systems
        if (results := _results(scan for scan in whole if scan.system == system))
    ]


def is_whole(scan: ScanRecord) -> bool:
    """Whether it can be counted: to its end, with files that have extents."""
    result = scan.result
    return result is not None and result.ended != "interrupted" and result.counts.extents > 0


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
        chunk_share=_mean(shares, cell.id, system),
        lengths=lengths_of(results),
        free=free_of(results),
        predicted=predicted.over_blocks(rates),
        predicted_relative=predicted.over_blocks(over(rates, before)) if cell.id != clean else None,
        listed_share=statistics.fmean(map(listed_share, results)),
    )


def _results(scans: Iterable[ScanRecord]) -> list[ScanResult]:
    return [scan.result for scan in scans if scan.result is not None]


def predictions(
    study: Samples, scans: Sequence[ScanRecord], disk: DiskModel
) -> tuple[Samples, str]:
    """Log of the predicted rate of each turn's files; and why there is none, "" where there is."""
    known = {cell.id for cell in written_cells(study.plan)}
    whole = [(scan, scan.result) for scan in scans if scan.cell in known and is_whole(scan)]
    samples = study.beside()
    passes = (streams_of(result) for _, result in whole if result is not None)
    try:
        rates = predict_rates(passes, disk) if whole else []
    except RigError as error:
        return samples, error.what
    for (scan, _), rate in zip(whole, rates, strict=True):
        if rate is not None and scan.cell is not None:
            samples.put(PREDICTED, scan.cell, scan, math.log(rate))
    return samples, ""


def _shares(study: Samples, scans: Sequence[ScanRecord], chunks: Chunks) -> Samples:
    """Shares as they are, not as logs: they may be 0."""
    samples = study.beside()
    for scan in scans:
        chunk = chunks.get(scan.system)
        if scan.result is None or scan.cell is None or not chunk:
            continue
        share = share_of_exactly(scan.result, chunk)
        if share is not None:
            samples.put(IN_CHUNKS, scan.cell, scan, share)
    return samples


def _mean(shares: Samples, cell: str, system: str) -> Estimate | None:
    return shares.plain_mean(IN_CHUNKS, cell, system, lambda share: min(max(share, 0.0), 1.0))


MOST_EXACT = 6


def exact_lengths(scan: ScanResult) -> Counter[int] | None:
    """How many extents there are of each length in bytes; None where that is not known of all."""
    counted = Counter({each.length_bytes: each.extents for each in scan.exact_lengths})
    if not counted:
        for lengths in listed_lengths(scan):
            counted.update(lengths)
    return counted if counted.total() == scan.counts.extents else None


def listed_lengths(scan: ScanResult) -> list[Sequence[int]]:
    return [file.list.column("length_bytes") for file in scan.top]


def listed_share(scan: ScanResult) -> float:
    listed = sum(map(sum, listed_lengths(scan)))
    return listed / scan.counts.extent_bytes if scan.counts.extent_bytes else 0.0


def streams_of(scan: ScanResult) -> list[PassedFile]:
    """Each listed file as a stream of the disk model, in the order of the file."""
    found = []
    for file in sorted(scan.top, key=lambda file: file.name):
        columns = map(file.list.column, ("logical_bytes", "physical_bytes", "length_bytes"))
        extents = sorted(zip(*columns, strict=True))
        places, lengths = ([each[at] for each in extents] for at in (1, 2))
        found.append(PassedFile(physical_bytes=places, length_bytes=lengths))
    return found


def share_of_exactly(scan: ScanResult, length_bytes: int) -> float | None:
    """The share of bytes in extents of exactly this length; None where lengths are not known."""
    lengths = exact_lengths(scan)
    if lengths is None or not scan.counts.extent_bytes:
        return None
    return lengths[length_bytes] * length_bytes / scan.counts.extent_bytes


def lengths_of(scans: Sequence[ScanResult]) -> Lengths:
    bytes_of: Counter[int] = Counter()
    counted = [lengths for scan in scans if (lengths := exact_lengths(scan)) is not None]
    for lengths in counted if len(counted) == len(scans) else ():
        bytes_of.update({length: length * extents for length, extents in lengths.items()})
    size_bytes = sum(scan.counts.extent_bytes for scan in scans)
    extents = sum(scan.counts.extents for scan in scans)
    exact = [(length, found / size_bytes) for length, found in bytes_of.most_common(MOST_EXACT)]
    return Lengths(
        files=sum(s.counts.files - s.counts.files_without_extents for s in scans) / len(scans),
        extents=extents / len(scans),
        mean_extent_bytes=size_bytes / extents,
        exact=exact or None,
        at_least=at_least([one for scan in scans for one in scan.extent_lengths]),
    )


def free_of(scans: Sequence[ScanResult]) -> FreeAtLevel | None:
    """Free space, the mean over these scans; None where no scan knows it."""
    known = [scan.free for scan in scans if scan.free is not None]
    if not known:
        return None
    pieces = [free.extents for free in known if free.extents is not None]
    largest = [free.largest_bytes for free in known if free.largest_bytes is not None]
    return FreeAtLevel(
        size_bytes=sum(free.size_bytes for free in known) / len(known),
        extents=sum(pieces) / len(pieces) if pieces else None,
        largest_bytes=sum(largest) / len(largest) if largest else None,
        at_least=at_least([one for free in known for one in free.lengths]),
    )
