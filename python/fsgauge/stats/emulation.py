"""Runs that an emulated processor limited: their rates are those of the emulation."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.record.machine import Machine
from fsgauge.record.records import RunRecord
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.results import Finding

EMULATED = "emulated"
"""In the name of a virtual machine whose processor is emulated too."""
NO_TIME_LEFT = 0.95
"""Share of the time that a processor works where it, and not a disk, is what operations wait for.
A disk that is limited to a tenth of what the processor can do leaves it idle for a half or more."""


def emulator_limited(evidence: Evidence) -> Iterator[Finding]:
    """Which runs those were; nothing on a machine that is real, or virtual with KVM."""
    emulated = {each.name for each in evidence.before.machines if _is_emulated(each)}
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


def busy_share(run: RunRecord, machines: set[str]) -> float | None:
    """How much of a run's time all processors of these machines worked; None where unknown."""
    slices = [each for part in run.parts if part.machine in machines for each in part.slices]
    total_ns = sum(each.result.machine_cpu.total_ns for each in slices)
    busy_ns = sum(each.result.machine_cpu.busy_ns for each in slices)
    return busy_ns / total_ns if total_ns else None


def _is_emulated(machine: Machine) -> bool:
    return machine.virtual_machine is not None and EMULATED in machine.virtual_machine
