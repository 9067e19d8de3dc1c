"""What a scan says of space on real file systems that reports of users were about."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from fsgauge.cli.scan import _with_deleted
from fsgauge.engine.client import Engine
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import numbers_of
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scan, run
from tests.rigs.scanning import LIBC, allocated, as_user, mounted, said

pytestmark = pytest.mark.root


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_a_device_that_grew(
    kind: str,
    make_loop: MakeLoop,
    open_folder: Path,
    tmp_path: Path,
    scan: Scan,
    engine: Engine,
) -> None:
    """An ordinary user was told that the file system has the size of the device."""
    with mounted(make_loop, open_folder, 320, f"mkfs.{kind}", "-q") as (point, device):
        assert "device" not in said(scan(point))
        size_bytes = scan(point).source.size_bytes
        run("umount", str(point))
        os.truncate(tmp_path / "disk-0.img", 1024 * MEBIBYTE)
        run("losetup", "--set-capacity", device)
        run("mount", device, str(point))
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
        for each in (by_root, by_user):
            assert each.source.size_bytes == size_bytes
            assert said(each)["device"].sentence.startswith("704 MiB of the device are unused")
        grow = said(by_root)["device"].do.split()
        if kind == "ext4":  # mounted, it needs CAP_SYS_RESOURCE, which root of a container lacks
            run("umount", str(point))
            run("e2fsck", "-f", "-p", device)
            run(*grow)
            run("mount", device, str(point))
        else:
            run(*grow)
        grown = scan(point)
        assert "device" not in said(grown)
        assert grown.source.size_bytes > 2 * size_bytes


def test_a_mirror_of_devices_of_unlike_size(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """What is free on both is not the sum: df counted half of 1,200 MiB, and the scan all."""
    other = make_loop(900 * MEBIBYTE)
    mkfs = ("mkfs.btrfs", "-q", "-f", "-d", "raid1", "-m", "raid1", other)
    try:
        with mounted(make_loop, open_folder, 300, *mkfs) as (point, _):
            (point / "file").write_bytes(os.urandom(40 * MEBIBYTE))
            run("sync", "--file-system", str(point))
            point.chmod(0o755)
            by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
            counted = os.statvfs(point)
    finally:
        run("btrfs", "device", "scan", "--forget", other)
    available = counted.f_bavail * counted.f_frsize
    for each in (by_root, by_user):
        unpaired, free = each.room.unpaired_bytes, each.free
        assert unpaired is not None and free is not None and free.unallocated_bytes is not None
        assert abs(unpaired - 600 * MEBIBYTE) < 2 * MEBIBYTE
        # What can be had, by the kernel's own reckoning.
        both = free.size_bytes + (free.unallocated_bytes - unpaired) // 2
        assert abs(both - available) < 2 * MEBIBYTE, (both, available)
        found = said(each)
        assert "(50 %) of the devices no file can have" in found["device"].sentence
        assert "on too few devices for its RAID, are free here" in found["df"].sentence


@pytest.mark.parametrize(
    ("profile", "others", "left_mebibytes"),
    [("raid5", (300,), 600), ("raid6", (300, 300), 600), ("raid10", (300, 300), 300)],
)
def test_a_raid_of_devices_of_unlike_size(
    make_loop: MakeLoop,
    open_folder: Path,
    scan: Scan,
    profile: str,
    others: tuple[int, ...],
    left_mebibytes: int,
) -> None:
    """Of 900 MiB what the others have no parity or mirror for is what no file gets."""
    devices = [make_loop(size * MEBIBYTE) for size in others]
    mkfs = ("mkfs.btrfs", "-q", "-f", "-d", profile, "-m", "raid1", *devices)
    try:
        with mounted(make_loop, open_folder, 900, *mkfs) as (point, _):
            unpaired = scan(point).room.unpaired_bytes
            assert unpaired is not None
            assert abs(unpaired - left_mebibytes * MEBIBYTE) < 16 * MEBIBYTE
            with (point / "file").open("wb") as file:
                got = [allocated(file.fileno(), at << 20, MEBIBYTE) for at in range(1500)].count(
                    True
                )
            full = scan(point)
    finally:
        for device in devices:
            run("btrfs", "device", "scan", "--forget", device)
    expected = 600 if profile == "raid10" else 300
    assert 0.6 * expected < got < expected
    assert full.room.unpaired_bytes is not None
    assert abs(full.room.unpaired_bytes - left_mebibytes * MEBIBYTE) < 64 * MEBIBYTE


def test_an_image_that_is_longer_than_its_file_system(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    device, image = make_loop(64 * MEBIBYTE), tmp_path / "disk-0.img"
    run("mkfs.ext4", "-q", device)
    run("losetup", "--detach", device)
    os.truncate(image, 128 * MEBIBYTE)
    found = said(scan(image))["device"]
    assert found.sentence.startswith("64 MiB of the device")
    check, grow = (part.split() for part in found.do.split(" && "))
    subprocess.run([*check, "-p"], check=False, capture_output=True, timeout=patience(60))
    run(*grow)
    assert "device" not in said(scan(image))


def test_small_files_in_large_clusters(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    mkfs = ("mkfs.ext4", "-q", "-O", "bigalloc", "-C", "131072")
    with mounted(make_loop, open_folder, 512, *mkfs) as (point, _):
        point.chmod(0o755)
        for number in range(1000):
            (point / f"x{number}").write_bytes(b"x" * 100)
        run("sync", "--file-system", str(point))
        for each in (scan(point), as_user(engine.binary, open_folder, point)):
            assert each.room.cluster_bytes == 131072
            rule, first = consequences(each)[0]
            assert rule.name == "clusters" and "whole ones of 128 KiB" in first.sentence, first
            assert first.sentence.startswith("125 MiB (24 %)"), first


@pytest.mark.parametrize("mkfs", [("mkfs.ext4", "-q", "-b", "4096"), ("mkfs.xfs", "-q", "-f")])
def test_small_files_waste_their_last_blocks(
    mkfs: tuple[str, ...], make_loop: MakeLoop, open_folder: Path, scan: Scan
) -> None:
    with mounted(make_loop, open_folder, 384, *mkfs) as (point, device):
        for number in range(6000):
            (point / f"x{number}").write_bytes(b"x" * 100)
        run("sync", "--file-system", str(point))
        run("mount", "-o", "remount,ro", str(point))
        by_root = scan(point)
    image = scan(device)
    assert by_root.counts.tail_bytes == image.counts.tail_bytes == 6000 * (4096 - 100)
    for each in (by_root, image):
        assert said(each)["clusters"].sentence.startswith("22.8 MiB (6 %)"), said(each)


def test_what_ext4_keeps_for_itself_is_not_said_to_be_kept_for_root(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """Of clusters of 64 KiB it keeps up to 256 MiB, which no tune2fs gives back."""
    mkfs = ("mkfs.ext4", "-q", "-m", "0", "-O", "bigalloc", "-C", "65536")
    with mounted(make_loop, open_folder, 20_000, *mkfs) as (point, device):
        with (point / "all").open("wb") as file:
            size_bytes, piece_bytes = 0, 1 << 30
            while piece_bytes >= 65536:
                try:
                    os.posix_fallocate(file.fileno(), size_bytes, piece_bytes)
                    size_bytes += piece_bytes
                except OSError:
                    piece_bytes //= 2
        run("sync", "--file-system", str(point))
        point.chmod(0o755)
        for each in (scan(point), as_user(engine.binary, open_folder, point), scan(device)):
            assert said(each)["full"].sentence.startswith(
                "It is full: no room for new data; 256 MiB"
            )


def test_an_ordinary_user_sees_that_a_qgroup_is_used_up(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    with mounted(make_loop, open_folder, 512, "mkfs.btrfs", "-q") as (point, _):
        home = point / "home"
        run("btrfs", "subvolume", "create", str(home))
        run("btrfs", "quota", "enable", str(point))
        run("btrfs", "qgroup", "limit", "64M", str(home))
        point.chmod(0o755)
        assert as_user(engine.binary, open_folder, point).room.full_quotas == []
        with pytest.raises(OSError, match="quota"), (home / "game").open("wb") as file:
            for _ in range(200):
                file.write(bytes(MEBIBYTE))
                file.flush()
                os.fsync(file.fileno())
        run("sync", "--file-system", str(point))
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
        assert by_user.room.full_quotas == by_root.room.full_quotas != []
        rule, first = consequences(by_user)[0]
        assert rule.name == "quota" and "has its 64 MiB" in first.sentence, first
        run(*first.do.partition("; ")[2].split())
        (home / "game").write_bytes(bytes(80 * MEBIBYTE))
        assert "quota" not in said(scan(point))


def test_an_overlay_that_is_full_differs_from_df_by_what_is_kept_below(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 64, "mkfs.ext4", "-q", "-m", "10") as (point, _):
        for name in ("lower", "upper", "work", "merged"):
            (point / name).mkdir()
        options = f"lowerdir={point}/lower,upperdir={point}/upper,workdir={point}/work"
        run("mount", "-t", "overlay", "overlay", "-o", options, str(point / "merged"))
        try:
            room = os.statvfs(point / "merged")
            file = os.open(point / "merged" / "fill", os.O_CREAT | os.O_RDWR)
            os.posix_fallocate(file, 0, room.f_bavail * room.f_frsize)
            os.close(file)
            run("sync", "--file-system", str(point))
            found = scan(point / "merged")
        finally:
            run("umount", str(point / "merged"))
    rule, first = consequences(found)[0]
    assert (rule.name, first.level) == ("full", "stop")
    assert "that ordinary users cannot have as not available" in said(found)["df"].sentence
    assert any(f"what was written is in {point}/upper" in note.text for note in found.notes)


def test_a_deleted_file_that_is_mapped_alone_has_its_process(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    LIBC.mmap.restype = ctypes.c_void_p
    with mounted(make_loop, tmp_path, 128, "mkfs.ext4", "-q") as (point, _):
        path, size = point / "database", 32 * MEBIBYTE
        with path.open("wb+") as file:
            file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())
            where = LIBC.mmap(None, ctypes.c_size_t(size), 1, 1, file.fileno(), ctypes.c_long(0))
        try:
            path.unlink()
            rule, first = consequences(_with_deleted(scan(point)))[0]
        finally:
            LIBC.munmap(ctypes.c_void_p(where), ctypes.c_size_t(size))
    assert rule.name == "deleted" and f"({os.getpid()})" in first.sentence, first


def test_a_deleted_image_behind_a_loop_device_is_told_to_an_ordinary_user_too(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """What lost+found has, which is root's, is not known to others: they were told nothing."""
    with mounted(make_loop, open_folder, 128, "mkfs.ext4", "-q") as (point, _):
        image = point / "rootfs.img"
        image.write_bytes(os.urandom(32 * MEBIBYTE))
        made = subprocess.run(
            ["losetup", "--find", "--show", str(image)],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience(60),
        ).stdout.strip()
        try:
            image.unlink()
            run("sync", "--file-system", str(point))
            by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
        finally:
            run("losetup", "--detach", made)
    for each in (by_root, by_user):
        rule, first = consequences(each)[0]
        assert rule.name == "unseen" and first.sentence.startswith(("31.9 MiB", "32 MiB")), first
        assert "losetup -a | grep deleted" in first.do


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_of_a_mounted_device_that_is_gone_no_cause_is_invented(
    kind: str, make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """5 % of an XFS were said to be deleted files: its free pieces could not be read."""
    with mounted(make_loop, tmp_path, 400, f"mkfs.{kind}", "-q") as (point, _):
        for number in range(200):
            (point / f"f{number}").write_bytes(os.urandom(100_000))
        run("sync", "--file-system", str(point))
        Path("/proc/sys/vm/drop_caches").write_text("3\n")
        os.truncate(tmp_path / "disk-0.img", 100_000)
        found = scan(point)
    rule, first = consequences(found)[0]
    assert rule.name == "unread" and "the device did not return the data" in first.sentence
    assert "unseen" not in said(found)
    assert numbers_of(found)["size_bytes"] == 400 * MEBIBYTE
