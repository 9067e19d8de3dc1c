"""A file system over time: a line a scan in one file, and what the lines amount to.

Each line is a JSON object with the flat numbers of `fsgauge scan --json`, the worst files and the
first consequence. A line that was cut by a crash is left out and counted; the next begins anew.

The forecast takes the changes from line to line as a random walk with a drift: its interval is that
of the mean change. It is given where there are enough changes, and the interval says enough.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import PlainFolder, cannot_write, head_of, read_named, write_all
from fsgauge.scan import words
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import QUANTITIES, Difference, numbers_of
from fsgauge.stats.ratio import t_quantile
from fsgauge.units import plural

HEAD = b'{"kind": "scan-watch", "format": 1,'
_LARGEST_BYTES = 256 << 20
"""A line a day has a kilobyte: more than a century."""
_WORST_FILES = 3
_DAY_NS = 86_400 * 10**9
FEWEST_CHANGES = 10
"""Fewer changes have an interval that says nothing of how they are spread."""
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


@dataclass(frozen=True)
class Forecast:
    """Days from the last scan until there is no room: by the mean change, and its interval."""

    days: float
    first: float
    last: float


def is_watch(path: Path) -> bool:
    """Whether a file begins like one of `--watch`."""
    return head_of(path, len(HEAD)) == HEAD


def require_watch(path: Path, place: str) -> None:
    """Raises InputError where a line would go into something else, or to another place's lines."""
    if not path.exists():
        return
    if not is_watch(path):
        raise InputError(
            f"{path} is there and has no lines of --watch, so it is left alone",
            next="--watch with another name",
        )
    if (found := read_watch(path)).path != place:
        raise InputError(
            f"{path} has the lines of {found.path}, not of {place}",
            next="a file of its own for each place",
        )


def append(path: Path, scan: ScanResult) -> None:
    """One more line, durable; InputError for a scan that was cut short, RigError for the disk."""
    if scan.ended == "interrupted":
        raise InputError("no line was added: the scan was stopped early", next="let the scan end")
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


def _line(scan: ScanResult) -> str:
    said = consequences(scan)
    facts = {
        "kind": "scan-watch",
        "format": 1,
        "path": scan.source.path,
        "file_system": scan.source.file_system,
        "started_unix_ns": scan.started_unix_ns,
        **numbers_of(scan),
        "worst": [[file.name, file.extents] for file in scan.top[:_WORST_FILES]],
        "sentence": said[0][1].sentence if said else "",
    }
    return json.dumps(facts) + "\n"


def read_watch(path: Path) -> Watch:
    """The lines of a file; InputError where none can be read."""
    points, place, left_out = [], "", 0
    for line in read_named(path, _LARGEST_BYTES).splitlines():
        if (found := _parsed(line)) is None:
            left_out += bool(line.strip())
            continue
        place = place or str(found["path"])
        points.append(
            Point(
                started_unix_ns=int(found["started_unix_ns"]),
                numbers={key: each for key, each in found.items() if _is_number(each)},
                worst=[(str(name), int(extents)) for name, extents in found.get("worst", [])],
                sentence=str(found.get("sentence", "")),
            )
        )
    if not points:
        raise InputError(
            f"{path} has no line that can be read",
            cause="another program wrote it, or it was cut",
            next=f"fsgauge scan PATH --watch {quoted(path.name)}"
            "   (with another name adds a first one)",
        )
    points.sort(key=lambda point: point.started_unix_ns)
    return Watch(path=place, points=tuple(points), left_out=left_out)


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


def forecast(watch: Watch) -> Forecast | str:
    """When there will be no room; or in words why that cannot be said."""
    used = series(watch, "used_percent")
    changes = [
        (later - before, (at - since) / _DAY_NS)
        for (since, before), (at, later) in pairwise(used)
        if at > since
    ]
    if len(changes) < FEWEST_CHANGES:
        missing = FEWEST_CHANGES - len(changes)
        return f"no forecast yet: {missing} {plural(missing, 'line')} more, then one may be given"
    days = sum(length for _, length in changes)
    mean = sum(change for change, _ in changes) / days
    # Of a random walk, a change over more days is spread by the root of their number.
    spread = (
        statistics.fmean((change - mean * length) ** 2 / length for change, length in changes)
        * len(changes)
        / (len(changes) - 1)
    )
    half = t_quantile(len(changes) - 1) * math.sqrt(spread / days)
    if mean - half <= 0:
        return "no forecast: it does not surely fill"
    left = max(100 - used[-1][1], 0.0)
    found = Forecast(left / mean, left / (mean + half), left / (mean - half))
    if found.last > WIDEST * found.first:
        return (
            f"no forecast: it fills, but the day lies between {found.first:,.0f} and"
            f" {found.last:,.0f} days away, which says too little"
        )
    if found.days > days:
        return f"no forecast: {found.days:,.0f} days is further ahead than the lines reach back"
    return found


def forecast_words(watch: Watch) -> str:
    """The forecast in a sentence."""
    found = forecast(watch)
    if isinstance(found, str):
        return found
    return (
        f"full in {found.days:,.0f} days, with 95 % between {found.first:,.0f} and"
        f" {found.last:,.0f}, if it goes on filling as it did"
    )


def table(watch: Watch) -> list[str]:
    """The first scan, the last, and the difference of every number that both know."""
    lines = []
    first, last = watch.points[0].numbers, watch.points[-1].numbers
    for quantity in QUANTITIES:
        old, new = first.get(quantity.name), last.get(quantity.name)
        if old is not None and new is not None:
            lines.append(Difference(quantity, old, new, new - old))
    return words.difference_table(lines)
