"""Runs of several hosts at once: how far apart they began, and which host is slow.

A host's rate is that of one of its jobs or clients, as a share of the other hosts' in the same run
(`idle.shares_in`): hosts may have one client more than others. Of several runs the median counts;
who did little in some of them is told by `idle`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from fsgauge.record.machine import BELOW, SERVER
from fsgauge.record.parts import MachineStart, skew_bound_ns, skew_ns
from fsgauge.record.records import Cell, EnvironmentRecord, RunRecord
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.idle import shares_in
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import Samples
from fsgauge.stats.scaling.growth import host_scaling
from fsgauge.stats.scaling.model import HostNumbers, HostsResult
from fsgauge.units import format_duration, grouped

SKEW_SHARE = 0.01
SKEW_NS = 10_000_000
"""More of a run's time than this share, or more than this, and the start is not one moment."""


def hosts_of(
    runs: Sequence[RunRecord],
    before: EnvironmentRecord,
    samples: Samples,
    metric_of: Callable[[Cell], str],
) -> HostsResult | None:
    """What there is to say of the hosts; None where one machine drove the load. `metric_of` is what
    a cell is judged by."""
    begun = _over_hosts(runs)
    if not begun:
        return None
    shares = grouped((name, share) for run in begun for name, share in shares_in(run).items())
    started = [run for run in begun if run.starts]
    starts = grouped((each.machine, each) for run in started for each in run.starts)
    skews = [skew_ns(run.starts) for run in started]
    return HostsResult(
        hosts=[
            _numbers(machine.name, shares[machine.name], starts.get(machine.name, []))
            for machine in before.machines
            if machine.name in shares
        ],
        left_out=before.left_out,
        runs=len(begun),
        skew_median_ns=round(statistics.median(skews)) if skews else None,
        skew_most_ns=max(skews, default=None),
        skew_bound_ns=max((skew_bound_ns(run.starts) for run in started), default=None),
        last_over_median=max(map(_last_over_median, started), default=None),
        scaling=host_scaling(samples.plan, samples, metric_of),
    )


def _over_hosts(runs: Sequence[RunRecord]) -> list[RunRecord]:
    return [run for run in runs if len(run.parts) > 1]


def _numbers(name: str, shares: list[float], starts: list[MachineStart]) -> HostNumbers:
    late_ns = [each.late_ns for each in starts]
    return HostNumbers(
        name=name,
        share=statistics.median(shares),
        late_ns=round(statistics.median(late_ns)) if late_ns else None,
        worst_late_ns=max(late_ns, key=abs, default=None),
        clock_bound_ns=max((each.bound_ns for each in starts), default=None),
    )


def host_findings(evidence: Evidence) -> Iterator[Finding]:
    yield from _left_out(evidence.before)
    begun = _over_hosts(evidence.runs)
    if not begun:
        return
    yield from _apart(begun)
    yield from _different(evidence.before)


def _last_over_median(run: RunRecord) -> float:
    ends = [each.ended_ns for each in run.starts]
    return max(ends) / statistics.median(ends) if statistics.median(ends) > 0 else 1.0


def _left_out(before: EnvironmentRecord) -> Iterator[Finding]:
    if before.left_out:
        yield finding(
            "host.lost",
            "warning",
            f"{count(len(before.left_out), 'host')} failed and took no part: the study began again"
            " without it, so all systems were measured by the same hosts.",
            "Look at the host, then repeat the study with all of them.",
            before.left_out,
        )


def _apart(begun: Sequence[RunRecord]) -> Iterator[Finding]:
    """The hosts did not begin together, or it is not known whether they did."""
    where = []
    for run in begun:
        result = run.result
        if not run.starts or result is None:
            continue
        bound = skew_bound_ns(run.starts)
        if bound > SKEW_NS or bound > SKEW_SHARE * result.elapsed_ns:
            where.append(f"{name_of(run)}: {format_duration(bound)}")
    if where:
        yield finding(
            "hosts.apart",
            "warning",
            f"In {part_of(len(where), len(begun), 'run')}, hosts may have begun more than 1 % of"
            " the run's time apart, or more than 10 ms.",
            "Measure longer, or connect the hosts by a network with shorter round trips; stop other"
            " work on the hosts.",
            where,
        )


def _different(before: EnvironmentRecord) -> Iterator[Finding]:
    """Among those that measured: what serves them, or carries them as virtual machines, did not."""
    measured = [each for each in before.machines if each.role not in (BELOW, SERVER)]
    for key, name in (("kernel", "kernels"), ("processor", "processors"), ("processor_count", "")):
        values = grouped((getattr(machine, key), machine.name) for machine in measured)
        if len(values) > 1:
            yield finding(
                "hosts.differ",
                "note",
                f"The hosts have different {name or 'numbers of processors'}.",
                "Every system was measured by all of them, so ratios hold; a host that is slow may"
                " be slow because of it.",
                [f"{', '.join(hosts)}: {value}" for value, hosts in values.items()],
            )
