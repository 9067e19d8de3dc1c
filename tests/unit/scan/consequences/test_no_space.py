"""Each rule of "no space although there is": just below its threshold it says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Note, ScanResult
from fsgauge.scan.consequences import no_space
from fsgauge.scan.consequences.rule import Consequence
from tests.scan_example import changed

MIB = 1 << 20


def scan(
    *, free: dict[str, Any] | None = None, source: dict[str, Any] | None = None, **room: Any
) -> ScanResult:
    """The example, 64 MiB with 28 MiB free, with parts of `room`."""
    found = changed(free=free, source=source)
    dump = found.model_dump(mode="json")
    dump["room"] |= room
    return ScanResult.model_validate(dump)


def said(found: Consequence | None) -> str:
    assert found is not None
    return f"{found.level}: {found.sentence}"


def btrfs(
    free: int, unallocated: int, metadata: int, *, reserve: int = MIB, **room: Any
) -> ScanResult:
    parts = {
        "size_bytes": free,
        "device_bytes": free,
        "unallocated_bytes": unallocated,
        "metadata": {
            "size_bytes": 24 * MIB,
            "free_bytes": metadata + 8 * MIB,
            "free_device_bytes": 2 * metadata,
            "system_bytes": 8 * MIB,
            "system_free_bytes": 8 * MIB,
        },
    }
    kind = {"file_system": "btrfs"}
    return scan(free=parts, source=kind, metadata_reserve_bytes=reserve, **room)


def test_btrfs_whose_metadata_is_full_though_data_has_room() -> None:
    found = no_space.metadata(btrfs(8 * MIB, MIB - 1, MIB))
    assert "chunks for metadata are full" in said(found)
    assert found is not None and "-dusage=10" in found.do and "device add" in found.cost
    assert "of 16 MiB 1 MiB are free, 1 MiB of it kept for deleting" in said(found)
    assert no_space.metadata(btrfs(8 * MIB, MIB, MIB)) is None
    assert no_space.metadata(btrfs(8 * MIB, 0, 5 * MIB - 1)) is not None
    assert said(no_space.metadata(btrfs(8 * MIB, 0, 5 * MIB))).startswith("attention")
    assert no_space.metadata(btrfs(8 * MIB, 0, 5 * MIB, reserve=2 * MIB)) is not None
    assert no_space.metadata(btrfs(MIB - 1, 0, 5 * MIB - 1)) is None, "data is full too"


def test_btrfs_whose_metadata_is_nearly_full_when_it_would_make_a_new_chunk() -> None:
    """From 80 % on, less 2 MiB, of what is in use without the reserve."""

    def of(own_free: int, free: int = 8 * MIB) -> Consequence | None:
        found = btrfs(free, 0, own_free)
        dump = found.model_dump(mode="json")
        dump["free"]["metadata"]["size_bytes"] = 108 * MIB
        return no_space.metadata(ScanResult.model_validate(dump))

    nearly = of(22 * MIB)
    assert said(nearly).startswith(
        "attention: The chunks for metadata are nearly full (of 100 MiB 22 MiB are free, 1 MiB of"
    )
    assert said(nearly).endswith("once they are full, nothing can be changed")
    assert nearly is not None and "-dusage=10" in nearly.do and nearly.cost
    assert of(22 * MIB + 1) is None
    assert said(of(5 * MIB - 1)).startswith("stop")
    little = btrfs(MIB, 0, 22 * MIB).model_dump(mode="json")
    little["free"]["metadata"]["size_bytes"] = 108 * MIB
    assert no_space.full(ScanResult.model_validate(little)) is None, "it was said"


def test_of_a_device_that_is_read_only_nothing_is_full() -> None:
    """Of a seed, and of a loop device made read-only, statfs(2) calls nothing available."""
    full = btrfs(8 * MIB, 9 * MIB, 8 * MIB, counted=counted(0))
    assert no_space.metadata(full) is not None
    note = Note(code="read_only_device", text="It is so")
    assert no_space.metadata(full.model_copy(update={"notes": [note]})) is None
    assert no_space.full(full.model_copy(update={"notes": [note]})) is None


def test_btrfs_that_makes_no_chunk_of_what_is_in_none() -> None:
    """As of RAID1 with room on one device alone: statfs(2) says so."""
    found = no_space.metadata(btrfs(8 * MIB, 9 * MIB, MIB, counted=counted(0)))
    assert "no chunk is made of the 9 MiB in none (on too few devices" in said(found)
    assert no_space.metadata(btrfs(8 * MIB, 9 * MIB, MIB, counted=counted(1))) is None


def test_btrfs_that_gave_most_of_itself_to_metadata() -> None:
    """kdave/btrfs-progs 467: 2 % were in use, and "nearly full: delete files" was said."""
    found = btrfs(3 * MIB, MIB - 1, 20 * MIB, counted=counted(3 * MIB))
    assert said(no_space.metadata(found)).startswith(
        "attention: There is little room for data: 3 MiB is free in its chunks and all of the"
    )
    chunks = no_space.metadata(found)
    assert chunks is not None and "-musage=10" in chunks.do and no_space.full(found) is None
    more = no_space.metadata(btrfs(4 * MIB, MIB - 1, 20 * MIB))
    assert more is None or "little room" not in more.sentence


def test_btrfs_whose_data_is_full_though_metadata_has_room() -> None:
    found = no_space.metadata(btrfs(0, 0, 8 * MIB))
    assert said(found).startswith("stop: There is no room for data: 0 B")
    assert found is not None and "-musage=10" in found.do
    assert no_space.metadata(btrfs(8 * MIB, 0, 8 * MIB)) is None


def test_of_a_file_system_in_a_file_with_holes_what_has_no_place_is_told() -> None:
    def of(sparse: int, available: int) -> Consequence | None:
        sizes = {"sparse_bytes": sparse * MIB, "available_bytes": available * MIB}
        return no_space.host(scan(host_file={"path": "/srv/a disk"} | sizes))

    nothing = of(40, 0)
    assert said(nothing).startswith(
        "stop: Of 28 MiB that are free nothing can be relied on: it is in /srv/a disk, of which"
        " 40 MiB are holes, and 0 B are available there."
    )
    assert nothing is not None and nothing.do.startswith("df '/srv/a disk' shows ") and nothing.cost
    assert said(of(40, 20)).startswith("attention: Of 28 MiB that are free 20 MiB can be")
    assert said(of(8, 4)).startswith("attention: Of 28 MiB that are free 24 MiB can be")
    assert of(40, 28) is None and of(8, 8) is None and no_space.host(scan()) is None


def counted(available: int, free: int = 4 * MIB) -> dict[str, int]:
    return {"size_bytes": 60 * MIB, "free_bytes": free, "available_bytes": available}


def test_what_is_kept_for_root_and_what_is_full() -> None:
    own = 64 * MIB // 50
    only = scan(counted=counted(0), reserved_bytes=own, free={"size_bytes": own})
    assert said(no_space.full(only)).startswith("stop: It is full: no room for new data; 1.27 MiB")
    of_ext3 = only.model_copy(
        update={"source": only.source.model_copy(update={"file_system": "ext3"})}
    )
    assert "is kept for root" in said(no_space.full(of_ext3))
    kept = scan(counted=counted(0), reserved_bytes=4 * MIB, free={"size_bytes": 4 * MIB})
    found = no_space.full(kept)
    assert "Ordinary users have no room: what is free, 4 MiB, is kept for root" in said(found)
    assert found is not None and found.do.startswith("tune2fs -m 1 /dev/fake")
    by_root = scan(counted=counted(0), reserved_bytes=65536, free={"size_bytes": 65536})
    of_ext2 = by_root.model_copy(
        update={"source": by_root.source.model_copy(update={"file_system": "ext2"})}
    )
    assert said(no_space.full(of_ext2)).startswith("stop: It is full: no room for new data; 64 KiB")
    nothing = scan(counted=counted(0, 0), free={"size_bytes": 0}, reserved_bytes=0)
    assert said(no_space.full(nothing)).startswith("stop: It is full: no room for new data")
    all_of_it = scan(counted=counted(4096), free={"size_bytes": 4096})
    assert said(no_space.full(all_of_it)).endswith("It is full: 4 KiB for new data")
    room = scan(counted=counted(64 * MIB // 1000 + 1), free={"size_bytes": 4 * MIB})
    assert said(no_space.full(room)).startswith("attention: It is nearly full: 65.5 KiB (0.1 %)")
    assert no_space.full(scan(counted=counted(0), free={"unread_bytes": 5})) is None


@pytest.mark.parametrize(
    ("kind", "follows"),
    [
        ("xfs", "XFS allocates less ahead from here on, so files that grow have more pieces"),
        ("ext4", "new files are written in more pieces from here on"),
        ("btrfs", "a balance, or to delete snapshots, needs room too"),
    ],
)
def test_under_five_per_cent_it_is_nearly_full_and_what_follows_is_said(
    kind: str, follows: str
) -> None:
    def of(available: int, **more: Any) -> Consequence | None:
        source = {"file_system": kind, "size_bytes": 1000 * MIB, **more}
        whole = counted(available, available) | {"size_bytes": 960 * MIB}
        return no_space.full(scan(source=source, counted=whole))

    found = of(50 * MIB - 1)
    assert said(found) == (
        f"attention: It is nearly full: 49.9 MiB (5.0 %) are left to ordinary users; {follows}"
    )
    assert found is not None and found.do.startswith("du --one-file-system")
    assert of(50 * MIB) is None
    image = of(50 * MIB - 1, mount_point=None)
    assert image is not None and image.do == "delete files, or enlarge the device"


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_folder_whose_project_has_its_quota_is_not_a_full_file_system(kind: str) -> None:
    own = counted(0, 0) | {"size_bytes": 10 * MIB}
    folder = {"file_system": kind, "path": "/fake/a folder"}
    found = no_space.full(scan(counted=own, reserved_bytes=0, source=folder))
    assert said(found).startswith(
        "stop: This folder is full: no room for new data, since its quota"
    )
    assert "(project) of 10 MiB is used up, although 28 MiB are free" in said(found)
    shown = "xfs_quota -x -c 'report -ugp -bi' /fake" if kind == "xfs" else "repquota -ugP /fake"
    assert found is not None and found.do.startswith(f"{shown}   (names it: the project of '/fake/")
    large = folder | {"size_bytes": 20 << 40}
    half = own | {"free_bytes": 5 * MIB, "available_bytes": 5 * MIB}
    assert no_space.full(scan(counted=half, source=large)) is None
    nearly = own | {"free_bytes": MIB // 2 - 1, "available_bytes": MIB // 2 - 1}
    assert said(no_space.full(scan(counted=nearly, source=large))).startswith(
        "attention: This folder is nearly full by its quota (project): 511 KiB (5.0 %) are left"
    )
    quota = [{"kind": "project", "id": 7, "of": "bytes", "limit": 10 * MIB}]
    assert no_space.full(scan(counted=own, full_quotas=quota, source=folder)) is None
    whole = counted(0, 0) | {"size_bytes": 48 * MIB}
    assert "It is full" in said(no_space.full(scan(counted=whole, source=folder)))


def test_what_a_new_file_takes_is_more_than_a_share_of_a_small_file_system() -> None:
    def of_xfs(available: int, block: int) -> Consequence | None:
        source = {"file_system": "xfs", "block_size_bytes": block, "size_bytes": 90 * MIB}
        return no_space.full(scan(source=source, counted=counted(available, 33 * MIB)))

    assert said(of_xfs(47 * 65536 - 1, 65536)).startswith("stop: It is full: 2.93 MiB for new data")
    assert said(of_xfs(47 * 65536, 65536)).startswith("attention: It is nearly full")
    assert said(of_xfs(108 * 1024 - 1, 1024)).startswith("stop")
    assert said(of_xfs(108 * 1024, 1024)).startswith("attention")

    def mixed(free: int, **room: Any) -> Consequence | None:
        found = btrfs(free, 0, 0, counted=counted(8 * MIB), **room)
        own = {"size_bytes": 4 * MIB, "system_bytes": 4 * MIB}
        own |= {"free_bytes": 4 * MIB, "system_free_bytes": 4 * MIB, "free_device_bytes": 4 * MIB}
        dump = found.model_dump(mode="json")
        dump["free"]["metadata"] |= own
        return no_space.full(ScanResult.model_validate(dump))

    assert said(mixed(3 * MIB + (1 << 18) - 1, reserve=2 * MIB)).startswith(
        "stop: It is full: 1.24 MiB for new data; 2 MiB is left"
    )
    assert said(mixed(3 * MIB + (1 << 18), reserve=2 * MIB)).startswith("attention")
    # Of an image the reserve is not known: it has at least so much.
    assert said(mixed((5 << 18) + 22 * 65536 - 1, reserve=0)).startswith("stop")
    assert said(mixed((5 << 18) + 22 * 65536, reserve=0)).startswith("attention")


def test_what_ext4_keeps_for_itself_is_so_many_clusters() -> None:
    """4,096 of them: of 64 KiB, 256 MiB; no tune2fs gives any of it back."""

    def of(kept: int, cluster: int | None) -> str:
        source = {"size_bytes": 20 << 30}
        room = {"counted": counted(0), "reserved_bytes": kept, "cluster_bytes": cluster}
        return said(no_space.full(scan(source=source, free={"size_bytes": kept}, **room)))

    assert "is kept for root" not in of(256 * MIB, 65536)
    assert "is kept for root" in of(257 * MIB, 65536)
    assert "is kept for root" in of(21 * MIB, 4096)
    # A 50th is the most that it can be.
    assert "is kept for root" not in of((20 << 30) // 50, None)
    assert "is kept for root" in of((20 << 30) // 50 + 1, None)


def test_room_on_too_few_devices_is_not_said_to_be_kept() -> None:
    found = no_space.full(btrfs(0, 600 * MIB, 60 * MIB, counted=counted(0)))
    assert said(found).startswith("stop: It is full: no room for new data. No chunk is made of the")
    assert "600 MiB in none: they are on too few devices" in said(found)
    assert found is not None and found.do.startswith("btrfs device usage /fake") and found.cost


def test_what_is_no_chunk_of_btrfs_is_no_room() -> None:
    def unmounted(unallocated: int) -> Consequence | None:
        return no_space.full(btrfs(0, unallocated, 0, reserve=0))

    assert said(unmounted(MIB - 1)).startswith("stop: It is full: no room for new data; 1023")
    assert said(unmounted(MIB)).startswith("attention: It is nearly full: 1 MiB (1.6 %)")


def test_quotas() -> None:
    quota = {"kind": "user", "id": 1000, "of": "bytes", "limit": 10 * MIB}
    files = {"kind": "project", "id": 7, "of": "inodes", "limit": 100}
    found = said(no_space.quota(scan(full_quotas=[quota, files])))
    assert "user 1000 has its 10 MiB, project 7 has its 100 files" in found
    assert "and 1 more" in said(no_space.quota(scan(full_quotas=[quota, files, quota, quota])))
    assert no_space.quota(scan()) is None
    group = quota | {"kind": "qgroup 0/", "id": 257}
    of_btrfs = no_space.quota(scan(full_quotas=[group], source={"file_system": "btrfs"}))
    assert "qgroup 0/257 has its 10 MiB" in said(of_btrfs)
    assert of_btrfs is not None
    assert of_btrfs.do == ("btrfs qgroup show -re /fake; btrfs qgroup limit 20971520 0/257 /fake")


@pytest.mark.parametrize(
    ("system", "quota", "command"),
    [
        ("xfs", ("user", 7, "bytes"), "xfs_quota -x -c 'limit -u bhard=200 7' /fake"),
        ("xfs", ("project", 7, "inodes"), "xfs_quota -x -c 'limit -p ihard=200 7' /fake"),
        ("ext4", ("group", 7, "bytes"), "repquota -ugP /fake; edquota -g 7"),
        ("ext4", ("project", 7, "bytes"), "repquota -ugP /fake; edquota -P 7"),
        ("btrfs", ("qgroup 1/", 7, "own bytes"), "btrfs qgroup limit -e 200 1/7 /fake"),
    ],
)
def test_a_quota_is_doubled(system: str, quota: tuple[str, int, str], command: str) -> None:
    full = dict(zip(("kind", "id", "of"), quota, strict=True)) | {"limit": 100}
    found = no_space.quota(scan(full_quotas=[full], source={"file_system": system}))
    assert found is not None and found.do.endswith(command) and found.cost


def test_what_is_free_in_the_only_chunk_for_metadata_is_no_room_for_data() -> None:
    """Every balance ended with no space left: there is nowhere to move it to."""

    def of(spare: int, size: int) -> ScanResult:
        found = btrfs(0, 0, spare, counted=counted(0, 0))
        source = found.source.model_copy(update={"size_bytes": size})
        return found.model_copy(update={"source": source})

    small = of(250 * MIB, 5 << 30)
    assert no_space.metadata(small) is None
    full = no_space.full(small)
    assert said(full).startswith("stop: It is full: no room for new data")
    assert full is not None and "then delete files" in full.do and "truncate --size=0" in full.do
    assert no_space.metadata(of(258 * MIB, 5 << 30)) is not None
    assert no_space.metadata(of(1000 * MIB, 100 << 30)) is None
