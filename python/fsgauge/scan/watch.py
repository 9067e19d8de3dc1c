"""A file system over time: a line a scan in one file, and what the lines amount to.

Each line is a JSON object with the flat numbers of `fsgauge scan --json`, the worst files and the
first consequence. A line that was cut by a crash is left out and counted; the next begins anew.

The forecast takes the changes from line to line as a random walk with a drift: its interval is that
of the mean change. It goes by the last lines of one size, and of these by the changes since growth
was surely another, where it is fuller now than it was before them. It is given where there are
enough changes, and the interval says enough. Full is where ordinary users have no room, which on
ext is before all is in use.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import (
    MissingError,
    PlainFolder,
    cannot_write,
    head_of,
    read_named_json,
    require_room,
    write_all,
)
from fsgauge.plain_files.bounds import WATCH
from fsgauge.plan.levels import LEVEL
from fsgauge.scan import words
from fsgauge.scan.consequences import consequences
from fsgauge.scan.consequences.rule import available_bytes
from fsgauge.scan.numbers import QUANTITIES, Difference, numbers_of
from fsgauge.scan.since import changes
from fsgauge.stats.ratio import t_quantile
from fsgauge.units import count, moment, plural

HEAD = b'{"kind": "scan-watch", "format": 1,'
_HEAD_BYTES = 16 << 10
_WORST_FILES = 3
_DAY_NS = 86_400 * 10**9
FEWEST_CHANGES = 10
"""Fewer changes have an interval that says nothing of how they are spread."""
CHANGED_LEVEL = 0.999
"""Growth has changed where two means differ at this level: it is asked some ten times."""
FULL_PERCENT = 0.1
"""With less of it left, it is full."""
WIDEST = 4.0
"""The latest day of a forecast is at most so many times as far away as the first."""


@dataclass(frozen=True)
class Point:
    """One scan: when, its numbers, its worst files with their extents, what followed from it."""

    started_unix_ns: int
    numbers: Mapping[str, float | None]
    worst: Sequence[tuple[str, int]]
    sentence: str


@dataclass(frozen=True)
class Watch:
    """The scans of one place in order of time; lines that could not be read are only counted."""

    path: str
    points: tuple[Point, ...]
    left_out: int = 0
    source: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Forecast:
    """Days from the last scan until there is no room: by the mean change, and its interval."""

    days: float
    first: float
    last: float


class NoLineError(InputError):
    """No line of a file can be read."""


def is_watch(path: Path) -> bool:
    """Whether a file begins like one of `--watch`, even one cut in its head."""
    lines = head_of(path, _HEAD_BYTES).splitlines()
    is_cut = bool(lines) and b"scan-" in lines[0] and HEAD.startswith(lines[0])
    return is_cut or any(line.startswith(HEAD) for line in lines)


def require_watch(path: Path, place: str) -> None:
    """Raises InputError where a line would go into something else, or to another place's lines."""
    if path.is_symlink() or (path.is_file() and path.stat().st_nlink > 1):
        raise InputError(
            f"{path} is a link, and lines are appended to no link",
            next="--watch with the name of the file itself",
        )
    if not path.exists():
        require_room(path, "--watch FILE")
        return
    if path.is_file() and not os.access(path, os.W_OK):
        raise InputError(f"this user may not write to {path}", next=f"ls -l {quoted(path)}")
    if not is_watch(path):
        # A first line that was cut may be all that is there.
        if path.is_file() and HEAD.startswith(head_of(path, len(HEAD))):
            return
        raise InputError(
            f"{path} is there and has no lines of --watch, so it is left alone",
            next="--watch with another name",
        )
    try:
        found = read_watch(path)
    except NoLineError:
        return
    if found.path != place:
        raise InputError(
            f"{path} has the lines of {found.path}, not of {place}",
            next="a file of its own for each place",
        )


