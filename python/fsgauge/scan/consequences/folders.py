"""ext folders that take no more names, or are far larger than theirs."""

from __future__ import annotations

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.rule import Consequence, device_of, word_of
from fsgauge.units import count, size_down


def folder_index(scan: ScanResult) -> Consequence | None:
    if not scan.room.full_folders:
        return None
    first, more = scan.room.full_folders[0], len(scan.room.full_folders) - 1
    place, others = escaped(first.name), f"; {count(more, 'more folder')} like it" if more else ""
    what = (
        f"the index of {place} has all its levels and a full root, and {first.full_index_blocks:,}"
        f" of its {first.index_blocks:,} blocks are full too (it takes"
        f" {size_down(first.size_bytes)}){others}"
    )
    is_refused = first.full_index_blocks > 0
    begin = (
        "New names are refused in a folder, although there is room: No space left on device"
        if is_refused
        else "New names will soon be refused in a folder, although there is room"
    )
    return Consequence(
        "stop" if is_refused else "attention",
        f"{begin} for each that belongs to a full block: {what}"
        if is_refused
        else f"{begin}: {what}",
        f"split the folder; or, unmounted, tune2fs -O large_dir {device_of(scan)} (a level more);"
        f" where many names were deleted, e2fsck -fD {device_of(scan)} rebuilds the index",
        "large_dir is read by Linux 4.13 and later alone; e2fsck -D writes every folder again",
    )


def emptied(scan: ScanResult) -> Consequence | None:
    if not scan.room.emptied_folders:
        return None
    first, more = scan.room.emptied_folders[0], len(scan.room.emptied_folders) - 1
    others = f"; {count(more, 'more folder')} like it" if more else ""
    quoted_name, quoted_new = word_of(first.name), word_of(f"{first.name}.new")
    return Consequence(
        "attention",
        f"Listing a folder reads far more than its names: {escaped(first.name)} takes"
        f" {size_down(first.size_bytes)} and has {count(first.entries, 'name')}, since"
        f" {scan.source.file_system} gives no block of a folder back when names are deleted"
        f"{others}",
        f"mkdir {quoted_new} && find {quoted_name} -mindepth 1 -maxdepth 1 -exec"
        f" mv -t {quoted_new} {{}} + && rmdir {quoted_name} && mv {quoted_new} {quoted_name}; or,"
        f" unmounted, e2fsck -fD {device_of(scan)}",
        "programs that have the folder open have to open it again; e2fsck -D writes every folder",
    )
