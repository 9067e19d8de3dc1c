"""What limited the rate of a system in a cell: the emulated processor, a disk, or neither.

Where an emulated processor works without a pause, a rate is that of the emulation; where a disk
does as much as its limit allows, all systems that ask for as much are equal. Requests and bytes are
limits of their own: of two systems of which one meets the first and the other the second, the ratio
says how large their requests are. Each disk has its limits for itself, and they count no flushes.
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
WORDS: dict[Limit, str] = {
    "emulator": "the emulated processor",
    "IOPS": "a disk's IOPS limit",
    "bandwidth": "a disk's bandwidth limit",
    "neither": "neither",
    "unknown": "not known",
}
Place = tuple[str, str]
"""A cell's id and a system."""


def limits_of(material: Material) -> list[CellLimit]:
    """One a cell and system that has a complete run."""
    plan = material.study.plan
    machines = [each for each in material.environment.machines if each.virtual_machine]
    emulated = {each.name for each in machines if EMULATED in (each.virtual_machine or "")}
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            runs = [r for r in material.runs if (r.cell.id, r.system) == (cell.id, system)]
            measured = [run for run in runs if is_complete(run)]
            if measured:
                found.append(_limit(cell.id, system, measured, emulated))
    return found


def _limit(cell: str, system: str, runs: Sequence[RunRecord], emulated: set[str]) -> CellLimit:
    processor = _mean([busiest(run, emulated) for run in runs])
    iops, bandwidth = (
        _of_disks([disk_shares(run, counter) for run in runs])
        for counter in ("disk_requests", "disk_bytes")
    )
    kinds: tuple[tuple[Limit, dict[str, float]], ...] = (("IOPS", iops), ("bandwidth", bandwidth))
    of_disk = [(share, kind, disk) for kind, shares in kinds for disk, share in shares.items()]
    unknown: tuple[float, Limit, str] = (0.0, "unknown", "")
    most, nearest, disk = max(of_disk, default=unknown)
    limit: Limit = "neither"
    if processor is not None and processor > NO_TIME_LEFT:
        limit = "emulator"
    elif most > AT_LIMIT:
        limit = nearest
    elif processor is None and not of_disk:
        limit = "unknown"
    return CellLimit(
        cell=cell,
        system=system,
        limit=limit,
        processor_share=processor,
        iops_share=max(iops.values(), default=None),
        bandwidth_share=max(bandwidth.values(), default=None),
        disk=disk,
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


def disk_shares(run: RunRecord, counter: str) -> dict[str, float]:
    """By disk, of what it may do a second in requests or in bytes; of those with a limit."""
    elapsed_ns = elapsed_with_finish_ns(run.result) if run.result is not None else 0
    if not elapsed_ns:
        return {}
    return {
        disk: done.count * 1e9 / elapsed_ns / done.limit_per_second
        for each in run.traffic
        if each.name == counter
        for disk, done in each.of_disks.items()
        if done.limit_per_second
    }


def _of_disks(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Of each disk the mean over runs."""
    disks = dict.fromkeys(disk for run in runs for disk in run)
    return {disk: statistics.fmean(run.get(disk, 0.0) for run in runs) for disk in disks}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def ratios_limited(limits: Sequence[CellLimit], baseline: str) -> dict[Place, str]:
    """The ratios to the baseline that the rig sets, and by what: an emulated processor that had no
    time left on one side, or the same limit of a disk on both."""
    of = {(each.cell, each.system): each.limit for each in limits}
    found = {}
    for (cell, system), ours in of.items():
        theirs = of.get((cell, baseline), "unknown")
        if system == baseline:
            continue
        if "emulator" in (ours, theirs):
            found[cell, system] = WORDS["emulator"]
        elif ours == theirs and ours in ("IOPS", "bandwidth"):
            found[cell, system] = WORDS[ours]
    return found


def limits_finding(limits: Sequence[CellLimit], plan: Plan) -> Iterator[Finding]:
    """How many ratios the rig decides."""
    names = {cell.id: cell.name for cell in plan.cells}
    pairs = [each for each in limits if each.system != plan.baseline]
    decided = ratios_limited(limits, plan.baseline)
    if decided:
        yield finding(
            "sharing.limit",
            "warning",
            f"{part_of(len(decided), len(pairs), 'ratio')} of rates say more of the rig than of the"
            " systems, and none of these is claimed: an emulated processor had no time left, or a"
            " disk of each did all that the same limit allows. Counts for each operation hold all"
            " the same.",
            "Repeat it on real machines, or with slower disks: --set 'storage.iops=100 IOPS'.",
            [f"{system}, {names[cell]}: {by}" for (cell, system), by in decided.items()],
        )
