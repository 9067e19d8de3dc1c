"""Space that no file has: from which share on it is said, of what, and where it is not known."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Note, ScanProblem, ScanResult
from fsgauge.scan.consequences import consequences, unseen
from tests.scan_example import changed
from tests.unit.scan.consequences.test_no_space import MIB, scan

MOUNTED = {"path": "/srv", "mount_point": "/srv"}


def lost(mebibytes: float, *, source: dict[str, Any] | None = None, **changes: Any) -> ScanResult:
    """64 MiB of which 28 are free, and so many that no file has."""
    room = {"size_bytes": 64 * MIB, "free_bytes": 28 * MIB, "available_bytes": 28 * MIB}
    found = scan(
        counted=room, source=MOUNTED | (source or {}), inodes={"total": 1280, "free": 1000}
    )
    tables = 4096 * max(280, found.counts.files + found.counts.folders)
    had = int((36 - mebibytes) * MIB) - tables
    counts = found.counts.model_copy(update={"extent_bytes": had})
    return found.model_copy(update={"problems": [], "counts": counts} | changes)


def test_from_five_percent_on_it_is_said() -> None:
    assert unseen.unseen(lost(3.19)) is None
    found = unseen.unseen(lost(3.21))
    assert found is not None and found.level == "attention"
    assert found.sentence.startswith("3.21 MiB (5 %) are in use, and no file that was found here")
    assert "losetup" in found.do


def test_under_another_mount() -> None:
    note = Note(code="other_mounts", text="1 folder")
    found = unseen.unseen(lost(9, notes=[note]))
    assert found is not None and "mounted over" in found.sentence
    assert found.do.startswith("mount --bind /srv /mnt && fsgauge scan /mnt") and found.cost


def full_btrfs(mebibytes: float, **source: Any) -> ScanResult:
    """64 MiB of which 40 are data, all in use, and so many of them that no file has."""
    found = lost(0, source={"file_system": "btrfs", "size_bytes": 64 * MIB} | source)
    assert found.free is not None
    own = {
        "size_bytes": 8 * MIB,
        "free_bytes": 6 * MIB,
        "free_device_bytes": 12 * MIB,
        "system_bytes": MIB,
        "system_free_bytes": MIB,
    }
    counted = {"size_bytes": 64 * MIB, "free_bytes": 18 * MIB, "available_bytes": 0}
    dump = found.model_dump(mode="json")
    dump["free"] |= {"size_bytes": 0, "device_bytes": 0, "unallocated_bytes": 0, "metadata": own}
    dump["room"] |= {"counted": counted, "metadata_reserve_bytes": 2 * MIB}
    tables = 4096 * max(280, found.counts.files + found.counts.folders)
    dump["counts"]["extent_bytes"] = int((40 - mebibytes) * MIB) - tables
    return ScanResult.model_validate(dump)


def test_a_full_btrfs_has_it_by_statfs() -> None:
    """46 MiB are counted: 4 of metadata in two copies, 2 of the reserve, 40 of data."""
    assert unseen.unseen(full_btrfs(3)) is None
    found = unseen.unseen(full_btrfs(4))
    assert found is not None and found.sentence.startswith("4 MiB (6 %) are in use")
    assert "btrfs filesystem defragment -r -t 32M /srv; of files" in found.do
    assert unseen.unseen(full_btrfs(4, mount_point=None)) is not None, "with its counters"
    first, second = (said for _, said in consequences(full_btrfs(4))[:2])
    assert first.sentence.startswith("It is full") and second == found
    assert first.do.startswith("first see to the room of no use that is told below; then du ")
    alone = consequences(full_btrfs(3))[0][1]
    assert alone.do.startswith("du ")


def test_of_an_image_of_btrfs_all_subvolumes_were_read() -> None:
    found = full_btrfs(20, mount_point=None)
    room = found.room.model_copy(update={"counted": None})
    assert found.free is not None
    some = {"size_bytes": 4 * MIB, "device_bytes": 4 * MIB}
    free = found.free.model_copy(update=some)
    image = found.model_copy(update={"room": room, "free": free})
    said = unseen.unseen(image)
    assert said is not None and said.do.startswith("mount it; btrfs filesystem defragment")
    assert said.sentence.endswith("overwritten in part and are kept whole")
    note = Note(code="scan.deleted_subvolumes", text="1 deleted")
    said = unseen.unseen(image.model_copy(update={"notes": [note]}))
    assert said is not None and said.sentence.endswith("or to deleted subvolumes")
    unknown = image.model_copy(update={"free": found.free})
    assert unseen.unseen(unknown) is None, "no free byte tells how many copies data has"


def test_nilfs_keeps_old_states() -> None:
    found = unseen.unseen(lost(9, source={"file_system": "nilfs2"}))
    assert found is not None and "belong to checkpoints" in found.sentence
    assert found.do.startswith("lscp ") and found.cost


@pytest.mark.parametrize(
    "source", [{"path": "/srv/a"}, {"mount_point": None}, {"path": "/", "mount_point": "/srv"}]
)
def test_of_a_part_or_an_image_it_is_not_known(source: dict[str, Any]) -> None:
    assert unseen.unseen(lost(9)) is not None
    assert unseen.unseen(lost(9, source=source)) is None


def test_what_was_refused_may_have_it() -> None:
    example = scan().problems
    assert example, "the example has a problem"
    assert unseen.unseen(lost(9, problems=example)) is None


def test_lost_and_found_alone_may_be_refused() -> None:
    def refused(*places: str, code: str = "not_permitted") -> ScanResult:
        problem = {"code": code, "text": "", "count": len(places), "examples": list(places)}
        return lost(9, problems=[ScanProblem.model_validate(problem)])

    own = "/srv/lost+found: Permission denied"
    assert unseen.unseen(refused(own)) is not None
    for other in (refused("/srv/a: Permission denied"), refused(own, own), refused(own, code="io")):
        assert unseen.unseen(other) is None


def test_an_ordinary_user_is_told_what_root_alone_sees() -> None:
    whole = lost(9)
    deleted = {"files": 0, "size_bytes": 0, "all_processes": False, "largest": []}
    dump = whole.model_dump(mode="json")
    dump["room"]["deleted"] = deleted
    found = unseen.unseen(ScanResult.model_validate(dump))
    assert found is not None and "only root can look into" in found.sentence
    assert found.do == "sudo fsgauge scan /srv   (of a container: on its host)"


def test_of_an_xfs_whose_free_pieces_are_not_known_its_own_share_is_not_either() -> None:
    xfs = lost(9, source={"file_system": "xfs"})
    assert unseen.unseen(xfs) is not None and xfs.free is not None
    free = xfs.free.model_copy(update={"extents": None})
    assert unseen.unseen(xfs.model_copy(update={"free": free})) is None


def test_deleted_files_that_are_open_are_known() -> None:
    whole = lost(9)
    deleted = {"files": 1, "size_bytes": 6 * MIB, "all_processes": True, "largest": []}
    dump = whole.model_dump(mode="json")
    dump["room"]["deleted"] = deleted
    assert unseen.unseen(ScanResult.model_validate(dump)) is None


def test_shared_blocks_are_had_once() -> None:
    whole = lost(0)
    assert unseen.unseen(whole) is None
    shared = {"shared_bytes": 12 * MIB, "shared_once_bytes": 6 * MIB}
    counts = whole.counts.model_copy(update=shared)
    found = unseen.unseen(whole.model_copy(update={"counts": counts}))
    assert found is not None and found.sentence.startswith("6 MiB (9 %) are in use")


def test_whole_clusters_and_large_folders_are_what_files_take() -> None:
    whole = lost(9)
    had = whole.counts.extent_bytes
    room = whole.room.model_copy(update={"taken_bytes": had + 6 * MIB})
    assert unseen.unseen(whole.model_copy(update={"room": room})) is None
    room = whole.room.model_copy(update={"taken_bytes": had - 6 * MIB})
    assert unseen.unseen(whole.model_copy(update={"room": room})) is not None


def test_btrfs_without_its_metadata_and_with_every_copy_once() -> None:
    free = {
        "device_bytes": 56 * MIB,
        "unallocated_bytes": 10 * MIB,
        "metadata": {"size_bytes": 8 * MIB, "free_bytes": 4 * MIB, "free_device_bytes": 8 * MIB},
    }
    whole = lost(0, source={"file_system": "btrfs", "size_bytes": 100 * MIB})
    dump = whole.model_dump(mode="json")
    dump["free"] |= free
    dump["room"]["inodes"] = None
    dump["counts"] |= {"files": 0, "folders": 0, "extent_bytes": 0}
    found = unseen.unseen(ScanResult.model_validate(dump))
    # 100 less 10, less two copies of 8, is 74; half of it, less 28 free, is 9.
    assert found is not None and found.sentence.startswith("9 MiB (9 %) are in use")
    assert found.do.startswith("btrfs subvolume list /srv, then btrfs subvolume delete")


def test_what_is_free_on_a_seed_is_not_said_to_be_lost() -> None:
    found = lost(9)
    seeded = [Note(code="seed_device", text="It is so")]
    assert unseen.unseen(found) is not None
    assert unseen.unseen(found.model_copy(update={"notes": seeded})) is None


def broken(*codes: str, files: int = 1, **source: object) -> ScanResult:
    found = changed(source=dict(source))
    problems = [
        ScanProblem(code=code, text="It is so", count=3, examples=["table, byte 9\n"])
        for code in codes
    ]
    counts = found.counts.model_copy(update={"files": files, "extent_bytes": 4096 * files})
    return found.model_copy(update={"problems": problems, "counts": counts})


@pytest.mark.parametrize(
    ("codes", "why", "do"),
    [
        (["damaged", "truncated", "read_error"], "the device did not return", "dmesg | tail"),
        (["damaged", "truncated"], "the image ends", "copy the image again"),
        (["damaged"], "a structure is damaged", "e2fsck -fn /dev/x"),
    ],
)
def test_the_cause_comes_first_with_what_to_do(codes: list[str], why: str, do: str) -> None:
    rule, said = consequences(broken(*codes, file_system="ext4", device="/dev/x"))[0]
    assert rule.name == "unread" and said.level == "attention"
    assert why in said.sentence and "(3 places; first table, byte 9\\n)" in said.sentence
    assert do in said.do


def test_the_check_is_that_of_the_file_system() -> None:
    for file_system, tool in (("xfs", "xfs_repair -n"), ("btrfs", "btrfs check --readonly")):
        found = consequences(broken("damaged", file_system=file_system, device="/dev/x"))
        assert found[0][1].do == f"{tool} /dev/x"


def test_no_files_is_no_answer_where_files_may_be_hidden() -> None:
    def names(found: ScanResult) -> list[str]:
        return [rule.name for rule, _ in consequences(found)]

    assert "fragmentation" in names(broken(files=0))
    assert "fragmentation" not in names(broken("read_error", files=0))
    assert "unread" not in names(broken("not_permitted"))


def unclean(file_system: str, device: str = "/tmp/a b.img", **changes: object) -> ScanResult:
    found = broken(file_system=file_system, device=device, mount_point=None, **changes)
    return found.model_copy(update={"notes": [Note(code="scan.not_clean", text="It is so")]})


@pytest.mark.parametrize(
    ("found", "do"),
    [
        (
            unclean("xfs"),
            "cp --sparse=always '/tmp/a b.img' copy.img && mount -o loop,nouuid copy.img /mnt"
            " && fsgauge scan /mnt",
        ),
        (unclean("xfs", "/dev/vg/s"), "mount -o ro,nouuid /dev/vg/s /mnt && fsgauge scan /mnt"),
        (unclean("btrfs", "/dev/vg/s"), "mount -o ro /dev/vg/s /mnt && fsgauge scan /mnt"),
        (unclean("ext4", "/dev/vg/s"), "e2fsck -fy /dev/vg/s; fsgauge scan /dev/vg/s"),
    ],
)
def test_a_log_that_was_not_replayed_comes_before_what_is_said_of_the_rest(
    found: ScanResult, do: str
) -> None:
    """A copy of an XFS in use had "20 % full", and nothing was fragmented; it was 52 % full."""
    rule, said = consequences(found)[0]
    assert (rule.name, said.level, said.do) == ("unread", "attention", do)
    assert said.sentence.endswith("its log holds changes that are not counted here")
    assert said.cost.startswith("the log is replayed")
    full = found.model_copy(
        update={"counts": found.counts.model_copy(update={"files": 0, "extent_bytes": 0})}
    )
    assert "fragmentation" not in [rule.name for rule, _ in consequences(full)]
    assert found.free is not None
    nothing = found.model_copy(
        update={"free": found.free.model_copy(update={"size_bytes": 0, "unallocated_bytes": 0})}
    )
    assert [rule.name for rule, _ in consequences(nothing)][:2] == ["unread", "full"]


@pytest.mark.parametrize(
    ("file_system", "device", "do"),
    [
        (
            "ext4",
            "/a.img",
            "cp --sparse=always /a.img copy.img && e2fsck -fy copy.img; fsgauge scan copy.img",
        ),
        ("ext4", "/dev/x", "e2fsck -fy /dev/x; fsgauge scan /dev/x"),
        (
            "xfs",
            "/dev/x",
            "mount -o ro,nouuid /dev/x /mnt && umount /mnt && xfs_repair -n /dev/x",
        ),
        (
            "btrfs",
            "/a.img",
            "cp --sparse=always /a.img copy.img && mount -o loop copy.img /mnt && umount /mnt"
            " && btrfs check --readonly copy.img",
        ),
    ],
)
def test_damage_and_a_log_that_was_not_replayed_are_both_told(
    file_system: str, device: str, do: str
) -> None:
    """What the log holds may be what is missing: the damage alone was told, and fsck -n, which
    leaves the log alone."""
    both = unclean(file_system, device)
    both = both.model_copy(update={"problems": broken("damaged").problems})
    rule, said = consequences(both)[0]
    assert (rule.name, said.do) == ("unread", do)
    assert "a structure is damaged (3 places; first table, byte 9\\n); besides," in said.sentence
    assert said.sentence.endswith(
        "its log holds changes that are not counted here: what is missing may stand there"
    )
    assert said.cost.startswith("the log is replayed, which writes to")


@pytest.mark.parametrize(("code", "do"), [("truncated", "copy the image"), ("read_error", "dmesg")])
def test_what_the_device_hides_is_got_first_and_the_log_is_told_too(code: str, do: str) -> None:
    both = unclean("xfs", "/dev/x").model_copy(update={"problems": broken(code).problems})
    said = consequences(both)[0][1]
    assert said.sentence.endswith("besides, its log holds changes that are not counted here")
    assert said.do.startswith(do) and "mount" not in said.do


def test_a_damaged_image_that_is_mounted_is_not_replayed_in_a_copy() -> None:
    both = unclean("ext4").model_copy(update={"problems": broken("damaged").problems})
    mounted = both.source.model_copy(update={"mount_point": "/srv"})
    said = consequences(both.model_copy(update={"source": mounted}))[0][1]
    assert said.do == "e2fsck -fn '/tmp/a b.img'" and "besides, its log" in said.sentence


def test_what_has_no_log_is_not_said_to_have_one() -> None:
    note = Note(code="scan.not_written", text="It is so")
    said = consequences(unclean("ext4").model_copy(update={"notes": [note]}))[0][1]
    assert said.sentence.endswith("some changes were not written, and are not counted here")
    assert said.cost == "e2fsck writes to the copy"


def test_an_image_that_is_mounted_is_scanned_where_it_is_mounted() -> None:
    found = unclean("ext4")
    mounted = found.source.model_copy(update={"mount_point": "/srv"})
    assert (
        consequences(found.model_copy(update={"source": mounted}))[0][1].do == "fsgauge scan /srv"
    )
