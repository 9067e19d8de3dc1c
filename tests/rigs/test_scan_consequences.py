"""What a scan says of space that no file has, and of pieces, on real file systems."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.cli.scan import _with_deleted
from fsgauge.engine.wire import ScanResult
from fsgauge.scan.consequences import consequences
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scan, run
from tests.rigs.scanning import KEEP_SIZE, PUNCH_HOLE, allocated, fill, mounted, said

pytestmark = pytest.mark.root


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


def test_whole_clusters_are_not_unseen(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    mkfs = ("mkfs.ext4", "-q", "-O", "bigalloc", "-C", "65536")
    with mounted(make_loop, tmp_path, 128, *mkfs) as (point, _):
        for number in range(800):
            (point / f"small-{number}").write_bytes(b"x" * 4096)
        run("sync", "--file-system", str(point))
        scanned = scan(point)
    assert scanned.room.taken_bytes is not None
    assert scanned.room.taken_bytes > 800 * 65536 > 10 * scanned.counts.extent_bytes
    assert "unseen" not in said(scanned)


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


def on_heads(scanned: ScanResult) -> str:
    """What is said of the same on a disk with heads."""
    room = scanned.room.model_copy(update={"is_rotational": True})
    return said(scanned.model_copy(update={"room": room}))["fragmentation"].sentence


@pytest.fixture
def one_processor() -> Iterator[None]:
    """ext4 places small pieces by the processor that asks: a test that moves has another layout."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(all_of_them)})
    yield
    os.sched_setaffinity(0, all_of_them)


@pytest.mark.usefixtures("one_processor")
def test_pieces_matter_by_where_they_lie(make_loop: MakeLoop, tmp_path: Path, scan: Scan) -> None:
    with mounted(make_loop, tmp_path, 256, "mkfs.ext4", "-q") as (point, device):
        files = [(point / f"grown-{number}").open("wb", buffering=0) for number in range(4)]
        for _ in range(100):
            for file in files:
                file.write(os.urandom(4096))
                os.fsync(file.fileno())
        for file in files:
            file.close()
        # Heads pass over the pieces of the others.
        assert on_heads(scan(point)).startswith("Fragmentation does not matter here")
        end = fill(point / "large", MEBIBYTE)
        fill(point / "small", 4096)
        hog = os.open(point / "large", os.O_RDWR)
        for at in range(0, end, MEBIBYTE):
            assert allocated(hog, at, 65536, PUNCH_HOLE | KEEP_SIZE)
        os.fsync(hog)
        os.close(hog)
        assert on_heads(scan(point)).startswith("Fragmentation does not matter here"), "holes"
        assert fill(point / "scattered", 65536) > 100 * 65536
        scanned = scan(point)
        found = said(scanned)["fragmentation"]
        assert on_heads(scanned).startswith("Fragmentation matters here"), scanned.counts
    if found.level == "attention":
        assert found.do.startswith("e4defrag -v ") and found.cost
    image = scan(device)
    assert image.counts.jumps == scanned.counts.jumps
    assert on_heads(image) == on_heads(scanned)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_a_copy_of_a_file_system_in_use_is_known_and_the_next_command_tells_the_truth(
    kind: str, make_loop: MakeLoop, tmp_path: Path, scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snapshots of volumes are such copies: nothing was fragmented there, and little in use."""
    monkeypatch.chdir(tmp_path)
    with mounted(make_loop, tmp_path, 400, f"mkfs.{kind}", "-q") as (point, _):
        names = [point / f"f{number}" for number in range(5)]
        for name in names:
            name.touch()
        run("sync", "--file-system", str(point))
        for name in names:
            with name.open("wb") as file:
                file.write(os.urandom(MEBIBYTE))
                os.fsync(file.fileno())
        run("cp", "--sparse=always", "disk-0.img", "snapshot.img")
    before = scan(tmp_path / "snapshot.img")
    rule, first = consequences(before)[0]
    assert (rule.name, first.level) == ("unread", "attention"), first
    (tmp_path / "again").mkdir()
    command = first.do.replace("/mnt", str(tmp_path / "again")).partition("fsgauge scan ")
    subprocess.run(["sh", "-c", f"{command[0]} true"], check=True, timeout=patience(60))
    try:
        after = scan(tmp_path / command[2])
    finally:
        subprocess.run(["umount", str(tmp_path / "again")], check=False, timeout=patience(60))
    read_bytes = [
        found.counts.extent_bytes - found.counts.beyond_end_bytes for found in (before, after)
    ]
    assert read_bytes == [0, 5 * MEBIBYTE]
    assert "unread" not in said(after)
