"""How finely files are sized and series of a run are cut."""

from __future__ import annotations

_COARSE_BYTES = 1 << 20
_FINE_BYTES = 4 << 10
_SHORT_INTERVAL_NS = 50_000_000
_SHORTEST_INTERVAL_NS = 10_000_000
_LONGEST_INTERVAL_NS = 1_000_000_000
_FEWEST_INTERVALS = 12
"""Steadiness is judged from 10; the last one may be cut short, and one may be late."""


def rounded_down(size_bytes: int) -> int:
    """Whole mebibytes from 8 MiB, whole pages below."""
    unit = _COARSE_BYTES if size_bytes >= 8 * _COARSE_BYTES else _FINE_BYTES
    return size_bytes - size_bytes % unit


def interval_ns(duration_ns: int) -> int:
    """Twenty intervals in a run, of 50 ms to a second; twelve shorter ones in a short run."""
    shortest = min(_SHORT_INTERVAL_NS, duration_ns // _FEWEST_INTERVALS)
    found = min(max(duration_ns // 20, shortest), _LONGEST_INTERVAL_NS)
    return max(found, _SHORTEST_INTERVAL_NS)
