"""What a scan says of real file systems that are full, or have no room although there is some."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.scan.consequences import consequences
from fsgauge.scan.consequences.rule import available_bytes
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scan, run
from tests.rigs.scanning import (
    KEEP_SIZE,
    PUNCH_HOLE,
    allocated,
    as_user,
    fill,
    mounted,
    said,
    use_up_inodes,
)

pytestmark = pytest.mark.root


def test_inodes_used_up(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 64, "mkfs.ext4", "-q", "-N", "16") as (point, device):
        use_up_inodes(point)
        found = said(scan(point))
        assert next(iter(found)) == "inodes", found
        assert found["inodes"].sentence.startswith("No new file can be made: all ")
    assert "No new file can be made" in said(scan(device))["inodes"].sentence


def test_xfs_without_a_piece_for_inodes(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    mkfs = ("mkfs.xfs", "-q", "-f", "-i", "sparse=0", "-d", "agcount=2")
    with mounted(make_loop, tmp_path, 400, *mkfs) as (point, device):
        size = fill(point / "hog", MEBIBYTE)
        fill(point / "rest", 4096)
        file = os.open(point / "hog", os.O_RDWR)
        for at in range(0, size, 32768):
            allocated(file, at, 28672, PUNCH_HOLE | KEEP_SIZE)
        os.fsync(file)
        os.close(file)
        for name in ("hog", "rest"):  # lets go of what was allocated beyond the end
            os.truncate(point / name, (point / name).stat().st_size)
        use_up_inodes(point)
        found = said(scan(point))
        assert next(iter(found)) == "inode_chunk", found
        assert found["inode_chunk"].level == "stop" and found["inode_chunk"].do
    assert said(scan(device))["inode_chunk"].sentence == found["inode_chunk"].sentence


def test_what_is_kept_for_root(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 64, "mkfs.ext4", "-q", "-m", "10") as (point, device):
        room = os.statvfs(point)
        file = os.open(point / "hog", os.O_CREAT | os.O_RDWR)
        assert allocated(file, 0, room.f_bavail * room.f_frsize)
        os.close(file)
        run("sync", "--file-system", str(point))
        found = said(scan(point))
        assert next(iter(found)) == "full", found
        assert "is kept for root" in found["full"].sentence and "tune2fs" in found["full"].do
    assert "is kept for root" in said(scan(device))["full"].sentence


FULL = {
    "ext4": ("mkfs.ext4", "-q", "-m", "0"),
    "ext4 without journal": ("mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal"),
    "xfs": ("mkfs.xfs", "-q", "-m", "rmapbt=0,reflink=0"),
    "xfs rmapbt reflink": ("mkfs.xfs", "-q", "-m", "rmapbt=1,reflink=1"),
    "btrfs single": ("mkfs.btrfs", "-q", "-m", "single", "-d", "single"),
    "ext2": ("mkfs.ext2", "-q", "-m", "0"),
    "ext3": ("mkfs.ext3", "-q"),
    "ext4 bigalloc": ("mkfs.ext4", "-q", "-m", "0", "-O", "bigalloc", "-C", "65536"),
    "xfs 64 KiB": ("mkfs.xfs", "-q", "-b", "size=65536"),
    "xfs 1 KiB": ("mkfs.xfs", "-q", "-b", "size=1024"),
    "xfs tiny groups": ("mkfs.xfs", "-q", "--unsupported", "-d", "agsize=16m", "-l", "size=8m"),
    "btrfs mixed": ("mkfs.btrfs", "-q", "--mixed"),
    "btrfs dup": ("mkfs.btrfs", "-q", "-m", "dup", "-d", "dup"),
}


@pytest.mark.parametrize("name", FULL)
def test_full_of_each_kind(
    name: str, make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    with mounted(make_loop, open_folder, 384, *FULL[name]) as (point, device):
        names = ("large", "small")
        for path in names:
            (point / path).touch()
        for path, step in zip(names, (MEBIBYTE, 4096), strict=True):
            fill(point / path, step)
        # Read-only, XFS would give back what it keeps.
        run("sync", "--file-system", str(point))
        whole, by_user = scan(point), as_user(engine.binary, open_folder, point)
        assert whole.problems == [] and whole.free is not None
    image = scan(device)
    assert image.free is not None and image.free.size_bytes == whole.free.size_bytes
    for each in (whole, by_user, image):
        rule, first = consequences(each)[0]
        assert first.level == "stop" and rule.name in ("full", "chunks"), (name, first)
        assert first.sentence.startswith(("It is full: ", "There is no room for data: ")), first


def test_btrfs_with_room_on_one_of_two_devices(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    other = make_loop(900 * MEBIBYTE)
    mkfs = ("mkfs.btrfs", "-q", "-f", "-d", "raid1", "-m", "raid1", other)
    try:
        with mounted(make_loop, tmp_path, 300, *mkfs) as (point, _):
            for name, step in (("large", MEBIBYTE), ("small", 4096)):
                fill(point / name, step)
            run("sync", "--file-system", str(point))
            rule, first = consequences(scan(point))[0]
    finally:
        run("btrfs", "device", "scan", "--forget", other)
    assert (rule.name, first.level) == ("full", "stop")
    assert first.sentence.startswith(
        "It is full: no room for new data. No chunk is made of the 600"
    )


def test_a_sparse_image_on_a_file_system_that_is_full(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """Of a gibibyte that ext4 counts as free no block finds a place."""
    with mounted(make_loop, open_folder, 256, "mkfs.ext4", "-q", "-m", "0") as (host, _):
        image, point = host / "image", open_folder / "inside"
        image.touch()
        os.truncate(image, 1024 * MEBIBYTE)
        run("mkfs.ext4", "-q", "-O", "^has_journal", str(image))
        point.mkdir()
        run("mount", "-o", "loop,noinit_itable", str(image), str(point))
        try:
            before = said(scan(point))["host"]
            for name, step in (("large", MEBIBYTE), ("small", 4096)):
                fill(host / name, step)
            found = [scan(point), as_user(engine.binary, open_folder, point), scan(image)]
        finally:
            for name in ("large", "small"):  # what is written at the end has its place
                (host / name).unlink(missing_ok=True)
            run("umount", str(point))
        assert "host" not in said(scan(host)), "it is in a file that finds room"
    assert before.level == "attention" and "can be relied on: it is in" in before.sentence
    for each in found:
        first = said(each)["host"]
        assert first.level == "stop" and f"it is in {image}, of which" in first.sentence, first
        assert each.room.host_file is not None and each.room.host_file.available_bytes < MEBIBYTE


def test_btrfs_whose_metadata_has_no_room(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    mkfs = ("mkfs.btrfs", "-q", "-m", "single")
    options = "max_inline=2048"
    with mounted(make_loop, open_folder, 256, *mkfs, options=options) as (point, device):
        # All chunks are given to data, then data is given back.
        (point / "small").touch()
        fill(point / "large", MEBIBYTE)
        fill(point / "small", 4096)
        (point / "large").unlink()
        run("sync", "--file-system", str(point))
        with pytest.raises(OSError, match="No space left"):
            for number in range(400_000):
                (point / f"inline-{number}").write_bytes(b"x" * 2000)
        run("mount", "-o", "remount,ro", str(point))
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
    image = scan(device)
    for each in (by_root, by_user, image):
        rule, first = consequences(each)[0]
        assert rule.name == "chunks" and first.level == "stop", first
        assert "chunks for metadata are full" in first.sentence and "balance" in first.do
    assert len({said(each)["chunks"].sentence for each in (by_root, by_user, image)}) == 1
    assert by_root.room.metadata_reserve_bytes == image.room.metadata_reserve_bytes
    assert by_root.free is not None and image.free is not None
    assert by_root.free.metadata == image.free.metadata


def test_an_xfs_whose_inodes_have_their_share_of_it(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    mkfs = ("mkfs.xfs", "-q", "-f", "-i", "maxpct=1")
    with mounted(make_loop, tmp_path, 384, *mkfs) as (point, device):
        with pytest.raises(OSError, match="No space left"):
            for number in range(100_000):
                (point / f"f{number}").touch()
        run("mount", "-o", "remount,ro", str(point))
        on_it = scan(point)
    image = scan(device)
    assert on_it.room.inodes == image.room.inodes
    for each in (on_it, image):
        rule, first = consequences(each)[0]
        assert rule.name == "inodes" and first.sentence.startswith("No new file can be made: all ")
    assert "xfs_growfs -m 50" in said(on_it)["inodes"].do


@pytest.mark.parametrize("features", ["rmapbt=0,reflink=0", "rmapbt=0", "rmapbt=1"])
def test_inodes_and_room_of_an_xfs_are_those_of_statfs(
    features: str, make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 512, "mkfs.xfs", "-q", "-f", "-m", features) as (
        point,
        device,
    ):
        for number in range(300):
            (point / f"f{number}").write_bytes(b"x" * 9000)
        # Read-only, XFS would give back what it keeps.
        run("sync", "--file-system", str(point))
        on_it = scan(point)
    image = scan(device)
    assert on_it.room.counted is not None
    apart = abs(available_bytes(image) - on_it.room.counted.available_bytes)
    assert apart <= 16 * 4096 and image.room.reserved_bytes
    assert on_it.room.inodes is not None and image.room.inodes is not None
    assert on_it.room.inodes.total == pytest.approx(image.room.inodes.total, abs=16 * 8)


def filled(point: Path, first: int, names: int) -> int:
    (point / "many").mkdir(exist_ok=True)
    (point / f"one-{first}").touch()
    for number in range(first, first + names):
        os.link(point / f"one-{first}", point / "many" / f"{number:0240}")
    return names


def test_a_folder_whose_index_cannot_be_read_is_named(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """Without checksums the kernel lists such a folder all the same, name after name."""
    mkfs = ("mkfs.ext4", "-q", "-b", "1024", "-O", "^metadata_csum")
    with mounted(make_loop, tmp_path, 128, *mkfs) as (point, device):
        with pytest.raises(OSError, match="No space left"):
            filled(point, 0, 60_000)
        run("umount", str(point))
        block = subprocess.run(
            ["debugfs", "-R", "bmap /many 0", device],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience(60),
        ).stdout
        with Path(device).open("rb+") as disk:
            # The number of entries in the root, behind its header.
            disk.seek(int(block) * 1024 + 34)
            disk.write(bytes(2))
        run("mount", device, str(point))
        found = scan(point)
    assert "folder_index" not in said(found)
    (note,) = [note for note in found.notes if note.code == "folder_index_unread"]
    assert note.text.startswith(f"whether {point}/many takes more names is not known: index of a")
    assert "its block 0 contradicts itself" in note.text and f"e2fsck -fn {device}" in note.text
    image = scan(device)
    assert [problem.code for problem in image.problems] == ["damaged"]


def test_a_folder_whose_index_is_full(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """Of 1 KiB blocks: two levels take some tens of thousands of long names."""
    mkfs = ("mkfs.ext4", "-q", "-b", "1024")

    with mounted(make_loop, open_folder, 128, *mkfs) as (point, device):
        filled(point, 0, 10_000)
        assert "folder_index" not in said(scan(point))
        with pytest.raises(OSError, match="No space left"):
            filled(point, 10_000, 60_000)
        run("mount", "-o", "remount,ro", str(point))
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
    image = scan(device)
    for each in (by_root, image):
        rule, first = consequences(each)[0]
        assert rule.name == "folder_index" and first.level == "stop"
        assert first.sentence.startswith(
            "New names are refused in a folder, although there is room"
        )
        assert "large_dir" in first.do and first.cost
    on_disk, on_it = image.room.full_folders, by_root.room.full_folders
    assert [each.name for each in on_disk] == ["/many"] and len(on_it) == 1
    assert on_it[0].full_index_blocks == on_disk[0].full_index_blocks >= 1
    assert on_it[0].index_blocks == on_disk[0].index_blocks == 123
    assert any(note.code == "folder_index_unread" for note in by_user.notes)
    run("tune2fs", "-O", "large_dir", device)
    run("mount", device, str(open_folder / "mounted"))
    try:
        filled(open_folder / "mounted", 100_000, 5000)
        assert "folder_index" not in said(scan(open_folder / "mounted"))
    finally:
        run("umount", str(open_folder / "mounted"))


def test_quotas_that_are_used_up(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    mkfs = ("mkfs.xfs", "-q", "-f")
    try:
        with mounted(make_loop, tmp_path, 384, *mkfs, options="uquota,pquota") as (point, _):
            limit = "limit -u bhard=8m 4321"
            run("xfs_quota", "-x", "-c", limit, str(point))
            point.chmod(0o777)
            script = f"head -c 20M /dev/zero > {point}/mine; sync -f {point}"
            command = ["setpriv", "--reuid=4321", "--clear-groups", "sh", "-c", script]
            subprocess.run(command, check=False, capture_output=True, timeout=patience(60))
            found = said(scan(point))
            assert "user 4321 has its 8 MiB" in found["quota"].sentence, found
    except (AssertionError, subprocess.CalledProcessError) as error:
        if "mount" in str(error) or "quota" in str(error).split("'")[0]:
            pytest.skip(f"this kernel has no quotas: {error}")
        raise


def test_a_group_of_subvolumes_of_btrfs_has_its_limit(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 512, "mkfs.btrfs", "-q") as (point, device):
        run("btrfs", "subvolume", "create", str(point / "home"))
        run("btrfs", "quota", "enable", str(point))
        run("btrfs", "qgroup", "limit", "64M", str(point / "home"))
        assert "quota" not in said(scan(point))
        with pytest.raises(OSError, match="quota"), (point / "home" / "game").open("wb") as file:
            for _ in range(200):
                file.write(bytes(MEBIBYTE))
                file.flush()
                os.fsync(file.fileno())
        run("sync", "--file-system", str(point))
        by_root = scan(point)
    rule, first = consequences(by_root)[0]
    assert rule.name == "quota" and "has its 64 MiB" in first.sentence, first
    assert "qgroup 0/" in first.sentence and "btrfs qgroup" in first.do
    image = scan(device)
    assert image.room.full_quotas == by_root.room.full_quotas and not image.problems
    assert "scan.quotas_unread" not in {note.code for note in image.notes}
