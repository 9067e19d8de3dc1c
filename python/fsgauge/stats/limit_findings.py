"""Under what limits the runs were: those that bind, a CPU quota that was used up, and limits of I/O
that were reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.record.limits import IoLimit, Throttled
from fsgauge.record.machine import BELOW, Machine, title_of
from fsgauge.record.records import RunRecord
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.wording import listed, percent
from fsgauge.units import format_duration

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
    alike: dict[str, list[str]] = {}
    for each in machines:
        if each.limited_to:
            alike.setdefault(listed(each.limited_to), []).append(title_of(each, machines))
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
