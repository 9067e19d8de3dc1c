"""Findings about ageing: what rates can say, and layouts other than those asked for.

Nothing here changes or drops a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.record.records import StepRecord
from fsgauge.stats.evidence import Evidence, finding, part_of, turn_name
from fsgauge.stats.results import Finding
from fsgauge.stats.storage_findings import failed_scans, no_seeks, sparse_storage
from fsgauge.units import format_size

FEWEST_IN_CHUNKS = 0.95
"""Published: nearly all bytes lie in extents of exactly the allocation size."""
FEWEST_LISTED = 0.999
ALL_FREE = 100


def aging_findings(evidence: Evidence) -> Iterator[Finding]:
    aging = Aging.of(evidence)
    if aging is None:
        return
    yield from _ended_early(evidence.steps)
    if aging.seeks == "no":
        yield no_seeks(
            "The storage has no moving heads. Measured rates show only that requests are split"
            " where extents end, not what seeks cost.",
            "Compare with the rates predicted for a disk, or measure on one:"
            " --storage /dev/disk/by-id/NAME.",
        )
    yield from sparse_storage(
        evidence,
        "Clean systems pay for that more than aged ones, so aged systems look better than they"
        " are.",
    )
    yield from _not_in_chunks(aging)
    yield from _still_slow(aging)
    yield from failed_scans(
        evidence, "the layout of those files and the rates predicted from it are missing"
    )
    if aging.unpredicted:
        yield finding(
            "aging.unpredicted",
            "note",
            f"No rate is predicted for a disk: {aging.unpredicted}.",
            "fsgauge report DIR where the engine can be run predicts them from the same records.",
        )
    yield from _no_layout(evidence, aging)
    yield from _listed_in_part(aging)


def _ended_early(steps: Sequence[StepRecord]) -> Iterator[Finding]:
    """An op log that was not replayed whole leaves another file system than was asked for."""
    aged = [step for step in steps if step.result is not None]
    short = [step for step in aged if step.result is not None and step.result.ended != "complete"]
    failed = [step for step in aged if step.result is not None and step.result.errors]
    for broken, how in ((short, "ended early"), (failed, "met errors")):
        if broken:
            yield finding(
                "aging.incomplete",
                "warning",
                f"Ageing {how} in {part_of(len(broken), len(aged), 'turn')}: those turns do not"
                " have the files that were asked for.",
                "The step's record names each error: records/*/step-*.json.",
                [_place(step) for step in broken],
            )


def _place(step: StepRecord) -> str:
    ended = step.result.ended.replace("_", " ") if step.result is not None else ""
    return f"{turn_name(step)}: {ended}"


def _not_in_chunks(aging: Aging) -> Iterator[Finding]:
    """The file system did not allocate as it was asked to."""
    for aged in aging.aged:
        chunk = aging.chunks.get(aged.system)
        share = aged.chunk_share
        if chunk is None or share is None or share.value >= FEWEST_IN_CHUNKS:
            continue
        yield finding(
            "aging.other_extents",
            "warning",
            f"{aged.system} was asked for extents of {format_size(chunk)}, and"
            f" {100 * share.value:.0f} % of the aged files' bytes are in extents of exactly that"
            f" size; the mean extent has {format_size(aged.lengths.mean_extent_bytes)}.",
            "Read its results as those of the extents it has, not of that allocation size.",
        )


def _still_slow(aging: Aging) -> Iterator[Finding]:
    """With everything free again the layout is clean: what is slow then is not the layout."""
    slow = [
        (line, point.relative.value)
        for line in aging.lines
        if (point := line.at(ALL_FREE)) is not None and point.verdict == "worse" and point.relative
    ]
    if slow:
        line, kept = min(slow, key=lambda each: each[1])
        yield finding(
            "aging.still_slow",
            "warning",
            f"With all of the region free again, {line.system} {line.side}s at"
            f" {100 * kept:.0f} % of its clean rate. Its files are contiguous by then, so"
            " something else has changed: the storage below, or the rest of the file system.",
            "A sparse loop file is allocated on the disk below as it is written: --set"
            " storage.preallocate=true. Freed space returns to that disk only if the file system is"
            " mounted with discard.",
            [f"{each.system}, {each.side}" for each, _ in slow],
        )


def _no_layout(evidence: Evidence, aging: Aging) -> Iterator[Finding]:
    without = [
        system
        for system in evidence.study.plan.systems
        if any(line.system == system for line in aging.lines)
        and not any(layout.system == system for layout in aging.layouts)
    ]
    if without and not aging.failed_scans:
        yield finding(
            "aging.no_layout",
            "warning",
            f"{', '.join(without)}: the layout is unknown, so nothing is predicted.",
            "tmpfs and network file systems do not say where files lie.",
        )


def _listed_in_part(aging: Aging) -> Iterator[Finding]:
    part = [layout for layout in aging.layouts if layout.listed_share < FEWEST_LISTED]
    if part:
        least = min(part, key=lambda layout: layout.listed_share)
        yield finding(
            "aging.listed_in_part",
            "note",
            f"The scans do not list every extent: predicted rates of {least.system} rest on"
            f" {100 * least.listed_share:.0f} % of the bytes or more.",
            "A scan lists the first 10,000 extents of a file. Smaller files, or larger extents, are"
            " listed whole.",
            [f"{layout.system}, {layout.cell}" for layout in part],
        )
