"""What the machine did to the numbers: other load, a change, a processor that was slowed down. And
under what limits the runs were: those that bind, a CPU quota that was used up, limits of I/O that
were reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.record.limits import IoLimit, Throttled
from fsgauge.record.machine import BELOW, Machine, title_of
from fsgauge.record.records import RunRecord
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.rig_limits import NO_TIME_LEFT, WORDS, busy_share, emulated_of
from fsgauge.stats.wording import listed, percent
from fsgauge.units import format_duration, grouped

BUSY_SHARE = 0.5
FULL_CLOCK = 0.99
FIXED_GOVERNOR = "performance"


def machine_findings(evidence: Evidence) -> Iterator[Finding]:
    """All findings about the machines; of several, each names its machine. None of a simulation:
    its numbers do not come from the machine that computed them."""
    if evidence.before.load.simulation is not None:
        return
    alone = len(evidence.before.machines) == 1
    below = evidence.before.of_role(BELOW)
    for before in evidence.before.machines:
        after = evidence.after.of_role(before.role) if evidence.after is not None else None
        is_on_another = below is not None and before is not below
        for found in _of_machine(before, after, is_on_another=is_on_another):
            named = {"sentence": f"{title_of(before, evidence.before.machines)}: {found.sentence}"}
            yield found if alone else found.model_copy(update=named)


def _of_machine(
    before: Machine, after: Machine | None, *, is_on_another: bool
) -> Iterator[Finding]:
    if not is_on_another:  # what keeps a virtual machine busy is said of the one below it
        yield from _busy(before)
    yield from _changed(before, after)
    yield from _throttled(before, after)
    yield from _slowed(before)
    yield from _governed(before)
    yield from _reclaimed(before)


def _busy(before: Machine) -> Iterator[Finding]:
    if before.load_average > BUSY_SHARE * before.processor_count:
        yield finding(
            "machine.busy",
            "note",
            f"The machine was busy before the study: load {before.load_average:.1f} on"
            f" {count(before.processor_count, 'processor')}.",
            "Other work widens every interval; repeat when it is quiet.",
        )


def _changed(before: Machine, after: Machine | None) -> Iterator[Finding]:
    if after is None:
        return
    compared = (
        "kernel",
        "governor",
        "processor_count",
        "memory_bytes",
        "clock_source",
        "frequency_limit_hz",
    )
    changed = [
        f"{key}: {getattr(before, key)} before, {getattr(after, key)} after"
        for key in compared
        if getattr(before, key) != getattr(after, key)
    ]
    if before.limits and after.limits and before.limited_to != after.limited_to:
        was, now = (listed(each.limited_to) or "none" for each in (before, after))
        changed.append(f"limits: {was} before, {now} after")
    if changed:
        yield finding(
            "environment.changed",
            "warning",
            "The machine changed while the study ran.",
            "Repeat the study with the machine left as it is.",
            changed,
        )


def _throttled(machine: Machine, later: Machine | None) -> Iterator[Finding]:
    """The processor's own counters of heat rose."""
    before = machine.throttle_events
    after = later.throttle_events if later is not None else None
    if before is None or after is None or after <= before:
        return
    yield finding(
        "machine.throttled",
        "warning",
        f"The processor slowed itself down {count(after - before, 'time')} while the study ran:"
        " it was too hot.",
        "Cool the machine, or set a lower clock that it can hold; repeat. Ratios suffer less than"
        " rates: every block has all systems.",
    )


def _slowed(before: Machine) -> Iterator[Finding]:
    limit, most = before.frequency_limit_hz, before.frequency_maximum_hz
    if limit is None or most is None or limit >= FULL_CLOCK * most:
        return
    yield finding(
        "machine.slowed",
        "note",
        f"The processor was held to {limit / 1e9:.2f} GHz of its {most / 1e9:.2f} GHz.",
        "Good for steady numbers if intended; otherwise see"
        " /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq. CPU time per I/O is that of the"
        " slower clock.",
    )


