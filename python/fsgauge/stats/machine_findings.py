"""What the machine did to the numbers: other load, a change, a processor that was slowed down."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.record import EnvironmentRecord
from fsgauge.stats.evidence import Evidence, count, finding
from fsgauge.stats.results import Finding

BUSY_SHARE = 0.5
FULL_CLOCK = 0.99
FIXED_GOVERNOR = "performance"


def machine_findings(evidence: Evidence) -> Iterator[Finding]:
    """All findings about the machine."""
    yield from _busy_or_changed(evidence)
    yield from _throttled(evidence)
    yield from _slowed(evidence.before)
    yield from _governed(evidence.before)


def _busy_or_changed(evidence: Evidence) -> Iterator[Finding]:
    before, after = evidence.before, evidence.after
    if before.load_average > BUSY_SHARE * before.processor_count:
        yield finding(
            "machine.busy",
            "note",
            f"The machine was busy before the study: load {before.load_average:.1f} on"
            f" {count(before.processor_count, 'processor')}.",
            "Other work widens every interval; repeat when it is quiet.",
        )
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
    if changed:
        yield finding(
            "environment.changed",
            "warning",
            "The machine changed while the study ran.",
            "Repeat the study with the machine left as it is.",
            changed,
        )


def _throttled(evidence: Evidence) -> Iterator[Finding]:
    """The processor's own counters of heat rose."""
    before = evidence.before.throttle_events
    after = evidence.after.throttle_events if evidence.after is not None else None
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


def _slowed(before: EnvironmentRecord) -> Iterator[Finding]:
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


def _governed(before: EnvironmentRecord) -> Iterator[Finding]:
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
