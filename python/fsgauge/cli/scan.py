"""`fsgauge scan`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import FILE, engine_path, file_option, json_option, read_size
from fsgauge.errors import InputError, escaped
from fsgauge.exit_codes import ExitCode, ends
from fsgauge.units import count

if TYPE_CHECKING:
    from fsgauge.engine.wire import ScanResult
    from fsgauge.scan.watch import Watch

_MAP_ORDER = 8
_WORST_FILES = 3


@click.command("scan")
@ends("scan")
@click.argument("path", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--top",
    type=click.IntRange(0, 1000),
    help="List this many of the most fragmented files, with extents.  [default: 3, no extents]",
)
@file_option(
    "--page", "FILE.html", "Write a page with maps and distributions. Default: no file is written."
)
@file_option("--against", "BEFORE.json", "Compare with an earlier scan, saved by --save.")
@file_option("--save", "FILE.json", "Save the whole scan, as --json prints it, for --against.")
@file_option(
    "--watch",
    "FILE",
    "Append a line to FILE; `fsgauge scan FILE` shows what the lines amount to.",
)
@json_option("All numbers and the whole scan as JSON.")
@click.option(
    "--empty-region",
    "region_size",
    metavar="SIZE",
    help="Report the emptiest contiguous region of this size, such as 2TiB (read-only).",
)
@click.option(
    "--mb-groups",
    "groups",
    type=FILE,
    metavar="FILE",
    help="Write mb_groups of an ext4 or ldiskfs, mounted or an image, a line a group.",
)
def command(
    path: Path,
    top: int | None,
    page: Path | None,
    against: Path | None,
    save: Path | None,
    watch: Path | None,
    region_size: str | None,
    groups: Path | None,
    as_json: bool,
) -> int:
    """Measure fragmentation of files and free space in PATH. Nothing is written to it.

    PATH is a folder or file of a mounted file system, a device, a file system image, a scan
    saved by `--save` or `--json`, or a file of `--watch`. Ctrl-C stops it and reports what was
    read.
    """
    from fsgauge.plain_files import write_whole
    from fsgauge.progress.scan_and_age import step
    from fsgauge.report.scan import require_ours
    from fsgauge.scan import is_kept_scan, read_scan
    from fsgauge.scan.mb_groups import mb_groups
    from fsgauge.scan.region import empty_region, region_lines
    from fsgauge.scan.watch import (
        append,
        forecast_words,
        is_watch,
        read_watch,
        require_watch,
        since_first,
    )

    if is_watch(path):
        given = [against, save, watch, region_size, groups]
        return _show_watch(path, page, alone=not any(given) and not as_json)
    is_kept = is_kept_scan(path)
    for option, file in (("--watch", watch), ("--mb-groups", groups)):
        if is_kept and file is not None:
            raise InputError(
                f"{option} is of a file system, and {path} is a saved scan",
                next=f"leave {option} out",
            )
    if watch is not None:
        require_watch(watch, engine_path(path, "scan the folder above it"))
    before = None
    if against is not None:
        with step(f"reading {against}"):
            before = read_scan(against)
    region_bytes = _region_bytes(region_size)
    if page is not None:
        require_ours(page)
    if groups is not None:
        _require_new(groups, "--mb-groups")
    if save is not None:
        _require_new(save, "--save")
    if is_kept:
        with step(f"reading {path}"):
            scan = read_scan(path)
    else:
        with_map = as_json or page is not None or save is not None
        order = before.map.order if before and before.map else _MAP_ORDER  # to compare both maps
        scan = _scanned(
            path,
            top=_WORST_FILES if top is None else top,
            map_order=order if with_map else 0,
        )
    if groups is not None:
        with step(f"writing {groups}"):
            write_whole(groups, mb_groups(scan.source, _dumped))
    region = None
    if region_bytes:
        with step("looking for the emptiest region"):
            region = empty_region(scan, region_bytes)
    if as_json:
        more = {"empty_region": asdict(region)} if region else {}
        with step("writing the whole scan as JSON"):
            document = _document(scan, before, more)
        click.echo(document)
    else:
        _say(scan, before, top)
        for line in region_lines(scan, region) if region else ():
            click.echo(line)
    if save is not None:
        with step(f"saving {save}"):
            write_whole(save, f"{_document(scan, None, {})}\n")
        click.echo(f"saved        {escaped(str(save))}", err=as_json)
    if watch is not None:
        append(watch, scan)
        lines = read_watch(watch)
        said = f"{_lines(lines)}; {forecast_words(lines)}"
        click.echo(f"watch        {escaped(str(watch))}: {said}", err=as_json)
        if changed := since_first(lines):
            click.echo(f"{'':<12} {changed}", err=as_json)
        if page is not None:
            return _show_watch(watch, page, alone=True, quietly=True)
    _draw(scan, before, page, as_json)
    return ExitCode.INTERRUPTED if scan.ended == "interrupted" else ExitCode.ANSWERED


def _show_watch(path: Path, page: Path | None, *, alone: bool, quietly: bool = False) -> int:
    from fsgauge.report.scan import require_ours, watch_page, write_scan_page
    from fsgauge.scan.watch import forecast_words, read_watch, since_first, table
    from fsgauge.units import moment

    if not alone:
        raise InputError(
            f"{path} has the lines of --watch: --page alone can be had of it",
            next="fsgauge scan FILE --page years.html",
        )
    if page is not None:
        require_ours(page)
    watch = read_watch(path)
    if not quietly:
        first, last = (moment(watch.points[at].started_unix_ns) for at in (0, -1))
        click.echo(f"{escaped(watch.path)}  {_lines(watch)}, {first} to {last}")
        for said in filter(None, (since_first(watch), forecast_words(watch))):
            click.echo(f"means        {said}")
        for line in table(watch):
            click.echo(line)
    if page is not None:
        write_scan_page(page, watch_page(watch))
        click.echo(f"picture      {escaped(str(page))}")
    return ExitCode.ANSWERED


def _lines(watch: Watch) -> str:
    left_out = f" ({count(watch.left_out, 'line')} cannot be read)" if watch.left_out else ""
    return count(len(watch.points), "scan") + left_out


def _require_new(path: Path, option: str) -> None:
    """Of a file that is there nothing is known, so it stays; a link too."""
    from fsgauge.plain_files import require_room

    if os.path.lexists(path):
        raise InputError(f"{path} exists already", next=f"{option} with another name")
    require_room(path, f"{option} FILE")


def _region_bytes(size: str | None) -> int | None:
    """The size asked for; InputError for what is none."""
    from fsgauge.quantities import UnitError

    if size is None:
        return None
    try:
        found = read_size("--empty-region", size)
    except UnitError as error:
        raise InputError(
            f"--empty-region: {error}",
            cause="it takes a size with its unit",
            next="--empty-region 2TiB",
        ) from error
    if found < 1:
        raise InputError("--empty-region must be at least 1 B", next="--empty-region 2TiB")
    return found


def _scanned(path: Path, *, top: int, map_order: int) -> ScanResult:
    """Scan with progress on standard error; the first Ctrl-C stops it and keeps what was read."""
    from fsgauge.engine.client import Engine
    from fsgauge.engine.wire import ScanJob
    from fsgauge.progress.scan_and_age import stages, step

    place = engine_path(path, "scan the folder above it")
    job = ScanJob(path=place, top=top, map_order=map_order)
    with stages() as progress:
        scan = Engine().scan(job, progress.event, progress.stoppable)
    with step("looking for deleted files that are still open"):
        return _with_deleted(scan)


def _with_deleted(scan: ScanResult) -> ScanResult:
    """With the deleted files that are still open there, which the engine may not look for."""
    from fsgauge.machine.process.deleted_files import deleted_files

    if not (point := scan.source.mount_point):
        return scan
    room = scan.room.model_copy(update={"deleted": deleted_files(Path(point))})
    return scan.model_copy(update={"room": room})


def _dumped(path: str) -> str:
    """What dumpe2fs prints of an image."""
    from fsgauge.machine.process.tool import must_run

    return must_run(["dumpe2fs", path], what=f"{path} cannot be read", seconds=600.0).output


def _say(scan: ScanResult, before: ScanResult | None, top: int | None) -> None:
    from fsgauge.progress.scan_and_age import step
    from fsgauge.scan import words
    from fsgauge.scan.numbers import difference_lines, doubts
    from fsgauge.scan.since import since

    listed = _WORST_FILES if top is None else top
    with step("finding what follows from the numbers"):
        changed = since(before, scan) if before is not None else ""
        lines = words.lines_of(scan, top=listed, extents=top is not None, since=changed)
    for line in lines:
        click.echo(line)
    if before is not None:
        for doubt in doubts(before, scan):
            sys.stderr.write(f"warning: {escaped(doubt)}\n")
        for line in words.difference_table(difference_lines(before, scan)):
            click.echo(line)


def _document(scan: ScanResult, before: ScanResult | None, more: Mapping[str, object]) -> str:
    from fsgauge.scan import document_of
    from fsgauge.scan.numbers import difference_lines, doubts, numbers_of
    from fsgauge.scan.since import since

    if before is None:
        return document_of(scan, **more)
    lines = difference_lines(before, scan)
    return document_of(
        scan,
        since=since(before, scan),
        before=numbers_of(before),
        difference={line.quantity.name: line.difference for line in lines},
        doubts=doubts(before, scan),
        **more,
    )


def _draw(scan: ScanResult, before: ScanResult | None, page: Path | None, as_json: bool) -> None:
    if page is None:
        if not as_json:
            click.echo("picture      none (--page scan.html draws one)")
        return
    from fsgauge.progress.scan_and_age import step
    from fsgauge.report.scan import scan_page, write_scan_page

    with step(f"drawing {page}"):
        write_scan_page(page, scan_page(scan, before))
    click.echo(f"picture      {escaped(str(page))}{_note_on(page, scan)}", err=as_json)


def _note_on(page: Path, scan: ScanResult) -> str:
    mount = scan.source.mount_point
    try:
        same = mount is not None and Path(mount).stat().st_dev == page.stat().st_dev
    except OSError:
        return ""
    return "   (on the file system that was scanned, written after it)" if same else ""
