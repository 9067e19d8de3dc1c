"""Space that no file has: from which share on it is said, of what, and where it is not known."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Note, ScanProblem, ScanResult
from fsgauge.scan.consequences import unseen
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
    assert found is not None and "root alone sees" in found.sentence
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
