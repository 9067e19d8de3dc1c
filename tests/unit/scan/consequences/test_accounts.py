"""Why df differs, and space without a file: what is said, and from where on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import Note, ScanResult
from fsgauge.scan.consequences import accounts
from fsgauge.scan.consequences.rule import Consequence
from tests.patience import patience
from tests.unit.scan.consequences.test_no_space import MIB, scan


def counted(size: int, free: int, available: int) -> dict[str, int]:
    return {
        "size_bytes": size * MIB,
        "free_bytes": free * MIB,
        "available_bytes": available * MIB,
    }


def test_df_differs_by_tables_and_by_what_is_kept_for_root() -> None:
    found = accounts.df(scan(counted=counted(58, 28, 25), reserved_bytes=3 * MIB))
    assert found is not None and found.level == "fine"
    assert found.sentence == (
        "df says 55 % of 58 MiB is in use: it leaves out 6 MiB of tables and the log, which are in"
        " use; it counts 3 MiB kept for root and ext4 itself as not available"
    )
    assert accounts.df(scan(counted=counted(64, 28, 28))) is None


def test_df_differs_by_what_xfs_keeps_and_by_a_quota_of_the_folder() -> None:
    source = {"file_system": "xfs"}
    found = accounts.df(scan(counted=counted(62, 20, 20), source=source))
    assert found is not None and "xfs keeps 8 MiB of the free space for itself" in found.sentence
    found = accounts.df(scan(counted=counted(10, 1, 1), source=source))
    assert found is not None and "a quota of the folder" in found.sentence
    of_ext4 = accounts.df(scan(counted=counted(10, 1, 1), reserved_bytes=0))
    assert of_ext4 is not None and of_ext4.sentence.endswith("bounds what it shows")


def deleted(size_bytes: int, **changes: Any) -> dict[str, Any]:
    largest = {
        "path": "/var/log/a\x1b",
        "size_bytes": size_bytes,
        "process": "nginx",
        "process_id": 7,
    }
    found = {"files": 2, "size_bytes": size_bytes, "all_processes": True, "largest": [largest]}
    return found | changes


def test_deleted_files_that_are_open() -> None:
    found = accounts.deleted(scan(deleted=deleted(8 * MIB)))
    assert found is not None and "8 MiB (12 %) are taken by 2 deleted files" in found.sentence
    assert r"/var/log/a\x1b, 8 MiB, of nginx (7)" in found.sentence
    assert found.do.startswith("restart nginx (7)") and "du does not see" not in found.cost
    assert accounts.deleted(scan(deleted=deleted(64 * MIB // 100))) is None
    partly = accounts.deleted(scan(deleted=deleted(8 * MIB, all_processes=False)))
    assert partly is not None and "only root can look into" in partly.sentence


def test_files_without_a_name_on_an_image() -> None:
    image = scan()
    assert accounts.deleted(image) is None
    counts = image.counts.model_copy(update={"unnamed_files": 1, "unnamed_bytes": 5 * MIB})
    found = accounts.deleted(image.model_copy(update={"counts": counts}))
    assert found is not None and "5 MiB (8 %) belong to 1 file without a name" in found.sentence


def test_blocks_behind_the_ends_of_files() -> None:
    for kind, words in (("xfs", "allocsize"), ("ext4", "truncate")):
        image = scan(source={"file_system": kind})
        counts = image.counts.model_copy(
            update={"beyond_end_files": 3, "beyond_end_bytes": 7 * MIB}
        )
        found = accounts.beyond_end(image.model_copy(update={"counts": counts}))
        assert found is not None and words in found.do and "7 MiB (11 %)" in found.sentence
    assert accounts.beyond_end(scan()) is None


def test_df_differs_by_what_ordinary_users_cannot_have() -> None:
    """As of an overlay over an ext4: its statfs(2) is that of the one below."""
    overlay = scan(counted=counted(64, 28, 20), source={"file_system": "overlay"})
    found = accounts.df(overlay)
    assert found is not None
    assert found.sentence.endswith(
        "it counts 8 MiB that ordinary users cannot have as not available"
    )


def in_clusters(taken: float, **changes: Any) -> ScanResult:
    """Files that take so many MiB by stat(2), in clusters of 64 KiB."""
    whole = scan()
    room = {"taken_bytes": whole.counts.extent_bytes + int(taken * MIB), "cluster_bytes": 65536}
    return scan(**room | changes)


def test_what_xfs_sets_aside_for_shared_files() -> None:
    def of(mebibytes: float, kind: str = "xfs", **counts: int) -> Consequence | None:
        whole = scan(source={"file_system": kind})
        room = {"taken_bytes": whole.counts.extent_bytes + int(mebibytes * MIB)}
        found = scan(source={"file_system": kind}, **room)
        changes = {"shared_extents": 1, "delayed_extents": 0} | counts
        return accounts.set_aside(
            found.model_copy(update={"counts": found.counts.model_copy(update=changes)})
        )

    found = of(3.21)
    assert found is not None and found.sentence.startswith("3.2 MiB (5 %) are set aside for files")
    assert (
        found.do.startswith("sync -f /fake && xfs_spaceman -c 'prealloc -s' /fake; ") and found.cost
    )
    silent = (of(3.19), of(9, "ext4"), of(9, shared_extents=0), of(9, delayed_extents=1))
    assert silent == (None,) * 4


def test_the_unused_ends_of_clusters() -> None:
    found = accounts.clusters(in_clusters(3.21))
    assert found is not None and found.level == "attention" and found.do and found.cost
    assert found.sentence.startswith("3.2 MiB (5 %) are the unused ends of clusters")
    assert found.sentence.endswith("whole ones of 64 KiB")
    assert accounts.clusters(in_clusters(3.19)) is None
    for silent in ({"taken_bytes": None}, {"cluster_bytes": None}, {"cluster_bytes": 4096}):
        assert accounts.clusters(in_clusters(9, **silent)) is None


def test_the_unused_ends_of_blocks() -> None:
    def of(mebibytes: float, **room: Any) -> Consequence | None:
        found = scan(**room)
        counts = found.counts.model_copy(update={"tail_bytes": int(mebibytes * MIB)})
        return accounts.clusters(found.model_copy(update={"counts": counts}))

    found = of(3.21)
    assert found is not None and found.sentence == (
        "3.2 MiB (5 %) are the unused ends of blocks: each file takes whole ones of 4 KiB"
    )
    assert "btrfs" in found.do and found.cost and of(3.19) is None
    taken = {"taken_bytes": scan().counts.extent_bytes + 3 * MIB, "cluster_bytes": 65536}
    both = of(1, **taken)
    assert both is not None and both.sentence.startswith("4 MiB (6 %) are the unused ends of clu")


@pytest.mark.parametrize(
    ("kind", "point", "do"),
    [
        ("ext4", "/srv", "resize2fs /dev/fake"),
        ("ext4", None, "e2fsck -f /dev/fake && resize2fs /dev/fake"),
        ("xfs", "/srv", "xfs_growfs /srv"),
        ("btrfs", "/srv", "btrfs filesystem resize max /srv"),
    ],
)
def test_what_a_device_has_behind_its_file_system(kind: str, point: str | None, do: str) -> None:
    def of(mebibytes: float) -> Consequence | None:
        source = {"file_system": kind, "mount_point": point}
        return accounts.device(scan(device_bytes=int((64 + mebibytes) * MIB), source=source))

    found = of(3.21)
    assert found is not None and found.level == "attention" and found.cost
    assert found.sentence.startswith("3.2 MiB of the device are unused: its file system ends at")
    assert found.do == do
    assert of(3.19) is None and of(-9) is None
    assert accounts.device(scan()) is None, "where it is not known"


def test_the_share_is_the_one_that_df_prints(tmp_path: Path) -> None:
    """df rounds up."""
    while True:
        before, room = os.statvfs(tmp_path), os.statvfs(tmp_path)
        said = subprocess.run(
            ["df", "--output=pcent", str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience(20),
        ).stdout.split()[-1]
        if (before.f_bfree, before.f_bavail) == (room.f_bfree, room.f_bavail):
            break
    of_df = {
        "size_bytes": room.f_blocks * room.f_frsize,
        "free_bytes": room.f_bfree * room.f_frsize,
        "available_bytes": room.f_bavail * room.f_frsize,
    }
    found = accounts.df(scan(counted=of_df, free={"size_bytes": 0}))
    assert found is not None and found.sentence.startswith(f"df says {said[:-1]} % of")
    nearly = accounts.df(scan(counted=counted(1000, 549, 549) | {"free_bytes": 549 * MIB - 1}))
    assert nearly is not None and nearly.sentence.startswith("df says 46 % of")


def xfs(**more: Any) -> ScanResult:
    return scan(source={"file_system": "xfs", **more.pop("source", {})}, **more)


def test_an_empty_xfs_keeps_what_df_counts_as_in_use() -> None:
    """100 TiB with reverse mapping and reflink were 9 % full when they were new."""
    large = xfs(counted=counted(62, 24, 24))
    found = accounts.kept(large)
    assert found is not None and found.level == "fine"
    assert found.sentence.startswith("XFS keeps 4 MiB (6 %) of what is free for its own trees")
    assert "rmapbt=0" in found.do and "copied" in found.cost
    assert accounts.kept(xfs(counted=counted(62, 25, 25))) is None, "4.7 %"
    assert accounts.kept(scan(counted=counted(62, 24, 24))) is None, "ext4"
    waiting = large.counts.model_copy(update={"delayed_extents": 1})
    assert accounts.kept(large.model_copy(update={"counts": waiting})) is None
    image = accounts.kept(xfs(reserved_bytes=4 * MIB, source={"mount_point": None}))
    assert image is not None and image.sentence == found.sentence


def test_an_xfs_that_grew_from_a_small_one_has_many_groups() -> None:
    def of(groups: int, size: int, kind: str = "xfs") -> Consequence | None:
        found = scan(source={"file_system": kind, "size_bytes": size})
        return accounts.groups(found.model_copy(update={"group_count": groups}))

    found = of(20_000, 20_000 * 512 * MIB)
    assert found is not None and found.level == "attention" and found.cost
    assert found.sentence.startswith("XFS has 20,000 groups of 512 MiB, as of a file system that")
    assert of(400, 400 << 29) is not None and of(399, 399 << 29) is None
    assert of(400, 400 << 36) is None and of(400, (400 << 36) - 1) is not None
    assert of(20_000, 20_000 * 128 * MIB, "ext4") is None


def test_df_differs_by_what_is_free_on_a_seed_and_of_what_is_read_only() -> None:
    def of(code: str, available: int = 2) -> str:
        found = scan(source={"file_system": "btrfs"}, counted=counted(64, 60, available))
        note = Note(code=code, text="It is so")
        said = accounts.df(found.model_copy(update={"notes": [note]}))
        assert said is not None
        return said.sentence

    assert "what is free on a seed device, which no one can have, is in use here" in of(
        "seed_device"
    )
    assert of("read_only_device", 0).endswith("so that it calls nothing available")
    assert of("read_only_device").endswith("calls what is free in chunks not available")


def test_what_is_on_too_few_devices_for_copies_is_told() -> None:
    def of(unpaired: int | None) -> tuple[Consequence | None, str]:
        source = {"file_system": "btrfs"}
        found = scan(source=source, counted=counted(32, 16, 4), unpaired_bytes=unpaired)
        df = accounts.df(found)
        assert df is not None
        return accounts.device(found), df.sentence

    said, by_df = of(64 * MIB // 20 + 1)
    assert said is not None and said.level == "attention" and said.cost
    assert said.sentence.startswith("3.2 MiB (5 %) of the devices no file can have: RAID writes")
    assert said.do.startswith("btrfs device usage ")
    assert "3.2 MiB in no chunk, on too few devices for its RAID, are free here" in by_df
    assert of(64 * MIB // 20)[0] is None
    for nothing in (0, None):
        assert "too few devices" not in of(nothing)[1]


def test_a_device_that_is_missing_is_told() -> None:
    note = Note(code="missing_device", text="1 of 2 devices is not there")
    found = scan(source={"file_system": "btrfs"})
    assert accounts.device(found) is None
    said = accounts.device(found.model_copy(update={"notes": [note]}))
    assert said is not None and said.level == "attention" and said.cost
    assert said.sentence.startswith("A device of this btrfs is missing")
    assert "btrfs replace start NUMBER NEW " in said.do
