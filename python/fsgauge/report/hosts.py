"""Several hosts in words: a sentence for the first screen, a line each for the table."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.stats.evidence import count
from fsgauge.stats.results import HostsResult, Results
from fsgauge.units import format_duration

_ABOUT_EQUAL = 0.005


@dataclass(frozen=True)
class HostLine:
    """One host's cells of the table."""

    name: str
    share: str
    late: str
    worst: str
    bound: str


@dataclass(frozen=True)
class HostLines:
    """What the page says of the hosts."""

    sentence: str
    runs: str
    lines: list[HostLine]


def host_lines(results: Results) -> HostLines | None:
    """The hosts of a study; None where one machine drove the load."""
    hosts = results.hosts
    if hosts is None:
        return None
    lines = [
        HostLine(
            name=each.name,
            share=f"{each.share:.3f}",
            late=_signed(each.late_ns),
            worst=_signed(each.worst_late_ns),
            bound=_time(each.clock_bound_ns),
        )
        for each in hosts.hosts
    ]
    return HostLines(_sentence(hosts), count(hosts.runs, "run"), lines)


def _sentence(hosts: HostsResult) -> str:
    parts = [count(len(hosts.hosts), "host")]
    if hosts.skew_median_ns is not None:
        parts[0] += (
            f" began each run within {_time(hosts.skew_median_ns)} of one another (median; at most"
            f" {_time(hosts.skew_most_ns)}, certainly within {_time(hosts.skew_bound_ns)})"
        )
    ranked = sorted(hosts.hosts, key=lambda each: each.share)
    if ranked and ranked[-1].share - ranked[0].share > _ABOUT_EQUAL:
        parts.append(
            f"fastest {ranked[-1].name} ({ranked[-1].share:.2f} of the median host), slowest"
            f" {ranked[0].name} ({ranked[0].share:.2f})"
        )
    if hosts.last_over_median is not None:
        parts.append(f"the last to end took {hosts.last_over_median:.2f} of the median host's time")
    parts.append(f"lost: {'; '.join(hosts.left_out) or 'none'}")
    return "; ".join(parts)


def _time(ns: int | None) -> str:
    return "unknown" if ns is None else format_duration(ns)


def _signed(ns: int | None) -> str:
    if ns is None:
        return "unknown"
    return f"{'-' if ns < 0 else ''}{format_duration(abs(ns))}"