def _governed(before: Machine) -> Iterator[Finding]:
    governor = before.governor
    if governor is None or governor == FIXED_GOVERNOR:
        return
    yield finding(
        "machine.governor",
        "note",
        f"The processor's clock followed the load (governor {governor}): light loads ran on a"
        " slower processor than heavy ones.",
        "cpupower frequency-set -g performance, and repeat, if CPU time or latency matters.",
    )


def _reclaimed(before: Machine) -> Iterator[Finding]:
    if before.reclaimer is None:
        return
    word = "N" if before.reclaimer.endswith("enabled") else "off"
    yield finding(
        "machine.reclaims",
        "note",
        "The kernel reclaims memory that is not used for a while (DAMON): what was in memory may"
        " have to be read again, and files in memory are slower where they were not touched.",
        f"For tests in memory or of cached files: echo {word} > {before.reclaimer}, and repeat.",
    )


def emulator_limited(evidence: Evidence) -> Iterator[Finding]:
    """Which runs those were; nothing on a machine that is real, or virtual with KVM."""
    emulated = emulated_of(evidence.before)
    found = [run for run in evidence.runs if (busy_share(run, emulated) or 0.0) > NO_TIME_LEFT]
    if not found:
        return
    yield finding(
        "emulator.limit",
        "warning",
        f"The emulator was the limit in {part_of(len(found), len(evidence.runs), 'run')}: the"
        " emulated processor worked without a pause, so these rates are those of the emulation, and"
        " no ratio of them is claimed.",
        "--set 'storage.iops=100 IOPS', so that the disk is what systems wait for; or a machine"
        " where KVM works.",
        [name_of(run) for run in found],
    )


def disk_limits(evidence: Evidence) -> Iterator[Finding]:
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


LIMITED = "limits.bind"
THROTTLED = "limits.throttled"
NOTABLE_SHARE = 0.01
"""A quota that was used up in fewer of its periods moves a p99 at most."""
_REACHED = (0.9, 1.1)
"""The rate over its limit: less is the storage's own, more came from a cache."""
_QUOTA_ADVICE = (
    "These rates are the quota's as much as the file system's: raise it (cpu.max, CPUQuota= of the"
    " unit, --cpus of the container) and repeat, or compare with runs under the same one alone."
)


def limit_findings(evidence: Evidence) -> Iterator[Finding]:
    """None of a simulation: its numbers do not come from the machine that computed them."""
    if evidence.before.load.simulation is not None:
        return
    yield from _bind(evidence)
    yield from _throttled_runs(evidence)
    yield from _throttled_below(evidence)
    yield from _io_reached(evidence)


def _bind(evidence: Evidence) -> Iterator[Finding]:
    machines = evidence.before.machines
    alike = grouped(
        (listed(each.limited_to), title_of(each, machines)) for each in machines if each.limited_to
    )
    for limits, titles in alike.items():
        who = "The runs were" if len(machines) == 1 else f"{listed(titles)}: the runs were"
        yield finding(
            LIMITED,
            "note",
            f"{who} under limits of this process: {limits}.",
            "Rates and caches are those of the limits: compare with runs under the same ones.",
        )


def _throttled_runs(evidence: Evidence) -> Iterator[Finding]:
    measured = [run for run in evidence.runs if run.parts]
    found = [(run, each) for run in measured if (each := _worst_of(run))[1].throttled_periods]
    if not found:
        return
    shares = sorted(each.share for _, (_, each) in found)
    part = part_of(len(found), len(measured), "run")
    yield finding(
        THROTTLED,
        "warning" if shares[-1] >= NOTABLE_SHARE else "note",
        f"{_quota_of(evidence)} was used up in {part}: {_range(shares)} of its periods ended with"
        " the threads standing still.",
        _QUOTA_ADVICE,
        [f"{name_of(run)}{machine}: {_words(each)}" for run, (machine, each) in found],
    )


