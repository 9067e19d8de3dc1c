"""A scan in words: the answer first, then free space, kinds, problems, and the worst files."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.engine.wire import ListedFile, ScanProblem, ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import (
    Difference,
    Unit,
    inside_chunks,
    may_lack_free_space,
    numbers_of,
    room_is_unknown,
)
from fsgauge.units import format_duration, size_down

_EXTENT_LINES = 20
_WAYS = {
    "fiemap": "FIEMAP",
    "getfsmap": "GETFSMAP",
    "bitmaps": "block bitmaps",
    "on-disk": "on-disk structures",
}
_KINDS = ("unwritten", "delayed", "inline", "compressed", "encrypted", "shared")


def number(value: float | None, unit: Unit) -> str:
    """A number with its unit; empty where unknown."""
    if value is None:
        return ""
    if unit == "B":
        return size_down(value)
    if unit == "%":
        return f"{_share(value)} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def change(line: Difference) -> str:
    """A difference with its sign; "=" for none."""
    value = line.difference
    if value is None:
        return ""
    if value == 0:
        return "="
    sign = "+" if value > 0 else "-"
    if line.quantity.unit == "%":
        return f"{sign}{_least(abs(value), 1)} points"
    if line.quantity.unit == "" and not isinstance(value, int):
        return f"{sign}{_least(abs(value), 3)}"
    return sign + number(abs(value), line.quantity.unit)


def cautions(scan: ScanResult) -> list[str]:
    """Warnings that come before any number."""
    source = scan.source
    found = []
    if scan.ended == "interrupted":
        found.append("stopped early: only what was read is counted")
    if source.writable and source.mount_point and source.path == source.device:
        found.append(
            f"{escaped(source.device)} is mounted read-write at"
            f" {escaped(source.mount_point)}: numbers may change while they are read"
        )
    return found


def headline(scan: ScanResult) -> str:
    """Files and extents in a sentence."""
    found = numbers_of(scan)
    files, extents = found["files_with_extents"], found["extents"]
    if not files:
        return "no file has an extent on the device"
    each, share = found["extents_per_file"], found["fragmented_percent"]
    assert each is not None and share is not None and extents is not None  # noqa: S101 - files
    many = "file" if files == 1 else "files"
    pieces = "extent" if extents == 1 else "extents"
    counts = scan.counts
    if not counts.undecided_extents:
        return (
            f"{files:,} {many} in {extents:,} {pieces}: {each:,.2f} per file,"
            f" {_share(share)} % of files fragmented"
        )
    fewest = extents - counts.undecided_extents
    least = 100 * (counts.fragmented_files - counts.undecided_files) / files
    return (
        f"{files:,} {many} in {fewest:,} to {extents:,} {pieces}: {fewest / files:,.2f} to"
        f" {each:,.2f} per file, {_share(least)} to {_share(share)} % of files fragmented"
    )


def place(scan: ScanResult) -> str:
    """What was scanned: file system, size, how full."""
    source = scan.source
    numbers = numbers_of(scan)
    used, size_bytes = numbers["used_percent"], numbers["size_bytes"]
    full = f", {_share(used)} % full" if used is not None else ""
    size = f", {size_down(size_bytes)}" if size_bytes is not None else ""
    a_file = "a file on " if is_one_file(scan) else ""
    return f"{a_file}{source.file_system}{size}{full}"


def is_one_file(scan: ScanResult) -> bool:
    """Whether the extents of one file were scanned, not a tree and not the content of an image."""
    counts = scan.counts
    return scan.source.files_by == "fiemap" and (counts.files, counts.folders) == (1, 0)


def notes(scan: ScanResult) -> list[str]:
    """Notes on the numbers, those of the engine last."""
    found = []
    if is_one_file(scan):
        found.append(
            "this file contains no file system that can be read,"
            " so the extents of the file itself were scanned"
        )
    if room_is_unknown(scan):
        found.append(
            "free space is that inside btrfs chunks, without unallocated space: see"
            " `btrfs filesystem usage` for how full the file system is"
        )
    if scan.source.space_reason:
        found.append(f"free space: {scan.source.space_reason}")
    return found + [note.text for note in scan.notes]


def free_space(scan: ScanResult) -> str:
    """Free space in a sentence."""
    free = scan.free
    if free is None:
        return "not read"
    more = _more_room(scan)
    if free.size_bytes == 0:
        return f"nothing{more}"
    size = size_down(free.size_bytes)
    if free.extents is None:
        return f"{size}; number of extents unknown"
    share = numbers_of(scan)["free_at_least_8_mib_percent"]
    large = f"; {_share(share)} % of it in extents of 8 MiB or more" if share is not None else ""
    pieces = "extent" if free.extents == 1 else "extents"
    inside = " inside chunks" if inside_chunks(scan) else ""
    largest = "" if free.largest_bytes is None else f"; largest {size_down(free.largest_bytes)}"
    return f"{size} in {free.extents:,} {pieces}{inside}{large}{largest}{more}"


def _more_room(scan: ScanResult) -> str:
    """Space that is or may be free in addition to the free extents."""
    free = scan.free
    if free is None:
        return ""
    found = ""
    if inside_chunks(scan) and free.unallocated_bytes:
        found += f"; {size_down(free.unallocated_bytes)} unallocated"
    if free.unread_bytes:
        found += f"; up to {size_down(free.unread_bytes)} more in unreadable areas"
    elif may_lack_free_space(scan):
        found += "; possibly more in unreadable areas"
    return found


def kinds(scan: ScanResult) -> str:
    """Special extents and files; empty where there are none."""
    counts = scan.counts
    each = {kind: count for kind in _KINDS if (count := getattr(counts, f"{kind}_extents"))}
    found = [f"{count:,} {kind}" for kind, count in each.items()]
    extents = "extent" if sum(each.values()) == 1 else "extents"
    parts = [f"{', '.join(found)} {extents}"] if found else []
    if counts.shared_once_bytes:
        parts.append(
            f"shared: {size_down(counts.shared_bytes)} as files count it,"
            f" {size_down(counts.shared_once_bytes)} on the device, each extent once"
        )
    if counts.verity_files:
        parts.append(f"{_files(counts.verity_files)} with fs-verity")
    if counts.files_without_extents:
        why = "empty, inline, all holes"
        why += ", or not yet allocated" if counts.delayed_extents else ""
        parts.append(f"{_files(counts.files_without_extents)} without extents ({why})")
    if counts.sparse_files:
        parts.append(_files(counts.sparse_files, "sparse "))
    return "; ".join(parts)


def how(scan: ScanResult) -> str:
    """How it was read, how long that took, and whether it was mounted read-write."""
    source = scan.source
    by = [source.files_by] if source.space_by == "none" else [source.files_by, source.space_by]
    ways = " and ".join(_WAYS.get(way, way) for way in by)
    live = " while mounted read-write" if source.writable and source.mount_point else ""
    return f"by {ways} in {format_duration(scan.elapsed_ns)}{live}"


def problem(entry: ScanProblem) -> str:
    """A problem with its count and first place."""
    times = f"{entry.count:,} times: " if entry.count > 1 else ""
    first = "first " if entry.count > 1 else ""
    example = f" ({first}{escaped(entry.examples[0])})" if entry.examples else ""
    return f"{entry.code}, {times}{escaped(entry.text)}{example}"


def lines_of(scan: ScanResult, *, top: int, extents: bool, since: str = "") -> list[str]:
    """The whole text; `since`: what changed; `extents` lists those of the worst files."""
    head = f"{escaped(scan.source.path)}  {place(scan)}"
    found = [*cautions(scan), f"{head:<40}  {headline(scan)}"]
    found += [f"means        {since}"] if since else []
    for said in (said for _, said in consequences(scan)):
        found.append(f"means        {said.sentence}")
        found += [f"{'':<12} do: {said.do}"] if said.do else []
        found += [f"{'':<12} cost: {said.cost}"] if said.cost else []
    found.append(f"free         {free_space(scan)}")
    if special := kinds(scan):
        found.append(f"kinds        {special}")
    found += [f"problem      {problem(entry)}" for entry in scan.problems]
    if any(problem.count > 1 for problem in scan.problems):
        found.append(f"{'':<12} --json and --page list up to ten places of each problem")
    found += [f"note         {escaped(note)}" for note in notes(scan)]
    for index, file in enumerate(scan.top[:top]):
        found.append(f"{'' if index else 'worst files':<12} {file_line(file)}")
        found += _extents(file) if extents else []
    found.append(f"read         {how(scan)}")
    return found


def file_line(file: ListedFile) -> str:
    """A file with its extents and size."""
    pieces = "extent" if file.extents == 1 else "extents"
    return f"{escaped(file.name)}  {file.extents:,} {pieces}, {size_down(file.size_bytes)}"


def _extents(file: ListedFile) -> list[str]:
    shown = file.list[:_EXTENT_LINES]
    pad = " " * 15
    found = [
        f"{pad}at {size_down(each.logical_bytes):>9} of the file:"
        f" {size_down(each.length_bytes):>9} at byte {each.physical_bytes:,}"
        for each in shown
    ]
    if file.extents > len(shown):
        found.append(f"{pad}and {file.extents - len(shown):,} more: --json lists up to 10,000")
    return found


def difference_table(lines: Sequence[Difference]) -> list[str]:
    """Every number before, now, and the difference, aligned."""
    rows = [("", "before", "now", "difference")]
    for line in lines:
        unit = line.quantity.unit
        rows.append(
            (line.quantity.label, number(line.before, unit), number(line.now, unit), change(line))
        )
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        f"{row[0]:<{widths[0]}}  " + "  ".join(f"{row[at]:>{widths[at]}}" for at in (1, 2, 3))
        for row in rows
    ]


def _files(count: int, kind: str = "") -> str:
    return f"{count:,} {kind}{'file' if count == 1 else 'files'}"


def _least(value: float, digits: int) -> str:
    """A change, which is never rounded to zero."""
    shown = f"{value:,.{digits}f}"
    return shown if float(shown.replace(",", "")) else f"<{10**-digits:.{digits}f}"


def _share(percent: float) -> str:
    """A share, which is rounded to 0 or 100 only where it is exactly that."""
    if 0 < percent < 0.1:
        return "under 0.1"
    if 99.9 < percent < 100:
        return "over 99.9"
    whole = percent in (0, 100) or 10 <= percent < 99
    return f"{percent:.0f}" if whole else f"{percent:.1f}"
