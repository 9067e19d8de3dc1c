"""What a scan says to do, done as it is printed: it helps, on real file systems."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.scan.consequences import consequences, fragmentation
from fsgauge.scan.consequences.rule import Consequence
from tests.long import long_but
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
MAKE = {
    "ext3": ("mkfs.ext3", "-q"),
    "ext4": ("mkfs.ext4", "-q"),
    "bigalloc": ("mkfs.ext4", "-q", "-O", "bigalloc", "-C", "16384"),
    "xfs": ("mkfs.xfs", "-q", "-m", "rmapbt=0,reflink=0"),
    "btrfs": ("mkfs.btrfs", "-q"),
}


def done(command: str, **words: Path) -> str:
    """What it prints; FILE and COPY are what the user puts there."""
    for word, path in words.items():
        command = command.replace(word, str(path))
    found = subprocess.run(
        ["sh", "-c", command], check=True, capture_output=True, text=True, timeout=patience(60)
    )
    return found.stdout


def part(found: Consequence, begin: str) -> str:
    """The command that begins so, without what is said of it."""
    whole = found.do[found.do.index(begin) :]
    return whole.partition(";")[0].partition(" gives ")[0].removesuffix(")")


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_what_a_program_allocated_behind_ends_comes_back(
    kind: str, make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """seaweedfs 613, kilobyte/compsize 27: XFS kept it from xfs_spaceman, btrfs from truncate."""
    with mounted(make_loop, tmp_path, 512, *MAKE[kind]) as (point, _):
        (point / "plain").write_bytes(os.urandom(3 * MEBIBYTE))
        volume = point / "a volume"
        volume.write_bytes(b"x" * 1036)
        file = os.open(volume, os.O_RDWR | os.O_APPEND)
        assert allocated(file, 0, 60 * MEBIBYTE, KEEP_SIZE)
        os.write(file, bytes(9000))
        os.fsync(file)
        os.close(file)
        run("sync", "--file-system", str(point))
        found = said(scan(point))["beyond_end"]
        if kind == "xfs":
            done(part(found, "xfs_spaceman"))
            assert "beyond_end" in said(scan(point))
        else:
            lists = found.do[found.do.index("find ") :].removesuffix(" lists such files")
            assert [line.split(" ", 2)[2] for line in done(lists).splitlines()] == [str(volume)]
        back = part(found, "cp -a" if kind == "btrfs" else "truncate")
        done(f"cd {point} && {back}", FILE=Path("'a volume'"))
        run("sync", "--file-system", str(point))
        left = said(scan(point))
        assert not {"beyond_end", "unseen"} & set(left)
        assert volume.stat().st_size == 10036


@pytest.mark.parametrize(
    "kind",
    long_but(["ext3", "bigalloc", "xfs", "btrfs"], ["ext3", "ext4", "bigalloc", "xfs", "btrfs"]),
)
def test_pieces_are_joined(kind: str, make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    """daos-stack/daos 6452 and files of ext3: e4defrag says [ NG ] there."""
    with mounted(make_loop, tmp_path, 400, *MAKE[kind]) as (point, _):
        files = [(point / f"grown-{number}").open("wb", buffering=0) for number in range(3)]
        for _ in range(120):
            for file in files:
                file.write(os.urandom(65536))
                os.fdatasync(file.fileno())
        for file in files:
            file.close()
        scanned = scan(point)
        do, _ = fragmentation._remedy(scanned, scanned.top[0])
        command = do.partition(";")[0].partition("   (")[0]
        worst = Path(scanned.top[0].name)
        assert str(worst) in command
        pieces = [number_of_pieces(worst)]
        done(f"cd {point} && {command}")
        run("sync", "--file-system", str(point))
        pieces.append(number_of_pieces(worst))
    assert pieces[0] > pieces[1], (command, pieces)


def number_of_pieces(path: Path) -> int:
    command = ["filefrag", str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=patience(9))
    return int(told.stdout.rpartition(": ")[2].split()[0])


def test_extents_that_btrfs_keeps_whole_are_told_when_it_is_full_and_of_an_image(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """canonical/lxd 9124, full: "delete files" was said; defragment leaves such files alone."""
    with mounted(make_loop, tmp_path, 512, *MAKE["btrfs"]) as (point, device):
        (point / "spare").write_bytes(os.urandom(20 * MEBIBYTE))
        end = fill(point / "image", MEBIBYTE)
        fill(point / "rest", 4096)
        punched(point / "image", end)
        found = said(scan(point))
        assert found["full"].level == "stop"
        assert found["full"].do.startswith("first see to the room of no use that is told below")
        (point / "spare").unlink()
        run("sync", "--file-system", str(point))
        run("umount", str(point))
        of_image = said(scan(device))["unseen"]
        run("mount", device, str(point))
        for each in (found["unseen"], of_image):
            assert "kept whole" in each.sentence and float(each.sentence.split()[0]) > 350
        assert "snapshots and subvolumes" not in of_image.sentence
        done(f"cd {point} && {part(of_image, 'cp -a')}", FILE=Path("image"))
        run("sync", "--file-system", str(point))
        assert not {"unseen", "full"} & set(said(scan(point)))


def punched(path: Path, end: int) -> None:
    """All but the first block of each MiB is a hole."""
    file = os.open(path, os.O_RDWR)
    for at in range(0, end, MEBIBYTE):
        assert allocated(file, at + 4096, MEBIBYTE - 4096, PUNCH_HOLE | KEEP_SIZE)
    os.fsync(file)
    os.close(file)


def test_a_mirror_without_its_second_device(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """btrfs-progs 791: nothing told it."""
    other, new = make_loop(400 * MEBIBYTE), make_loop(500 * MEBIBYTE)
    mkfs = ("mkfs.btrfs", "-q", "-f", "-d", "raid1", "-m", "raid1", other)
    try:
        with mounted(make_loop, open_folder, 400, *mkfs) as (point, device):
            (point / "file").write_bytes(os.urandom(40 * MEBIBYTE))
            assert "device" not in said(scan(point))
            run("umount", str(point))
            run("btrfs", "device", "scan", "--forget", other)
            run("wipefs", "--all", "--quiet", other)
            run("mount", "-o", "degraded", device, str(point))
            point.chmod(0o755)
            for each in (scan(point), as_user(engine.binary, open_folder, point)):
                rule, first = consequences(each)[0]
                assert rule.name == "device" and "is missing" in first.sentence, first
            lost = int(each.notes[0].text.split()[0])
            assert lost == 1
            command = part(first, "btrfs replace").partition(", or")[0]
            done(f"{command} -B -f", NUMBER=Path("1"), NEW=Path(new))
            assert "device" not in said(scan(point))
    finally:
        run("btrfs", "device", "scan", "--forget", new)
