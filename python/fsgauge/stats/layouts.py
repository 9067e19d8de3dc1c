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
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from fsgauge.engine.wire import LengthBin
from fsgauge.record.machine import StorageFacts
from fsgauge.record.records import ScanRecord
from fsgauge.scan.numbers import numbers_of
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.results import LayoutNumber, LayoutRatio, Layouts
from fsgauge.stats.samples import Samples

PER_FILE = "extents_per_file"
SHOWN = (PER_FILE, "fragmented_percent", "largest_free_bytes", "free_at_least_8_mib_percent")
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
    logs = name == PER_FILE
    there = [(scan, _CELL) for scan in scans if scan.when == when]
    samples = with_numbers(study.beside(), there, [name], math.log if logs else float)
    mean = samples.plain_mean(name, _CELL, system, math.exp if logs else float)
    if mean is None:
        return None
    return LayoutNumber(system=system, name=name, when=when, **mean.model_dump())


def _ratios(
    study: Samples, scans: Sequence[ScanRecord], reference: str, equivalence_percent: float
) -> list[LayoutRatio]:
    after = [(scan, _CELL) for scan in scans if scan.when == "after"]
    samples = with_numbers(study.beside(), after, [PER_FILE])
    contrasts = {
        system: Contrast(Value(PER_FILE, _CELL, system), Value(PER_FILE, _CELL, reference))
        for system in study.plan.systems
        if system != reference
    }
    return [
        LayoutRatio(system=system, **judged.numbers())
        for system, judged in in_blocks(contrasts, samples, equivalence_percent).items()
    ]


def with_numbers(
    samples: Samples,
    scans: Iterable[tuple[ScanRecord, str]],
    names: Sequence[str],
    scale: Callable[[float], float] = math.log,
) -> Samples:
    """With these numbers of every whole scan that has them, by block and turn. Each scan comes with
    the name of the cell, or of the tree, that they are put under; what is 0 has no log."""
    for scan, place in scans:
        if scan.result is None or scan.result.ended == "interrupted":
            continue
        numbers = numbers_of(scan.result)
        for name in names:
            value = numbers[name]
            if value is not None and (value or scale is not math.log):
                samples.put(name, place, scan, scale(value))
    return samples


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
