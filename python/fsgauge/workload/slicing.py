"""How the time of a cell is divided where its systems are measured by turns, side by side.

Lengths were chosen by simulation (tests/known/test_slice_orders.py). Equal runs on a shared disk
differ by 0.27 (log) a second apart and by 0.55 half a minute apart: slices of 0.5 to 1 s make an
interval about a quarter as wide as runs of 10 s one after the other, slices of 5 s 0.6 as wide.
A slice that writes is longer: what it leaves to be written back is written back at its end, and
a file system that gathers changes for seconds would otherwise gather none.
"""

from __future__ import annotations

from dataclasses import dataclass

READING_SLICE_NS = 500_000_000
WRITING_SLICE_NS = 5_000_000_000
"""As long as ext4 waits before it commits its journal."""
SHORTEST_SLICE_NS = 200_000_000
"""Below, most of the wall time would be the engine's start."""


@dataclass(frozen=True)
class Slicing:
    """Into how many slices a run is cut, and whether writing back what they left counts as theirs.

    Where it does, the file system is synced after each slice, and the sync's time is added to that
    of the slice. One slice is a run in one go. `slice_ns` is the length of each, where it has one.
    """

    count: int = 1
    charges_sync: bool = False
    slice_ns: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether the run is what it is without partners beside it."""
        return self.count == 1 and not self.charges_sync


def slices_of(duration_ns: int, slice_ns: int) -> int:
    """An even number of slices near that length, so that forward and backward rounds balance. One
    where two would be shorter than is worth an engine's start."""
    if duration_ns < 2 * SHORTEST_SLICE_NS:
        return 1
    return 2 * max(1, round(duration_ns / slice_ns / 2))


_COARSE_BYTES = 1 << 20
_FINE_BYTES = 4 << 10
_SHORT_INTERVAL_NS = 50_000_000
_SHORTEST_INTERVAL_NS = 10_000_000
_LONGEST_INTERVAL_NS = 1_000_000_000
_FEWEST_INTERVALS = 12
"""Steadiness is judged from 10; the last one may be cut short, and one may be late."""
_WORK_INTERVAL_NS = 100_000_000
_MOST_INTERVALS = 6000
"""As many as a page can draw."""


def rounded_down(size_bytes: int) -> int:
    """Whole mebibytes from 8 MiB, whole pages below."""
    unit = _COARSE_BYTES if size_bytes >= 8 * _COARSE_BYTES else _FINE_BYTES
    return size_bytes - size_bytes % unit


def interval_of_work_ns(limit_ns: int) -> int:
    """Of a run that ends with its work: 100 ms, or longer so that its limit has 6000 at most."""
    return max(_WORK_INTERVAL_NS, -(-limit_ns // _MOST_INTERVALS))


def interval_ns(duration_ns: int) -> int:
    """Twenty intervals in a run, of 50 ms to a second; twelve shorter ones in a short run."""
    shortest = min(_SHORT_INTERVAL_NS, duration_ns // _FEWEST_INTERVALS)
    found = min(max(duration_ns // 20, shortest), _LONGEST_INTERVAL_NS)
    return max(found, _SHORTEST_INTERVAL_NS)
