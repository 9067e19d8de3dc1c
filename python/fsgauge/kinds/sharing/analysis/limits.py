"""What limited the rate of a system in a cell: the emulated processor, a disk's limit, or neither.

Where an emulated processor works without a pause, a rate is that of the emulation; where a disk
does as much as its limit allows, all systems that ask for as much are equal. A ratio of rates says
something of the systems where neither holds for both of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from fsgauge.kinds.sharing.analysis.model import CellLimit, Limit
from fsgauge.record import Plan, RunRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.emulation import EMULATED, NO_TIME_LEFT, busy_share
from fsgauge.stats.evidence import finding, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete
from fsgauge.wire import elapsed_with_finish_ns, processor_with_finish_ns

AT_LIMIT = 0.9
"""From this share of a limit on, it is what operations wait for."""
_IOPS, _BYTES_PER_SECOND = 500.0, float(64 << 20)
"""The limits of a disk of the virtual rig where the study sets none."""


def limits_of(material: Material) -> list[CellLimit]:
    """One a cell and system that has a complete run."""
    plan = material.study.plan
    storage = material.study.study.get("storage", {})
    allowed = {
        "disk_requests": storage.get("iops") or _IOPS,
        "disk_bytes": storage.get("bandwidth") or _BYTES_PER_SECOND,
    }
    machines = [each for each in material.environment.machines if each.virtual_machine]
    emulated = {each.name for each in machines if EMULATED in (each.virtual_machine or "")}
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            runs = [r for r in material.runs if (r.cell.id, r.system) == (cell.id, system)]
            measured = [run for run in runs if is_complete(run)]
            if measured:
                found.append(_limit(cell.id, system, measured, emulated, allowed))
    return found


def _limit(
    cell: str,
    system: str,
    runs: Sequence[RunRecord],
    emulated: set[str],
    allowed: dict[str, float],
) -> CellLimit:
    processor = _mean([busiest(run, emulated) for run in runs])
    disk = _mean([disk_share(run, allowed) for run in runs])
    limit: Limit = "neither"
    if processor is None and disk is None:
        limit = "unknown"
    elif processor is not None and processor > NO_TIME_LEFT:
        limit = "emulator"
    elif disk is not None and disk > AT_LIMIT:
        limit = "disk"
    return CellLimit(
        cell=cell,
        system=system,
        limit=limit,
        processor_share=processor,
        disk_share=disk,
        test_share=_mean([share_of_test(run) for run in runs]),
    )


def share_of_test(run: RunRecord) -> float | None:
    """Of its time the test's processes were on a processor, user and system together; two that
    never wait are 2."""
    elapsed_ns = elapsed_with_finish_ns(run.result) if run.result is not None else 0
    if run.result is None or not elapsed_ns:
        return None
    return processor_with_finish_ns(run.result) / elapsed_ns


def busiest(run: RunRecord, emulated: set[str]) -> float | None:
    """The share of its time that the busiest node worked that drove the load."""
    each = [busy_share(run, {part.machine}) for part in run.parts if part.machine in emulated]
    return max((share for share in each if share is not None), default=None)


def disk_share(run: RunRecord, allowed: dict[str, float]) -> float | None:
    """Of what one disk may do, in requests or in bytes, whichever is more."""
    elapsed_ns = elapsed_with_finish_ns(run.result) if run.result is not None else 0
    if not elapsed_ns:
        return None
    shares = [
        each.count * 1e9 / elapsed_ns / allowed[each.name]
        for each in run.traffic
        if each.name in allowed
    ]
    return max(shares, default=None)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def limits_finding(limits: Sequence[CellLimit], plan: Plan) -> Iterator[Finding]:
    """How many ratios the rig decides."""
    of = {(each.cell, each.system): each.limit for each in limits}
    names = {cell.id: cell.name for cell in plan.cells}
    pairs = [
        (cell, system, limit, of.get((cell, plan.baseline), "unknown"))
        for (cell, system), limit in of.items()
        if system != plan.baseline
    ]
    decided = [
        f"{system}, {names[cell]}: {limit} ({plan.baseline}: {theirs})"
        for cell, system, limit, theirs in pairs
        if "emulator" in (limit, theirs) or limit == theirs == "disk"
    ]
    if decided:
        yield finding(
            "sharing.limit",
            "warning",
            f"{part_of(len(decided), len(pairs), 'ratio')} of rates say more of the rig than of the"
            " systems: an emulated processor had no time left, or both met the limit of a disk."
            " Counts for each operation hold all the same.",
            "Repeat it on real machines, or with slower disks: --set 'storage.iops=100 IOPS'.",
            decided,
        )
