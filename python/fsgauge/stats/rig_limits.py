"""What limited the rate of a system in a cell: the emulated processor, a disk, or neither.

Where an emulated processor works without a pause, a rate is that of the emulation; where a disk
does as much as its limit allows, all systems that ask for as much are equal. Requests and bytes are
limits of their own: of two systems of which one meets the first and the other the second, the ratio
says how large their requests are. Each disk has its limits for itself, and they count no flushes.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from fsgauge.engine.wire import elapsed_with_finish_ns
from fsgauge.record.records import EnvironmentRecord, Plan, RunRecord
from fsgauge.stats.emulation import EMULATED, NO_TIME_LEFT, busy_share
from fsgauge.stats.evidence import Evidence, finding, part_of
from fsgauge.stats.limit import AT_LIMIT, BY_RIG, WORDS, Limit, Place, RigLimit
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete


def limits_of(
    plan: Plan, runs: Sequence[RunRecord], environment: EnvironmentRecord
) -> dict[Place, RigLimit]:
    """Of each cell and system that has a complete run, cells and systems in the plan's order."""
    machines = [each for each in environment.machines if each.virtual_machine]
    emulated = {each.name for each in machines if EMULATED in (each.virtual_machine or "")}
    measured: dict[Place, list[RunRecord]] = {}
    for run in filter(is_complete, runs):
        measured.setdefault((run.cell.id, run.system), []).append(run)
    places = [(cell.id, system) for cell in plan.cells for system in plan.systems]
    return {place: _limit(measured[place], emulated) for place in places if place in measured}


def _limit(runs: Sequence[RunRecord], emulated: set[str]) -> RigLimit:
    processor = mean_of_known([busiest(run, emulated) for run in runs])
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
    return RigLimit(
        limit=limit,
        processor_share=processor,
        iops_share=max(iops.values(), default=None),
        bandwidth_share=max(bandwidth.values(), default=None),
        disk=disk,
    )


def busiest(run: RunRecord, emulated: set[str]) -> float | None:
    """The share of its time that the busiest node worked that drove the load."""
    each = [busy_share(run, {part.machine}) for part in run.parts if part.machine in emulated]
    return max((share for share in each if share is not None), default=None)


def disk_shares(run: RunRecord, counter: str) -> dict[str, float]:
    """By disk, of what it may do a second in requests or in bytes; of those with a limit. A counter
    counts in the warm-up as well."""
    if run.result is None:
        return {}
    elapsed_ns = run.result.warm_up_ns + elapsed_with_finish_ns(run.result)
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


def mean_of_known(values: Sequence[float | None]) -> float | None:
    """The mean of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def ratios_limited(limits: Mapping[Place, Limit], baseline: str) -> dict[Place, str]:
    """The ratios to the baseline that the rig sets, and by what: an emulated processor that had no
    time left on one side, or the same limit of a disk on both."""
    found = {}
    for (cell, system), ours in limits.items():
        theirs = limits.get((cell, baseline), "unknown")
        if system != baseline and (cause := set_by(ours, theirs)):
            found[cell, system] = cause
    return found


def set_by(ours: Limit, theirs: Limit) -> str:
    """What of the rig sets the ratio of two rates that were limited so; "" where nothing does."""
    if "emulator" in (ours, theirs):
        return WORDS["emulator"]
    return WORDS[ours] if ours == theirs and ours in BY_RIG else ""


def rates_set_by(limits: Mapping[Place, RigLimit], one: Place, other: Place) -> str:
    """The same of the rates in two places."""
    if one not in limits or other not in limits:
        return ""
    return set_by(limits[one].limit, limits[other].limit)


def rig_limits(evidence: Evidence) -> Iterator[Finding]:
    """Where a rate is what a disk's limit allows; runs that the emulator limited have a finding of
    their own."""
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    met = {
        place: each
        for place, each in evidence.limits.items()
        if each.limit in ("IOPS", "bandwidth")
    }
    if met:
        part = part_of(len(met), len(evidence.limits), "place")
        yield finding(
            "disk.limit",
            "note",
            f"A disk did all that its limit allows in {part} (a cell on a system). There a rate is"
            " the limit's, and so is what two systems or two numbers of nodes have in common.",
            "With larger limits other parts decide: --set 'storage.iops=5000 IOPS'.",
            [
                f"{system}, {names[cell]}: {WORDS[each.limit]} ({each.disk})"
                for (cell, system), each in met.items()
            ],
        )
