"""Where XFS has no place for inodes: in pieces too small, or below their numbers."""

from __future__ import annotations

from typing import Any

from fsgauge.engine.wire import Group
from fsgauge.scan.consequences.inode_chunk import inode_chunk
from fsgauge.scan.consequences.rule import Consequence
from tests.unit.scan.consequences.test_no_space import MIB, counted, said, scan


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
