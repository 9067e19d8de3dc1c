"""What a scan says of situations that users reported, on real file systems."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.scan.consequences import consequences
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
)

pytestmark = pytest.mark.root
NEARLY = {
    "ext4": ("mkfs.ext4", "-q", "-m", "0"),
    "xfs": ("mkfs.xfs", "-q", "-m", "rmapbt=0,reflink=0"),
    "btrfs": ("mkfs.btrfs", "-q", "-m", "dup", "-d", "single"),
}


@pytest.mark.parametrize("kind", NEARLY)
def test_nearly_full_is_said_before_there_is_no_room(
    kind: str, make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """unix.stackexchange.com 328132: a ring buffer keeps its volumes so."""
    with mounted(make_loop, open_folder, 512, *NEARLY[kind]) as (point, device):
        room = os.statvfs(point)
        left = room.f_bavail * room.f_frsize - 512 * MEBIBYTE // 25
        file = os.open(point / "hog", os.O_CREAT | os.O_RDWR)
        assert allocated(file, 0, left // 2)
        run("sync", "--file-system", str(point))
        assert "full" not in said(scan(point))
        assert allocated(file, left // 2, left - left // 2)
        os.close(file)
        point.chmod(0o755)
        # Read-only, XFS would give back what it keeps.
        run("sync", "--file-system", str(point))
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
    for each in (by_root, by_user, scan(device)):
        rule, first = consequences(each)[0]
        assert (rule.name, first.level) == ("full", "attention"), first
        assert first.sentence.startswith("It is nearly full: ") and first.do


def test_an_ext4_folder_whose_names_were_deleted(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """blogs.oracle.com, "Space Management With Large Directories in Ext4"."""
    with mounted(make_loop, open_folder, 128, "mkfs.ext4", "-q") as (point, _):
        spool = point / "a spool"
        spool.mkdir()
        for number in range(10):
            (spool / f"kept-{number}").touch()
        names = [spool / f"{number:0200}" for number in range(20_000)]
        for name in names:
            os.link(spool / "kept-0", name)
        assert "emptied" not in said(scan(point))
        for name in names:
            name.unlink()
        point.chmod(0o755)
        for each in (scan(point), as_user(engine.binary, open_folder, point)):
            rule, first = consequences(each)[0]
            assert rule.name == "emptied" and "has 10 names" in first.sentence, first
        anew = said(scan(point))["emptied"].do.partition("; or")[0]
        subprocess.run(["sh", "-c", anew], check=True, timeout=patience(60))
        assert len(list(spool.iterdir())) == 10
        assert "emptied" not in said(scan(point))


def test_what_an_empty_xfs_keeps_comes_first(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """scylladb 22028: 8.2 TiB of 100 are in use when it is new."""
    mkfs = ("mkfs.xfs", "-q", "-K", "-l", "size=64m", "-m", "rmapbt=1,reflink=1")
    with mounted(make_loop, tmp_path, 4 << 20, *mkfs) as (point, _):
        found = scan(point)
        counted = found.room.counted
        assert counted is not None
        kept = 1 - counted.free_bytes / counted.size_bytes
        assert kept > 0.015
        # Few disks have room for an image so large.
        rule, first = next(each for each in consequences(found) if each[0].name != "host")
    assert rule.name == ("kept" if kept >= 0.05 else "df"), first
    assert "of the free space for itself" in first.sentence or "for its own trees" in first.sentence


def test_an_xfs_that_grew_from_an_image(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    """coreos/fedora-coreos-tracker 1183: 20,000 groups, and it mounted no more."""
    mkfs = ("mkfs.xfs", "-q", "--unsupported", "-d", "agsize=16m", "-l", "size=8m")
    with mounted(make_loop, tmp_path, 64, *mkfs) as (point, device):
        assert "groups" not in said(scan(point))
        run("umount", str(point))
        os.truncate(tmp_path / "disk-0.img", 8192 * MEBIBYTE)
        run("losetup", "--set-capacity", device)
        run("mount", device, str(point))
        run("xfs_growfs", str(point))
        rule, first = consequences(scan(point))[0]
        assert (rule.name, first.level) == ("groups", "attention"), first
        assert first.sentence.startswith("XFS has 512 groups of 16 MiB")
    assert consequences(scan(device))[0][1].sentence == first.sentence


def test_full_metadata_of_a_mirror(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    """g2p/bedup 90: RAID1, all given to chunks, metadata full."""
    other = make_loop(300 * MEBIBYTE)
    mkfs = ("mkfs.btrfs", "-q", "-f", "-d", "raid1", "-m", "raid1", other)
    try:
        with mounted(make_loop, tmp_path, 300, *mkfs, options="max_inline=2048") as (point, _):
            (point / "small").touch()
            size = fill(point / "large", MEBIBYTE)
            fill(point / "small", 4096)
            # Chunks that are empty are given back.
            file = os.open(point / "large", os.O_RDWR)
            for at in range(65536, size, 4 * MEBIBYTE):
                assert allocated(file, at, 4 * MEBIBYTE - 65536, PUNCH_HOLE | KEEP_SIZE)
            os.close(file)
            run("sync", "--file-system", str(point))
            with pytest.raises(OSError, match="No space left"):
                for number in range(400_000):
                    (point / f"inline-{number}").write_bytes(b"x" * 2000)
            run("sync", "--file-system", str(point))
            rule, first = consequences(scan(point))[0]
    finally:
        run("btrfs", "device", "scan", "--forget", other)
    assert (rule.name, first.level) == ("chunks", "stop"), first
    assert "chunks for metadata are full" in first.sentence and "-dusage=10" in first.do