def append(path: Path, scan: ScanResult) -> None:
    """One more line, durable; InputError for a scan that was cut short, and for one of another
    file system than the lines there; RigError for the disk."""
    if scan.ended == "interrupted":
        raise InputError("no line was added: the scan was stopped early", next="let the scan end")
    with suppress(NoLineError, MissingError):
        known = read_watch(path).source
        if (key := _other(known, source := _source_of(scan))) is not None:
            raise InputError(
                f"no line was added: {path} has those of another file system"
                f" ({_KEYS[key]} {known[key]}, now {source[key]})",
                cause="it is not mounted now, or was made again",
                next=f"{_LOOK[scan.source.mount_point is None]} {quoted(scan.source.path)};"
                " of the new one: --watch with another name",
            )
    try:
        with PlainFolder.opened(path.parent) as folder:
            descriptor = folder.open_to_append(path.name)
            try:
                end = os.fstat(descriptor).st_size
                is_cut = end > 0 and os.pread(descriptor, 1, end - 1) != b"\n"
                write_all(descriptor, b"\n" * is_cut + _line(scan).encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        raise cannot_write(path, error) from error


_LOOK = {True: "blkid", False: "findmnt --target"}
"""What tells of an image, and of what is mounted."""
_KEYS = {
    "path": "path",
    "uuid": "UUID",
    "file_system": "file system",
    "mount_point": "mount point",
}
"""What the lines of a file have in common, and what it is called."""


def _source_of(scan: ScanResult) -> dict[str, Any]:
    return {key: getattr(scan.source, key) for key in _KEYS}


def _other(known: Mapping[str, Any], source: Mapping[str, Any]) -> str | None:
    """In what a line is of something else; a UUID decides where both know it."""
    is_decided = bool(known.get("uuid") and source.get("uuid"))
    for key in ("path", "uuid") if is_decided else _KEYS:
        one, other = known.get(key), source.get(key)
        if one and other and one != other:
            return key
    return None


def _line(scan: ScanResult) -> str:
    said = consequences(scan)
    facts = {
        "kind": "scan-watch",
        "format": 1,
        **_source_of(scan),
        "started_unix_ns": scan.started_unix_ns,
        **numbers_of(scan),
        "available_bytes": available_bytes(scan) if scan.free else None,
        "worst": [[file.name, file.extents] for file in scan.top[:_WORST_FILES]],
        "sentence": said[0][1].sentence if said else "",
    }
    return json.dumps(facts) + "\n"


def read_watch(path: Path) -> Watch:
    """The lines of a file; InputError where none can be read."""
    points, left_out = [], 0
    source: dict[str, Any] = {}
    for line in read_named_json(path, WATCH).splitlines():
        if (found := _parsed(line)) is None:
            left_out += bool(line.strip())
            continue
        if (key := _other(source, found)) is not None:
            raise InputError(
                f"{path} has lines of two: {_KEYS[key]} {source[key]} and {found[key]}",
                cause="they were put into one file, or the file system was made again",
                next=f"grep -F {quoted(f'{json.dumps(key)}: {json.dumps(found[key])}')}"
                f" {quoted(path)} > OTHER   (has those of one)",
            )
        source = {key: found.get(key) or source.get(key) for key in _KEYS}
        points.append(
            Point(
                started_unix_ns=int(found["started_unix_ns"]),
                numbers={key: each for key, each in found.items() if _is_number(each)},
                worst=[(str(name), int(extents)) for name, extents in found.get("worst", [])],
                sentence=str(found.get("sentence", "")),
            )
        )
    if not points:
        raise NoLineError(
            f"{path} has no line that can be read",
            cause="another program wrote it, or it was cut",
            next=f"fsgauge scan PATH --watch {quoted(path.name)}"
            "   (with another name adds a first one)",
        )
    points.sort(key=lambda point: point.started_unix_ns)
    return Watch(source["path"], tuple(points), left_out, source)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
        is_line = isinstance(found, dict) and found.get("kind") == "scan-watch"
        if not is_line or found.get("format") != 1 or not isinstance(found["path"], str):
            return None
        [(str(name), int(extents)) for name, extents in found.get("worst", [])]
        return found if 0 < int(found["started_unix_ns"]) < 1 << 63 else None
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def series(watch: Watch, name: str) -> list[tuple[int, float]]:
    """When, and one number of each scan that knows it."""
    return [
        (point.started_unix_ns, value)
        for point in watch.points
        if (value := point.numbers.get(name)) is not None
    ]


def _used(watch: Watch) -> list[tuple[int, float]]:
    """When, and what ordinary users cannot have, in percent: of the last lines that know it alike.

    Another size, or a line of before this was known, is no growth.
    """
    found: list[tuple[int, float]] = []
    kind = None
    for point in reversed(watch.points):
        size, available = point.numbers.get("size_bytes"), point.numbers.get("available_bytes")
        used = point.numbers.get("used_percent")
        if used is None:
            continue
        by_room = size is not None and size > 0 and available is not None
        if kind is not None and kind != (size, by_room):
            break
        kind = (size, by_room)
        if size and available is not None:
            used = 100 - 100 * available / size
        found.append((point.started_unix_ns, used))
    return found[::-1]


@dataclass(frozen=True)
class _Drift:
    """The mean change a day, its standard error, and of how many changes and days it is."""

    mean: float
    error: float
    changes: int
    days: float

    def half(self, level: float) -> float:
        return t_quantile(self.changes - 1, level) * self.error


def _drift(changes: Sequence[tuple[float, float]]) -> _Drift:
    days = sum(length for _, length in changes)
    mean = sum(change for change, _ in changes) / days
    # Of a random walk, a change over more days is spread by the root of their number.
    spread = (
        statistics.fmean((change - mean * length) ** 2 / length for change, length in changes)
        * len(changes)
        / (len(changes) - 1)
    )
    return _Drift(mean, math.sqrt(spread / days), len(changes), days)


def _of_late(changes: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """The last changes, as far back as their mean is surely one."""
    half = len(changes) // 2
    if half < FEWEST_CHANGES:
        return changes
    late = _of_late(changes[half:])
    before, after = _drift(changes[: -len(late)]), _drift(late)
    apart = math.hypot(before.half(CHANGED_LEVEL), after.half(CHANGED_LEVEL))
    return late if abs(after.mean - before.mean) > apart else changes


def forecast(watch: Watch) -> Forecast | str:
    """When there will be no room; or in words why that cannot be said."""
    used = _used(watch)
    left = max(100 - used[-1][1], 0.0) if used else 0.0
    if used and left < FULL_PERCENT:
        return "it was full at the last scan"
    changes = [
        (later - before, (at - since) / _DAY_NS)
        for (since, before), (at, later) in pairwise(used)
        if at > since
    ]
    if len(changes) < FEWEST_CHANGES:
        missing = FEWEST_CHANGES - len(changes)
        return f"no forecast yet: {missing} {plural(missing, 'line')} more, then one may be given"
    late = _of_late(changes)
    if max((share for _, share in used[: -len(late)]), default=0.0) >= used[-1][1]:
        late = changes  # it was as full before, and was emptied: that may come again
    drift = _drift(late)
    mean, half = drift.mean, drift.half(LEVEL)
    if mean - half <= 0:
        return "no forecast: it does not surely fill"
    found = Forecast(left / mean, left / (mean + half), left / (mean - half))
    if found.last > WIDEST * found.first:
        return (
            f"no forecast: it fills, but the day lies between {found.first:,.0f} and"
            f" {found.last:,.0f} days after the last scan, which says too little"
        )
    if found.days > drift.days:
        return (
            f"no forecast: {found.days:,.0f} days is further ahead than the growth of the last"
            f" {drift.days:,.0f} reaches back"
        )
    return found


def forecast_words(watch: Watch) -> str:
    found = forecast(watch)
    if isinstance(found, str):
        return found
    scanned = datetime.fromtimestamp(watch.points[-1].started_unix_ns / 1e9, UTC)
    last_scan = f"the last scan ({scanned:%Y-%m-%d})"
    days, first, last = (math.floor(each) for each in (found.days, found.first, found.last))
    if not last:
        return f"full within a day of {last_scan}, if it goes on filling as it did"
    return (
        f"full {count(days, 'day')} after {last_scan}, with 95 % between {first:,} and"
        f" {last + 1:,}, if it goes on filling as it did"
    )


def since_first(watch: Watch) -> str:
    """ "Since 2026-10-03 01:36 UTC: extents per file from 1.10 to 4.02", of the first line and the
    last; "" of one line."""
    first, last = watch.points[0], watch.points[-1]
    if first is last:
        return ""
    found = "; ".join(changes(first.numbers, last.numbers))
    return f"Since {moment(first.started_unix_ns)}: {found or 'nothing changed'}"


def table(watch: Watch) -> list[str]:
    """The first scan, the last, and the difference of every number that both know."""
    lines = []
    first, last = watch.points[0].numbers, watch.points[-1].numbers
    for quantity in QUANTITIES:
        old, new = first.get(quantity.name), last.get(quantity.name)
        if old is not None and new is not None:
            lines.append(Difference(quantity, old, new, new - old))
    return words.difference_table(lines)
