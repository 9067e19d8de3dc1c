"""What became of a place since an earlier scan, in a sentence: room, pieces, what they cost."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.engine.wire import ScanResult
from fsgauge.scan.consequences.fragmentation import Reach, factor_of, reaches
from fsgauge.scan.numbers import doubts, numbers_of
from fsgauge.units import moment, size_down, with_one_unit

LEAST_CHANGE = 0.01
"""A change of what reading takes is said from this share on."""
_UNDECIDED = "undecided_extents"
_TIMES = 2.0
"""From so much on, it is said how many times as much."""

Numbers = Mapping[str, float | None]
"""`numbers_of` a scan: each number by its name."""


def since(before: ScanResult, now: ScanResult) -> str:
    """ "Since 2026-10-03 01:36 UTC: free space from 3.5 to 1.9 TiB, the largest free piece from 2
    GiB to 96 MiB; extents per file from 1.10 to 4.02; reading as many bytes takes flash 6 % more
    time than then"; "" where there are doubts whether the two can be compared."""
    if doubts(before, now):
        return ""
    is_decided = not (before.counts.undecided_extents or now.counts.undecided_extents)
    found = changes(numbers_of(before), numbers_of(now))
    cost = _cost(before, now) if is_decided else None
    if cost is not None and (found or abs(cost[1] - 1) >= LEAST_CHANGE):
        found.append(_cost_words(*cost))
    return f"Since {moment(before.started_unix_ns)}: {'; '.join(found) or 'nothing changed'}"


_ROOM = (("free space", "free_bytes"), ("the largest free piece", "largest_free_bytes"))


def changes(before: Numbers, now: Numbers) -> list[str]:
    """ "free space from 3.5 to 1.9 TiB, the largest free piece from 2 GiB to 96 MiB", "extents per
    file from 1.10 to 4.02": what both scans know and is not alike."""
    room = ", ".join(filter(None, (_sizes(before, now, *each) for each in _ROOM)))
    is_decided = not (before.get(_UNDECIDED) or now.get(_UNDECIDED))
    return [part for part in (room, _pieces(before, now) if is_decided else "") if part]


def _sizes(before: Numbers, now: Numbers, name: str, key: str) -> str:
    old, new = before.get(key), now.get(key)
    if old is None or new is None:
        return ""
    return _changed(name, size_down(old), size_down(new))


def _pieces(before: Numbers, now: Numbers) -> str:
    old, new = (each.get("extents_per_file") for each in (before, now))
    if old is None or new is None:
        return ""
    return _changed("extents per file", f"{old:,.2f}", f"{new:,.2f}")


def _changed(name: str, old: str, new: str) -> str:
    """ "free space from 3.5 to 1.9 TiB"; "" where both read alike."""
    return "" if old == new else f"{name} from {' to '.join(with_one_unit([old, new]))}"


def _cost(before: ScanResult, now: ScanResult) -> tuple[Reach, float] | None:
    """The kind of device that pieces cost most now, and how much longer than then reading as many
    bytes takes it, as a factor; None without files."""
    if not (before.counts.extent_bytes and now.counts.extent_bytes):
        return None
    reach = max(reaches(now), key=lambda each: factor_of(now, each))
    return reach, factor_of(now, reach) / factor_of(before, reach)


def _cost_words(reach: Reach, factor: float) -> str:
    if abs(factor - 1) < LEAST_CHANGE:
        much = "as much time as"
    elif factor >= _TIMES:
        much = f"{factor:.1f} times as much time as"
    else:
        much = f"{100 * abs(factor - 1):.0f} % {'more' if factor > 1 else 'less'} time than"
    return f"reading as many bytes takes {reach.name} {much} then"
