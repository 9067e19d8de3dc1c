"""From a scan, or two, to one self-contained page: maps, distributions, numbers, problems."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from fsgauge import __version__
from fsgauge.engine.wire import Note, ScanMap, ScanResult
from fsgauge.errors import InputError, RigError, escaped
from fsgauge.plain_files import head_of, require_room, write_whole
from fsgauge.report.scan.lengths import lengths_chart
from fsgauge.report.scan.map import COLOURS, hilbert_picture, shares_of
from fsgauge.report.scan.strip import difference_strip, every_nth, group_bars, legend, strip
from fsgauge.report.theme import asset, template
from fsgauge.scan import words
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import (
    QUANTITIES,
    difference_lines,
    doubts,
    maps_compare,
    numbers_of,
    reach_bytes,
)
from fsgauge.scan.since import since
from fsgauge.units import moment, size_down

_WIDE, _NARROW = 540, 340
_GROUP_ROWS = 2000
_EXTENT_ROWS = 200


@dataclass(frozen=True)
class MapView:
    """One map as the template shows it; `data` is what hovering reads."""

    name: str
    title: str
    picture: str
    strip: str
    every: int
    bars: str
    side: int
    cell: str
    data: dict[str, Any]


def scan_page(scan: ScanResult, before: ScanResult | None = None, title: str = "") -> str:
    """The whole page as text; with an earlier scan, both and the difference. `title` is for what
    was scanned where it stood for a moment only: the path says nothing then."""
    lines = difference_lines(before, scan) if before else []
    numbers = numbers_of(scan)
    return template("scan.html.j2").render(
        version=__version__,
        title=escaped(title or scan.source.path),
        scan=_with_all_notes(scan),
        before=before,
        when=moment(scan.started_unix_ns),
        before_when=moment(before.started_unix_ns) if before else "",
        place=words.place(scan),
        since=since(before, scan) if before else "",
        consequences=[said for _, said in consequences(scan)],
        headline=words.headline(scan),
        free=words.free_space(scan),
        kinds=words.kinds(scan),
        how=words.how(scan),
        cautions=[*words.cautions(scan), *(doubts(before, scan) if before else [])],
        maps=_maps(scan, before),
        difference=_difference(scan, before),
        legend=legend(),
        charts=_charts(scan, before),
        rows=[(each, words.number(numbers[each.name], each.unit)) for each in QUANTITIES],
        lines=[(line, words) for line in lines],
        words=words,
        format_size=size_down,
        group_rows=_GROUP_ROWS,
        extent_rows=_EXTENT_ROWS,
        scan_style=asset("scan.css"),
        scan_script=asset("scan.js"),
    )


def _with_all_notes(scan: ScanResult) -> ScanResult:
    """As the text has them: notes of the engine, and those that follow from the numbers."""
    notes = [Note(code="scan", text=text) for text in words.notes(scan)]
    return scan.model_copy(update={"notes": notes})


def _maps(scan: ScanResult, before: ScanResult | None) -> list[MapView]:
    if before is None:
        return [_view("now", "", scan, scan.map)] if scan.map else []
    both = (
        ("before", f"before: {moment(before.started_unix_ns)}", before),
        ("now", f"now: {moment(scan.started_unix_ns)}", scan),
    )
    return [_view(name, title, each, each.map) for name, title, each in both if each.map]


def _view(name: str, title: str, scan: ScanResult, area: ScanMap) -> MapView:
    size, groups = reach_bytes(scan), list(scan.groups)
    return MapView(
        name=name,
        title=title,
        picture=hilbert_picture(area),
        strip=strip(area, groups, size),
        every=every_nth(groups),
        bars=group_bars(groups, size),
        side=1 << area.order,
        cell=size_down(area.cell_bytes),
        data=_hover_data(scan, area),
    )


def _hover_data(scan: ScanResult, area: ScanMap) -> dict[str, Any]:
    """Shares as bytes, owners as runs, groups as where they begin; and the listed files."""
    shares = shares_of(area)
    return {
        "order": area.order,
        "cell_bytes": area.cell_bytes,
        "size_bytes": reach_bytes(scan),
        "shares": {
            kind: base64.b64encode(bytes(values.astype("uint8"))).decode()
            for kind, values in shares.items()
        },
        "owners": [[len(list(run)), owner] for owner, run in groupby(area.owner)],
        "names": [escaped(name) for name in area.names],
        "groups": list(scan.groups.column("offset_bytes")),
        "group_ends": [group.offset_bytes + group.size_bytes for group in scan.groups],
        "files": [
            [[each.physical_bytes, each.length_bytes] for each in file.list] for file in scan.top
        ],
    }


def _difference(scan: ScanResult, before: ScanResult | None) -> str:
    if before is None or before.map is None or scan.map is None or not maps_compare(before, scan):
        return ""
    return difference_strip(before.map, scan.map, reach_bytes(scan))


def _charts(scan: ScanResult, before: ScanResult | None) -> list[dict[str, str]]:
    """Both distributions, each for wide and narrow screens."""
    sides = [
        (
            "Lengths of the files' extents",
            "share of the files' bytes",
            scan.extent_lengths,
            before.extent_lengths if before else None,
            "data",
        ),
        (
            "Lengths of free extents",
            "share of the free bytes",
            scan.free.lengths if scan.free else [],
            (before.free.lengths if before.free else []) if before else None,
            "free",
        ),
    ]
    charts = []
    for title, what, bins, old, kind in sides:
        colour = "rgb({}, {}, {})".format(*COLOURS[kind])
        wide, narrow = (
            lengths_chart(f"{title}: {what}", bins, old, width=width, colour=colour)
            for width in (_WIDE, _NARROW)
        )
        charts.append({"title": title, "what": what, "wide": wide, "narrow": narrow})
    return charts


MARK = '<meta name="generator" content="fsgauge scan'
_HEAD_BYTES = 4096


def require_ours(path: Path) -> None:
    """Raise InputError where the page would replace something else, or its folder takes none."""
    require_room(path, "--page FILE.html")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is there and is no plain file", next="--page OTHER.html")
    if path.exists() and not _is_page(path):
        raise InputError(
            f"{path} is there and is not the page of a scan, so it is left alone",
            next="--page OTHER.html",
        )


def write_scan_page(path: Path, page: str) -> None:
    """Write it whole; raises InputError for what `require_ours` refuses, RigError for the rest."""
    require_ours(path)
    try:
        write_whole(path, page)
    except RigError as error:
        raise RigError(
            error.what,
            details=error.details,
            cause=error.cause,
            next="--page FILE.html   (in a folder where you may write)",
        ) from error


def _is_page(path: Path) -> bool:
    return MARK.encode() in head_of(path, _HEAD_BYTES)
