"""What reading everything back found: whether file systems kept what was written, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.record import RunRecord
from fsgauge.wire import IntegrityResult


@dataclass(frozen=True)
class IntegrityLine:
    """What reading everything back found on one system."""

    system: str
    text: str
    good: bool


def integrity_lines(systems: Sequence[str], runs: Sequence[RunRecord]) -> list[IntegrityLine]:
    """What reading back found: one line when all is right, else a line a system."""
    checked = {
        system: [
            run.result.integrity
            for run in runs
            if run.system == system and run.result is not None and run.result.integrity is not None
        ]
        for system in systems
    }
    lines = [_integrity(system, found) for system, found in checked.items() if found]
    if lines and all(line.good for line in lines):
        return [_integrity("all", [each for found in checked.values() for each in found])]
    return lines


def _integrity(system: str, found: Sequence[IntegrityResult]) -> IntegrityLine:
    faults = {
        "corrupt": sum(each.corrupt_blocks for each in found),
        "torn": sum(each.torn_blocks for each in found),
        "foreign": sum(each.foreign_blocks for each in found),
        "stale": sum(each.stale_blocks for each in found),
        "lost": sum(each.lost_blocks for each in found),
    }
    wrong = ", ".join(f"{count:,} {name}" for name, count in faults.items() if count)
    blocks = sum(each.checked_blocks for each in found)
    runs = "1 run" if len(found) == 1 else f"{len(found)} runs"
    text = f"{blocks:,} blocks read back after {runs}: "
    return IntegrityLine(
        system, text + (wrong or "all whole writes of the right writer"), not wrong
    )
