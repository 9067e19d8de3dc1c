"""What a scan says of real file systems that are full, or have no room although there is some."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.cli.scan import _with_deleted
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ScanJob, ScanResult
from fsgauge.scan.consequences import consequences
from fsgauge.scan.consequences.rule import Consequence
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, run

pytestmark = pytest.mark.root
KEEP_SIZE, PUNCH_HOLE = 1, 2
LIBC = ctypes.CDLL(None, use_errno=True)


@contextmanager
def mounted(
    make_loop: MakeLoop, folder: Path, mebibytes: int, *mkfs: str, options: str = "rw"
) -> Iterator[tuple[Path, str]]:
    """A file system in use, and its device."""
    need_mkfs(mkfs[0].partition(".")[2])
    point = folder / "mounted"
    point.mkdir(exist_ok=True)
    device = make_loop(mebibytes * MEBIBYTE)
    run(*mkfs, device)
    run("mount", "-o", options, device, str(point))
    try:
        yield point, device
    finally:
        run("umount", str(point))


def allocated(file: int, at: int, length: int, mode: int = 0) -> bool:
    """Whether the kernel gave the room, or took it back."""
    found = LIBC.fallocate(file, mode, ctypes.c_long(at), ctypes.c_long(length))
    return bool(found == 0)


def fill(path: Path, step: int) -> int:
    """A file that takes all room in such steps; its size."""
    file, size = os.open(path, os.O_CREAT | os.O_RDWR), 0
    while allocated(file, size, step):
        size += step
    os.fsync(file)
    os.close(file)
    return size


def said(scan: ScanResult) -> dict[str, Consequence]:
    return {rule.name: each for rule, each in consequences(scan)}


Scan = Callable[[Path | str], ScanResult]


@pytest.fixture
def scan(engine: Engine) -> Scan:
    def scanned(path: Path | str) -> ScanResult:
        return engine.scan(ScanJob(path=str(path), top=3))

    return scanned


def test_inodes_used_up(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 64, "mkfs.ext4", "-q", "-N", "16") as (point, device):
        made = 0
        with pytest.raises(OSError, match="No space left"):
            while True:
                (point / f"f{made}").touch()
                made += 1
        run("sync", "--file-system", str(point))
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
        made = 0
        with pytest.raises(OSError, match="No space left"):
            while True:
                (point / f"f{made}").touch()
                made += 1
        run("sync", "--file-system", str(point))
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


@pytest.mark.parametrize(
    "mkfs", [("mkfs.ext4", "-q", "-m", "0"), ("mkfs.xfs", "-q"), ("mkfs.btrfs", "-q")]
)
def test_full_of_each_kind(
    mkfs: tuple[str, ...], make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 384, *mkfs) as (point, device):
        for name, step in (("large", MEBIBYTE), ("small", 4096)):
            fill(point / name, step)
        run("sync", "--file-system", str(point))
        whole = scan(point)
        found = said(whole)
        assert any(each.level == "stop" for each in found.values()), found
        assert whole.problems == [] and whole.free is not None
    image = scan(device)
    assert image.free is not None and image.free.size_bytes == whole.free.size_bytes
    if mkfs[0] == "mkfs.ext4":
        # What XFS and btrfs keep for themselves is not known of an image.
        assert any(each.level == "stop" for each in said(image).values()), said(image)


def test_btrfs_whose_metadata_has_no_chunk(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    mkfs = ("mkfs.btrfs", "-q", "-m", "single")
    with mounted(make_loop, tmp_path, 256, *mkfs, options="max_inline=2048") as (point, _):
        (point / "small").touch()
        fill(point / "large", MEBIBYTE)
        fill(point / "small", 4096)
        (point / "large").unlink()
        run("sync", "--file-system", str(point))
        made = 0
        try:
            for made in range(200_000):
                (point / f"inline-{made}").write_bytes(b"x" * 2000)
        except OSError:
            run("sync", "--file-system", str(point))
            found = said(scan(point))
            assert found["chunks"].level == "stop", found
            assert "balance" in found["chunks"].do and next(iter(found)) in ("full", "chunks")
            return
    pytest.skip("this kernel gave metadata a chunk that data had left")


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


def test_a_deleted_file_that_is_open(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 128, "mkfs.ext4", "-q") as (point, _):
        log = point / "log"
        with log.open("wb") as file:
            file.write(bytes(16 * MEBIBYTE))
            file.flush()
            os.fsync(file.fileno())
            log.unlink()
            found = said(_with_deleted(scan(point)))["deleted"]
            assert f"({os.getpid()})" in found.sentence and str(log) in found.sentence
        assert "deleted" not in said(_with_deleted(scan(point)))


def test_room_behind_the_end_of_a_file(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 384, "mkfs.xfs", "-q") as (point, device):
        file = os.open(point / "ahead", os.O_CREAT | os.O_RDWR)
        os.write(file, b"x")
        assert allocated(file, 0, 100 * MEBIBYTE, KEEP_SIZE)
        os.fsync(file)
        os.close(file)
        found = said(scan(point))["beyond_end"]
        assert "allocsize" in found.do and "behind the ends of 1 file," in found.sentence
    assert "beyond_end" in said(scan(device))


def test_what_lies_under_a_mount(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 128, "mkfs.ext4", "-q") as (point, _):
        under = point / "data"
        under.mkdir()
        (under / "hidden").write_bytes(os.urandom(24 * MEBIBYTE))
        run("sync", "--file-system", str(point))
        assert "unseen" not in said(scan(point))
        run("mount", "-t", "tmpfs", "none", str(under))
        try:
            found = said(scan(point))["unseen"]
        finally:
            run("umount", str(under))
        assert found.sentence.startswith(("23.", "24")) and "mounted over" in found.sentence


def test_what_a_snapshot_outside_the_tree_has(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 512, "mkfs.btrfs", "-q") as (point, device):
        run("btrfs", "subvolume", "create", str(point / "home"))
        (point / "home" / "game").write_bytes(os.urandom(100 * MEBIBYTE))
        run("sync", "--file-system", str(point))
        run("btrfs", "subvolume", "snapshot", "-r", str(point / "home"), str(point / "kept"))
        (point / "home" / "game").unlink()
        run("sync", "--file-system", str(point))
        assert "unseen" not in said(scan(point))
        alone = tmp_path / "alone"
        alone.mkdir()
        run("mount", "-o", "subvol=home", device, str(alone))
        try:
            found = said(scan(alone))["unseen"]
        finally:
            run("umount", str(alone))
        assert found.sentence.startswith(("99", "100")) and "snapshots" in found.sentence


def test_pieces_matter_by_the_device(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 128, "mkfs.ext4", "-q") as (point, device):
        files = [(point / f"grown-{number}").open("wb", buffering=0) for number in range(4)]
        for _ in range(100):
            for file in files:
                file.write(os.urandom(4096))
                os.fsync(file.fileno())
        for file in files:
            file.close()
        scanned = scan(point)
    heads = scanned.model_copy(
        update={"room": scanned.room.model_copy(update={"is_rotational": True})}
    )
    found = said(heads)["fragmentation"]
    if scanned.counts.extents > 40:
        assert found.sentence.startswith("Fragmentation matters here"), found
        assert found.do.startswith("e4defrag -v ") and found.cost
    assert "which of both is not known" in said(scan(device))["fragmentation"].sentence or (
        scan(device).room.is_rotational is not None
    )
