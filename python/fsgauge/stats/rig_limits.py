"""What limited the rate of a system in a cell: the emulated processor, a disk, or neither.

Where an emulated processor works without a pause, a rate is that of the emulation; where a disk
does as much as its limit allows, all systems that ask for as much are equal. Requests and bytes are
limits of their own: of two systems of which one meets the first and the other the second, the ratio
says how large their requests are. Each disk has its limits for itself, and they count no flushes.
Ratios that the rig sets so are shown, marked, and kept out of every sentence.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import elapsed_with_finish_ns
from fsgauge.record.records import EnvironmentRecord, Plan, RunRecord
from fsgauge.stats.results import Comparison, Measurement
from fsgauge.stats.results import Limit as Limit
from fsgauge.stats.samples import is_complete
from fsgauge.stats.wording import listed
from fsgauge.units import grouped

AT_LIMIT = 0.9
"""From this share of a limit on, it is what operations wait for."""
WORDS: dict[Limit, str] = {
    "emulator": "the emulated processor",
    "IOPS": "a disk's IOPS limit",
    "bandwidth": "a disk's bandwidth limit",
    "neither": "neither",
    "unknown": "not known",
}
BY_RIG: tuple[Limit, ...] = ("emulator", "IOPS", "bandwidth")
Place = tuple[str, str]
"""A cell's id and a system."""


@dataclass(frozen=True)
class RigLimit:
    """What limited a system in a cell. Shares are means over runs: of its time the processor
    worked, on the node that was busiest; of what a disk may do in requests, and in bytes, the one
    did that came nearest to each. None where it is not known. `disk` is the one that came nearest
    to either: its machine and serial."""

    limit: Limit
    processor_share: float | None
    iops_share: float | None
    bandwidth_share: float | None
    disk: str


EMULATED = "emulated"
"""In the name of a virtual machine whose processor is emulated too."""
NO_TIME_LEFT = 0.95
"""Share of the time that a processor works where it, and not a disk, is what operations wait for.
A disk that is limited to a tenth of what the processor can do leaves it idle for a half or more."""


def limits_of(
    plan: Plan, runs: Sequence[RunRecord], environment: EnvironmentRecord
) -> dict[Place, RigLimit]:
    """Of each cell and system that has a complete run, cells and systems in the plan's order."""
    emulated = emulated_of(environment)
    measured = grouped(((run.cell.id, run.system), run) for run in filter(is_complete, runs))
    places = [(cell.id, system) for cell in plan.cells for system in plan.systems]
    return {place: _limit(measured[place], emulated) for place in places if place in measured}


def emulated_of(environment: EnvironmentRecord) -> set[str]:
    """The names of the virtual machines whose processors are emulated too."""
    return {each.name for each in environment.machines if EMULATED in (each.virtual_machine or "")}


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
    """What of the rig sets the ratio of the rates in two places."""
    if one not in limits or other not in limits:
        return ""
    return set_by(limits[one].limit, limits[other].limit)


def busy_share(run: RunRecord, machines: set[str]) -> float | None:
    """How much of a run's time all processors of these machines worked; None where unknown."""
    slices = [each for part in run.parts if part.machine in machines for each in part.slices]
    total_ns = sum(each.result.machine_cpu.total_ns for each in slices)
    busy_ns = sum(each.result.machine_cpu.busy_ns for each in slices)
    return busy_ns / total_ns if total_ns else None


_OF_PROCESSORS = ("cpu", "machine_cpu")
COUNTS_HOLD = "Counts for each operation hold all the same."


def with_limits(
    comparisons: Sequence[Comparison], limits: Mapping[tuple[str, str], str]
) -> list[Comparison]:
    """The comparisons; `limits` has by cell and system what set the ratio. A limit of a disk sets
    rates and times, not the processor time of an operation."""
    found = []
    for each in comparisons:
        cause = limits.get((each.cell, each.system))
        if cause is None or (each.metric in _OF_PROCESSORS and cause != WORDS["emulator"]):
            found.append(each)
        else:
            found.append(each.model_copy(update={"limited_by": cause}))
    return found


def measured_under(
    measurements: Sequence[Measurement], limits: Mapping[Place, RigLimit]
) -> list[Measurement]:
    return [
        each.model_copy(update={"limit": limits[each.cell, each.system].limit})
        if (each.cell, each.system) in limits
        else each
        for each in measurements
    ]


def limited_sentence(limited: Sequence[Comparison], others: int) -> str:
    """ "25 of 45 ratios are not claimed: the emulated processor set 18, a disk's IOPS limit 7."; ""
    where none is. `limited` and `others` are those that the answer asks for."""
    if not limited:
        return ""
    by = Counter(each.limited_by for each in limited)
    causes = listed([f"{cause} set {number}" for cause, number in by.most_common()])
    if not others:
        return f"No ratio of rates is claimed, of {len(limited)}: {causes}. {COUNTS_HOLD}"
    verb = "is" if len(limited) == 1 else "are"
    return f"{len(limited)} of {len(limited) + others} ratios {verb} not claimed: {causes}."