def _worst_of(run: RunRecord) -> tuple[str, Throttled]:
    """The machine whose quota was used up most, named where there are several, and how often."""
    of_parts = [
        (
            f", {part.machine}" if len(run.parts) > 1 else "",
            _added([each.throttled for each in part.slices if each.throttled is not None]),
        )
        for part in run.parts
    ]
    return max(of_parts, key=lambda each: each[1].share)


def _added(each: Sequence[Throttled]) -> Throttled:
    return Throttled(
        periods=sum(one.periods for one in each),
        throttled_periods=sum(one.throttled_periods for one in each),
        throttled_ns=sum(one.throttled_ns for one in each),
    )


def _throttled_below(evidence: Evidence) -> Iterator[Finding]:
    """Virtual machines know nothing of the quota that their processes are under."""
    before = evidence.before.of_role(BELOW)
    after = evidence.after.of_role(BELOW) if evidence.after is not None else None
    then, now = (
        each.limits.throttled if each and each.limits else None for each in (before, after)
    )
    if then is None or now is None or not now.since(then).throttled_periods:
        return
    yield finding(
        THROTTLED,
        "warning",
        "The CPU quota of the machine below was used up while the virtual machines ran:"
        f" {_words(now.since(then))}.",
        _QUOTA_ADVICE,
    )


def _io_reached(evidence: Evidence) -> Iterator[Finding]:
    machines = {machine.name: machine for machine in evidence.before.machines}
    alone = [run for run in evidence.runs if len(run.parts) == 1]
    found = [
        f"{name_of(run)}: {listed(reached)}"
        for run in alone
        if (machine := machines.get(run.parts[0].machine)) is not None
        and (reached := list(_reached(run, machine)))
    ]
    if found:
        part = part_of(len(found), len(alone), "run")
        yield finding(
            "limits.io",
            "warning",
            f"A control group's limit of I/O was reached in {part}: there a rate is the limit's,"
            " and so is what two systems have in common.",
            "Raise it (io.max, IOReadBandwidthMax= and its kin of the unit) and repeat.",
            found,
        )


def _reached(run: RunRecord, machine: Machine) -> Iterator[str]:
    """Limits of the devices below that the device's own counters come close to."""
    result, device = run.result, run.device
    if result is None or device is None or machine.storage is None or machine.limits is None:
        return
    seconds = (result.warm_up_ns + result.elapsed_ns) / 1e9
    below = {link.get("path") for link in machine.storage.device_chain}
    counted = {
        "read_bytes": device.read_bytes,
        "write_bytes": device.write_bytes,
        "read_operations": device.read_requests,
        "write_operations": device.write_requests,
    }
    for limit in machine.limits.io:
        for name, number in counted.items():
            most = getattr(limit, name)
            if limit.device in below and most and seconds:
                share = number / seconds / most
                if _REACHED[0] <= share <= _REACHED[1]:
                    yield f"{100 * share:.0f} % of {_limit_words(limit, name)}"


def _limit_words(limit: IoLimit, name: str) -> str:
    side, _, unit = name.partition("_")
    return f"what {limit.device} may {side}, in {unit}"


def _quota_of(evidence: Evidence) -> str:
    quotas = {
        each.limits.processor_quota
        for each in evidence.before.machines
        if each.limits is not None and each.limits.processor_quota is not None
    }
    of = f" of {quotas.pop():.3g} processors" if len(quotas) == 1 else ""
    return f"The CPU quota{of}"


def _range(shares: Sequence[float]) -> str:
    low, high = (percent(each) for each in (shares[0], shares[-1]))
    return high if low == high else f"{low.removesuffix(' %')} to {high}"


def _words(each: Throttled) -> str:
    return (
        f"{percent(each.share)} of the periods, processors stood still for"
        f" {format_duration(each.throttled_ns)} in all"
    )
