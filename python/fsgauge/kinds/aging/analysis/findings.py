"""What an aged file system brings to light: what its rates can say, and layouts as not asked for.

Nothing here changes or drops a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.record import StepRecord
from fsgauge.stats.evidence import Evidence, count, finding, part_of
from fsgauge.stats.results import Finding
from fsgauge.units import format_size

FEWEST_IN_CHUNKS = 0.95
"""Published: nearly all bytes lie in extents of exactly the allocation size."""
FEWEST_LISTED = 0.999
ALL_FREE = 100


def aging_findings(evidence: Evidence) -> Iterator[Finding]:
    """All findings about ageing."""
    aging = Aging.of(evidence)
    if aging is None:
        return
    yield from _ended_early(evidence.steps)
    yield from _without_seeks(aging)
    yield from _sparse_below(evidence)
    yield from _not_in_chunks(aging)
    yield from _still_slow(aging)
    yield from _scans(evidence, aging)
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
                f"Ageing {how} in {part_of(len(broken), len(aged), 'turn')}: the files are not"
                " those that were asked for.",
                "The step's record names each error: records/*/step-*.json.",
                [_place(step) for step in broken],
            )


def _place(step: StepRecord) -> str:
    again = " (second turn)" if step.again else ""
    ended = step.result.ended.replace("_", " ") if step.result is not None else ""
    return f"block {step.block + 1}, {step.system}{again}: {ended}"


def _without_seeks(aging: Aging) -> Iterator[Finding]:
    if aging.seeks == "no":
        yield finding(
            "aging.no_seeks",
            "note",
            "The storage has no heads that follow the layout, so measured rates show only that"
            " requests are split where extents end, not what seeks cost.",
            "Read the rates that are predicted for a disk beside them, or measure on one:"
            " --storage /dev/disk/by-id/NAME.",
        )


def _sparse_below(evidence: Evidence) -> Iterator[Finding]:
    """Clean rates are of places that nobody wrote before; those of later levels are not."""
    storage = evidence.study.study.get("storage", {})
    if storage.get("kind") == "loop" and not storage.get("preallocate"):
        yield finding(
            "aging.sparse_below",
            "warning",
            "The storage is a sparse file: the first write to a place also allocates it on the disk"
            " below. Clean systems pay for that more than aged ones, so aged systems look better"
            " than they are.",
            "--set storage.preallocate=true, or a device.",
        )


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
            f" {100 * share.value:.0f} % of the aged files' bytes lie in extents of exactly that"
            f" size; the mean extent has {format_size(aged.lengths.mean_extent_bytes)}.",
            "Its lines say what these extents cost, not what that allocation size would.",
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
            f" {100 * kept:.0f} % of its clean rate. Its files are whole then, so"
            " something else has changed: the storage below, or the rest of the file system.",
            "A sparse loop file is allocated below as it is written: --set"
            " storage.preallocate=true. It does not get back what is freed: mount with discard.",
            [f"{each.system}, {each.side}" for each, _ in slow],
        )


def _scans(evidence: Evidence, aging: Aging) -> Iterator[Finding]:
    if aging.failed_scans:
        failed = [scan for scan in evidence.scans if scan.fault is not None]
        first = failed[0].fault
        yield finding(
            "aging.scan_failed",
            "warning",
            f"{count(aging.failed_scans, 'scan')} of written files failed, so their layout and"
            " the rates predicted from it are missing.",
            " ".join(part for part in (first.what, first.next) if part) if first else "",
            [f"block {scan.block + 1}, {scan.system}, {scan.cell or scan.when}" for scan in failed],
        )
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
            f"{', '.join(without)}: no layout is known, so nothing is predicted.",
            "tmpfs and network file systems do not tell where files lie.",
        )


def _listed_in_part(aging: Aging) -> Iterator[Finding]:
    part = [layout for layout in aging.layouts if layout.listed_share < FEWEST_LISTED]
    if part:
        least = min(part, key=lambda layout: layout.listed_share)
        yield finding(
            "aging.listed_in_part",
            "note",
            f"Not every extent is listed in the scans: predicted rates of {least.system} rest on"
            f" {100 * least.listed_share:.0f} % of the bytes or more.",
            "A scan lists at most 10,000 extents of a file, the first ones. Smaller files, or"
            " larger extents, are listed whole.",
            [f"{layout.system}, {layout.cell}" for layout in part],
        )
