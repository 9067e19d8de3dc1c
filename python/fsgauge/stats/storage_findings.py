"""What the storage and its scans leave unsaid: sparse files, no heads, scans that failed."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.stats.evidence import Evidence, count, finding, turn_name
from fsgauge.stats.noise import describe_noise
from fsgauge.stats.results import Finding, NoiseFloor
from fsgauge.stats.wording import ratio_range

SHARES_ITS_DISK = ("loop",)
"""Kinds of storage below which others work too."""


def storage_cautions(evidence: Evidence) -> Iterator[Finding]:
    """What the storage said of itself when the study began."""
    storage = evidence.before.storage
    floor = evidence.noise.get(evidence.primary_metric)
    advice = ""
    if storage.kind in SHARES_ITS_DISK:
        held = what_holds(describe_noise(floor) if floor is not None else None)
        advice = f"{held[:1].upper()}{held[1:]}. Absolute rates are those of a shared disk."
    for caution in storage.cautions:
        yield finding("storage.caution", "note", caution, advice)


def what_holds(floor: NoiseFloor | None) -> str:
    """Whether ratios hold on a disk that others use too, by what its noise was here."""
    if floor is None or floor.state == "unknown":
        return "whether ratios hold is not known: its noise was not measured in enough blocks"
    if floor.state == "differs":
        return "ratios do not hold: the baseline differed from itself"
    apart = f"equal systems came out {ratio_range(floor.low, floor.high)} apart"
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
