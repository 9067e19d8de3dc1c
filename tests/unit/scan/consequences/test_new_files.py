"""Folders of ext that take no more names or are far larger than theirs, inodes that are used up,
and where XFS has no place for them."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Group
from fsgauge.scan.consequences import new_files
from fsgauge.scan.consequences.new_files import inode_chunk
from fsgauge.scan.consequences.rule import Consequence
from tests.unit.scan.consequences.test_no_space import MIB, counted, said, scan


def folder(full: int, name: str = "/mail/new") -> dict[str, Any]:
    index = {"index_blocks": 123, "full_index_blocks": full}
    return {"name": name, "size_bytes": 9 * MIB} | index


def test_a_folder_whose_index_is_full() -> None:
    found = new_files.folder_index(scan(full_folders=[folder(12), folder(1)]))
    assert said(found).startswith("stop: New names are refused in a folder, although there is room")
    assert "index of /mail/new has all its levels and a full root, and 12 of its 123" in said(found)
    assert "(it takes 9 MiB); 1 more folder like it" in said(found)
    assert found is not None and "tune2fs -O large_dir /dev/fake" in found.do and found.cost
    soon = new_files.folder_index(scan(full_folders=[folder(0, "/a\n")]))
    assert said(soon).startswith("attention: New names will soon be refused")
    assert "\n" not in said(soon) and "like it" not in said(soon)
    assert new_files.folder_index(scan()) is None


def test_a_folder_that_was_emptied_keeps_its_size() -> None:
    folder = {"name": "/srv/a spool", "size_bytes": 64 * MIB, "entries": 1}
    found = new_files.emptied(scan(emptied_folders=[folder, folder, folder]))
    assert said(found) == (
        "attention: Listing a folder reads far more than its names: /srv/a spool takes 64 MiB and"
        " has 1 name, since ext4 gives no block of a folder back when names are deleted; 2 more"
        " folders like it"
    )
    assert found is not None and found.cost
    assert found.do.startswith("mkdir '/srv/a spool.new' && find '/srv/a spool' -mindepth 1 ")
    assert found.do.endswith("or, unmounted, e2fsck -fD /dev/fake")
    strange = new_files.emptied(scan(emptied_folders=[folder | {"name": "/a\n"}]))
    assert "\n" not in said(strange) and "like it" not in said(strange)
    assert new_files.emptied(scan()) is None


def chunk(**changes: Any) -> dict[str, Any]:
    return {"least_bytes": 32768, "align_bytes": 16384, "places": 0, "free_inodes": 0} | changes


def test_xfs_without_a_piece_for_inodes() -> None:
    found = inode_chunk(scan(inode_chunk=chunk()))
    assert said(found).startswith("stop: No new file can be made: XFS needs a free piece of 32 KiB")
    assert "none of 3 free pieces holds one, although 28 MiB (44 %) are free" in said(found)
    assert said(inode_chunk(scan(inode_chunk=chunk(free_inodes=64)))).startswith(
        "attention: 64 files more, then none"
    )
    for silent in (chunk(places=1), chunk(places=None), None):
        assert inode_chunk(scan(inode_chunk=silent)) is None
    full = scan(inode_chunk=chunk(), free={"size_bytes": 64 * 32768 - 1})
    assert inode_chunk(full) is None, "that is plainly full"


def test_mounted_with_inode32_the_rest_is_of_no_use() -> None:
    """Two groups of four may have inodes, and XFS keeps 2 MiB in each for itself."""

    def below(
        mebibytes: float, *, below: int | None = 32 * MIB, **of_folder: int
    ) -> Consequence | None:
        frees = [2 * MIB, int((2 + mebibytes) * MIB), 10 * MIB, 14 * MIB]
        groups = [
            Group(
                offset_bytes=number * 16 * MIB,
                size_bytes=16 * MIB,
                free_bytes=free,
                free_extents=1,
                largest_free_bytes=free,
            )
            for number, free in enumerate(frees)
        ]
        room = counted(20 * MIB, 20 * MIB) | of_folder
        source = {"file_system": "xfs"}
        found = scan(source=source, inode_chunk=chunk(places=900, below_bytes=below), counted=room)
        return inode_chunk(found.model_copy(update={"groups": groups}))

    found = below(0.03)
    assert said(found) == (
        "stop: No new file can be made: mounted with inode32, XFS has inodes in its first 32 MiB"
        " alone, where no free piece holds new ones, although 28 MiB (44 %) are free"
    )
    assert found is not None and found.do == "mount -o remount,inode64 /fake" and found.cost
    assert below(0.04) is None
    quota = {"size_bytes": 20 * MIB, "free_bytes": 4 * MIB, "available_bytes": 4 * MIB}
    assert below(3, **quota) is None, "the quota of a folder hides what XFS keeps"
    assert below(0, below=64 * MIB) is None and below(0, below=None) is None


@pytest.mark.parametrize(
    ("total", "free", "words"),
    [
        (1280, 0, "stop: No new file can be made: all 1,280 inodes are in use, although 28 MiB"),
        (1280, 12, "attention: 12 files more, then none: of 1,280 inodes 12 are left"),
        (1280, 13, ""),
        (10_000_000, 1000, ""),
        (10_000_000, 999, "attention: 999 files more"),
    ],
)
def test_inodes(total: int, free: int, words: str) -> None:
    found = new_files.inodes(scan(inodes={"total": total, "free": free}))
    assert (found is None) if not words else said(found).startswith(words)


def test_inodes_of_xfs_can_be_had_by_a_command_where_their_share_bounds_them() -> None:
    def of_xfs(free: int, available: int) -> Consequence | None:
        inodes = {"total": 1000, "free": free}
        room = counted(available)
        return new_files.inodes(scan(inodes=inodes, counted=room, source={"file_system": "xfs"}))

    found = of_xfs(0, 4096)
    assert found is not None and found.do == "xfs_growfs -m 50 /fake" and found.cost
    assert of_xfs(0, 0) is None, "that is plainly full"
    assert of_xfs(2, 4096) is None and of_xfs(2, 4097) is not None
