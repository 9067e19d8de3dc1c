"""Rates of a run over several hosts, counted only while all of them ran.

A host that begins later than the others ends later, too: while it is alone, no other host is in its
way. Of runs with a given time the rate is therefore that of the window from the last host's start
to the first one's end, from the intervals of each host; the part of an interval that lies outside
is taken off as a share of its time. Runs that end with their work have no such window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsgauge.engine.wire import LoadResult
from fsgauge.record.parts import MachineStart
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals

_COUNTED = ("operations", "size_bytes")


@dataclass(frozen=True)
class CommonWindow:
    """What all hosts did from `start_ns` to `end_ns` after the common moment."""

    start_ns: int
    end_ns: int
    operations: float
    size_bytes: float

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) / 1e9


def common_window(run: RunRecord) -> CommonWindow | None:
    """The window of one run; None of one machine, of a run without a given time or without starts,
    and where hosts never ran at once."""
    load = run.load
    if len(run.parts) < 2 or load is None or load.passes is not None:
        return None
    starts = {each.machine: each for each in run.starts}
    if any(part.machine not in starts or len(part.slices) > 1 for part in run.parts):
        return None
    hosts = [(part.slices[0].result, starts[part.machine]) for part in run.parts]
    if any(result.ended != "duration" for result, _ in hosts):
        return None
    found = [_measured(result, start) for result, start in hosts]
    start_ns, end_ns = max(start for start, _ in found), min(end for _, end in found)
    if end_ns <= start_ns:
        return None
    counted = np.sum([_counted(*host, start_ns, end_ns) for host in hosts], axis=0)
    return CommonWindow(start_ns, end_ns, float(counted[0]), float(counted[1]))


def _measured(result: LoadResult, start: MachineStart) -> tuple[int, int]:
    """From when to when a host measured, after the common moment."""
    begun = start.last_late_ns + result.warm_up_ns
    return begun, start.late_ns + result.warm_up_ns + result.elapsed_ns


def _counted(result: LoadResult, start: MachineStart, start_ns: int, end_ns: int) -> list[float]:
    rows = Intervals.of(result.intervals)
    begun = start.late_ns + rows.column("start_ns")
    length = np.maximum(rows.column("elapsed_ns"), 1)
    inside = np.minimum(begun + length, end_ns) - np.maximum(begun, start_ns)
    share = np.clip(inside / length, 0.0, 1.0)
    sides = [[rows.column(f"{side}_{name}") for side in ("read", "write")] for name in _COUNTED]
    return [float(np.sum(share * (read + write))) for read, write in sides]
