"""Findings about several writers: rates above the device's."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.plan.levels import ALPHA
from fsgauge.stats.advice import cache_advice
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.results import Finding
from fsgauge.stats.served import SERVER_ADVICE, places_served, places_unstable
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, benjamini_hochberg


def writers_findings(evidence: Evidence) -> Iterator[Finding]:
    yield from _faster_than_device(evidence)


def _faster_than_device(evidence: Evidence) -> Iterator[Finding]:
    """Rates above what the raw device did in the same blocks, corrected for their number."""
    scaling = Scaling.of(evidence)
    if scaling is None or scaling.device is None:
        return
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    judged = [
        (line.system, point, share)
        for line in scaling.lines
        for point in line.points
        if (share := point.of_device) is not None and share.n >= BLOCKS_FOR_A_VERDICT
    ]
    adjusted = benjamini_hochberg([p_of(share) for *_, share in judged])
    above = [
        (system, point, share)
        for (system, point, share), p in zip(judged, adjusted, strict=True)
        if share.low is not None and share.low > 1 and p <= ALPHA
    ]
    if not above:
        return
    system, point, share = max(above, key=lambda entry: entry[2].value)
    yield finding(
        "faster_than_device",
        "warning",
        f"{system} did {_gain(share)} more than the device alone at {names[point.cell]}, more than"
        f" the device can do{_who_answered(evidence, system, point)}.",
        _advice(evidence, system, point),
        [f"{s}, {names[p.cell]}: {_share(e)} of the device" for s, p, e in above],
    )


def _who_answered(evidence: Evidence, system: str, point: ScalingPoint) -> str:
    """The raw device is always written directly, so buffered writes have the page cache before it.

    Where the load syncs, the cache still merges what comes between two syncs.
    """
    if (point.cell, system) in places_served(evidence.runs):
        return ": the server's cache answered, or the server merged writes"
    if not _buffered(evidence, point):
        return ": a cache answered, or writes were merged or put elsewhere"
    if _synced(evidence):
        return " in direct writes: these were buffered, and the cache may merge them on their way"
    return " in direct writes: these were buffered, and the page cache answered"


def _advice(evidence: Evidence, system: str, point: ScalingPoint) -> str:
    if (point.cell, system) in places_unstable(evidence.runs):
        return SERVER_ADVICE
    if (point.cell, system) in places_served(evidence.runs):
        return (
            "The server answers for the device: what it holds back, merges or writes elsewhere"
            " (a journal) the bare device cannot. Read this cell as one of the server's."
        )
    if not _buffered(evidence, point):
        return cache_advice(evidence.situation)
    if _synced(evidence):
        return (
            "Fewer and larger writes may have reached the device. For its cost without the cache"
            ' read the direct cells (workload.access = ["direct"]).'
        )
    return (
        "Memory answered; the device has yet to do these writes. Read the direct cells"
        ' (workload.access = ["direct"]), or make writes durable (workload.sync = "fdatasync").'
    )


def _buffered(evidence: Evidence, point: ScalingPoint) -> bool:
    cells = evidence.study.plan.cells
    return any(
        cell.id == point.cell and WritersFactors.of(cell).access == "buffered" for cell in cells
    )


def _synced(evidence: Evidence) -> bool:
    """Whether the load made its writes durable."""
    kind = evidence.study.study.get("workload", {}).get("sync", "none")
    return str(kind) != "none"


def p_of(share: Estimate) -> float:
    """Two-sided p of a ratio of 1, from the t interval that was made of it."""
    from fsgauge.distributions import stdtr

    if share.low is None or share.high is None:
        return 1.0
    error = math.log(share.high / share.low) / 2 / t_quantile(share.n - 1)
    if error == 0:
        return 1.0 if share.value == 1 else 0.0
    return float(2 * stdtr(share.n - 1, -abs(math.log(share.value)) / error))


def _gain(share: Estimate) -> str:
    percent = 100 * (share.value - 1)
    return f"{percent:.0f} %" if percent >= 1.5 else f"{percent:.1f} %"


def _share(share: Estimate) -> str:
    return f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"
