"""Layouts: what lay where before the first and after the last run of each turn, over blocks.

Takes scan records; gives each system's numbers before and after with intervals over blocks
(of the baseline, the mean of its two turns counts in a block), and the ratio of extents per file
after the last run to that of the reference: the baseline, or the first system that has a layout
where the baseline is a bare device. Extents per file are a ratio scale, so they are averaged as
logs; shares and lengths may be 0, so they are averaged as they are. One metric is one family of
comparisons: its p values are corrected for the number of systems.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from fsgauge.engine.wire import LengthBin
from fsgauge.record.machine import StorageFacts
from fsgauge.record.records import ScanRecord
from fsgauge.scan.numbers import Numbers, numbers_of
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.results import LayoutNumber, LayoutRatio, Layouts
from fsgauge.stats.samples import Samples

EXTENTS = "extents_per_file"
SHOWN = (EXTENTS, "fragmented_percent", "largest_free_bytes", "free_at_least_8_mib_percent")
When = Literal["before", "after"]
_CELL = "layout"


def read_layouts(
    study: Samples, scans: Sequence[ScanRecord], equivalence_percent: float
) -> Layouts | None:
    """Everything that the scans of a study say; None where it made none."""
    plan = study.plan
    scans = [scan for scan in scans if scan.when in ("before", "after")]
    if not scans:
        return None
    whens: tuple[When, When] = ("before", "after")
    scanned = {scan.system for scan in scans}
    with_layout = [system for system in plan.systems if system in scanned]
    reference = plan.baseline if plan.baseline in scanned else with_layout[0]
    return Layouts(
        primary=plan.primary_layout,
        reference=reference,
        without=[system for system in plan.systems if system not in scanned],
        numbers=[
            number
            for system in plan.systems
            for name in SHOWN
            for when in whens
            if (number := _number(study, scans, system, name, when)) is not None
        ],
        ratios=_ratios(study, scans, reference, equivalence_percent),
        failed=sum(scan.result is None for scan in scans),
        incomplete=sum(bool(scan.result and scan.result.problems) for scan in scans),
    )


def _number(
    study: Samples, scans: Sequence[ScanRecord], system: str, name: str, when: When
) -> LayoutNumber | None:
    logs = name == EXTENTS
    samples = _collected(study.beside(), scans, name, when, math.log if logs else float)
    mean = samples.plain_mean(name, _CELL, system, math.exp if logs else float)
    if mean is None:
        return None
    return LayoutNumber(system=system, name=name, when=when, **mean.model_dump())


def _ratios(
    study: Samples, scans: Sequence[ScanRecord], reference: str, equivalence_percent: float
) -> list[LayoutRatio]:
    samples = _collected(study.beside(), scans, EXTENTS, "after", math.log)
    contrasts = {
        system: Contrast(Value(EXTENTS, _CELL, system), Value(EXTENTS, _CELL, reference))
        for system in study.plan.systems
        if system != reference
    }
    return [
        LayoutRatio(system=system, **judged.numbers())
        for system, judged in in_blocks(contrasts, samples, equivalence_percent).items()
    ]


def _collected(
    samples: Samples,
    scans: Sequence[ScanRecord],
    name: str,
    when: When,
    scale: Callable[[float], float],
) -> Samples:
    """With one number of every scan that has it, by block and turn."""
    for scan in scans:
        value = _numbers(scan).get(name) if scan.when == when else None
        if value is not None:
            samples.put(name, _CELL, scan, scale(value))
    return samples


def _numbers(scan: ScanRecord) -> Numbers:
    if scan.result is None or scan.result.ended == "interrupted":
        return {}
    return numbers_of(scan.result)


WITHOUT_OWN_PLACES = ("ram", "loop")
"""Memory has no heads; and where a loop file's blocks lie says nothing of the disk below."""

Seeks = Literal["yes", "no", "unknown"]


def seeks_of(storage: StorageFacts) -> Seeks:
    """ "no" for memory, a loop file and what the kernel calls not rotational. A virtual disk is
    rotational to the kernel whatever is below it: "unknown"."""
    if storage.kind in WITHOUT_OWN_PLACES:
        return "no"
    links = [each.get("rotational") for each in storage.device_chain]
    spins = {str(value) for value in links if value is not None}
    if spins & {"0", "False"}:
        return "no"
    is_known = not any(map(_is_virtual, storage.device_chain))
    return "yes" if spins & {"1", "True"} and is_known else "unknown"


_VIRTUAL = re.compile(r"/dev/x?vd|QEMU|VMware|VBOX|Virtual|Msft|PersistentDisk")
"""By the device's name, or by its model and vendor."""


def _is_virtual(link: dict[str, Any]) -> bool:
    words = (str(link.get(key, "")) for key in ("path", "vendor", "model"))
    return _VIRTUAL.search(" ".join(words)) is not None


def at_least(bins: Sequence[LengthBin]) -> list[tuple[int, float]]:
    """By class of lengths, ascending, the share of bytes in this class and all longer ones."""
    sizes: Counter[int] = Counter()
    for each in bins:
        sizes[each.at_least_bytes] += each.size_bytes
    total = sum(sizes.values())
    if not total:
        return []
    return [
        (length, sum(size for other, size in sizes.items() if other >= length) / total)
        for length in sorted(sizes)
    ]
