"""What a scan says of devices that are not as usual: seeds, read-only ones, some that root lacks,
and file systems that this kernel does not mount."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import FullQuota, ScanJob
from fsgauge.errors import InputError
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import numbers_of
from tests.patience import patience
from tests.rigs.block_group_tree import add_block_group_tree
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scan, run
from tests.rigs.scanning import as_user, mounted, said
from tests.rigs.test_scan_matrix import BTRFS, EXT4, XFS, check_free, tried
from tests.rigs.test_scan_matrix import fill as fill_with_pieces

pytestmark = pytest.mark.root


def test_a_btrfs_that_grew_from_a_seed(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """kdave/btrfs-progs 959. Both were taken for one device, at whose offsets all chunks lay."""
    seed, sprout = make_loop(400 * MEBIBYTE), make_loop(512 * MEBIBYTE)
    point = open_folder / "mounted"
    point.mkdir()
    run(*BTRFS, seed)
    run("mount", seed, str(point))
    (point / "old").write_bytes(os.urandom(40 * MEBIBYTE))
    run("umount", str(point))
    run("btrfstune", "-S", "1", seed)
    run("mount", seed, str(point))
    try:
        alone = scan(point)
        assert "read_only_device" in {note.code for note in alone.notes}
        assert not {"full", "chunks", "unseen"} & said(alone).keys()
        assert not said(as_user(engine.binary, open_folder, point)).keys() & {"full", "chunks"}
        run("btrfs", "device", "add", sprout, str(point))
        run("mount", "-o", "remount,rw", str(point))
        (point / "new").write_bytes(os.urandom(30 * MEBIBYTE))
        run("sync", "--file-system", str(point))
        point.chmod(0o755)
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
        counted = os.statvfs(point)
    finally:
        run("umount", str(point))
        tried("btrfs", "device", "scan", "--forget", seed)
        tried("btrfs", "device", "scan", "--forget", sprout)
    for each in (by_root, by_user):
        assert each.counts.files == 2
        assert "seed_device" in {note.code for note in each.notes}
        assert each.source.size_bytes == 912 * MEBIBYTE
        numbers = numbers_of(each)
        free, outside = numbers["free_bytes"], numbers["unallocated_bytes"]
        assert free is not None and outside is not None
        available = counted.f_bavail * counted.f_frsize
        assert abs(free + outside - available) < 0.2 * available, (free, outside, available)
        assert numbers["used_percent"] is not None and numbers["used_percent"] > 44
        assert not {"full", "chunks", "unseen", "device"} & said(each).keys()
    shares = [numbers_of(each)["used_percent"] or 0 for each in (by_root, by_user)]
    assert abs(shares[0] - shares[1]) < 1
    assert "btrfs_addresses" in {note.code for note in by_root.notes}
    assert engine.scan(ScanJob(path=seed)).counts.files == 1
    with pytest.raises(InputError, match="is one of 2 devices of a btrfs"):
        scan(sprout)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_of_a_device_that_is_read_only_nothing_is_said_to_be_full(
    kind: str, make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """Of such a btrfs statfs(2) calls nothing available."""
    with mounted(make_loop, open_folder, 400, f"mkfs.{kind}", "-q") as (point, device):
        (point / "file").write_bytes(os.urandom(4 * MEBIBYTE))
        run("umount", str(point))
        try:
            # It outlasts the file behind a loop device.
            run("blockdev", "--setro", device)
            run("mount", "-o", "ro", device, str(point))
            both = (scan(point), as_user(engine.binary, open_folder, point))
        finally:
            run("blockdev", "--setrw", device)
    for each in both:
        assert {one.level for one in said(each).values()} == {"fine"}, said(each)
    shares = [numbers_of(each)["used_percent"] for each in both]
    assert abs((shares[0] or 0) - (shares[1] or 0)) < 2


def test_root_that_may_not_open_a_device_is_told_what_helps(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """As in a container; sudo, which was named, gives root nothing that it has not."""
    device = Path(make_loop(64 * MEBIBYTE))
    run(*EXT4, str(device))
    folder = tmp_path / "dev"
    folder.mkdir()
    run("mount", "-t", "tmpfs", "-o", "nodev", "none", str(folder))
    try:
        number = device.stat().st_rdev
        os.mknod(folder / "disk", 0o60600, number)
        with pytest.raises(InputError) as refusal:
            scan(folder / "disk")
    finally:
        run("umount", str(folder))
    words = refusal.value.render()
    assert "Permission denied" in words and "sudo" not in words
    assert (
        f"--device {folder}/disk:{folder}/disk:r" in words and "on the host: fsgauge scan" in words
    )


def test_damage_and_a_log_are_told_and_the_command_ends_both(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with mounted(make_loop, tmp_path, 64, "mkfs.ext4", "-q", "-b", "1024") as (point, _):
        (point / "file").write_bytes(os.urandom(100_000))
        run("sync", "--file-system", str(point))
        with (point / "other").open("wb") as file:
            file.write(b"x" * 5000)
            os.fsync(file.fileno())
        run("cp", "--sparse=always", "disk-0.img", "snapshot.img")
    place = tried("debugfs", "-R", "imap /file", "snapshot.img")
    assert place is not None
    block, offset = re.findall(r"block (\d+), offset (0x[0-9a-f]+)", place)[0]
    with Path("snapshot.img").open("rb+") as image:
        # The head of its tree of extents.
        image.seek(int(block) * 1024 + int(offset, 16) + 0x28)
        image.write(b"\xff" * 12)
    rule, first = consequences(scan(tmp_path / "snapshot.img"))[0]
    assert rule.name == "unread" and "a structure is damaged" in first.sentence, first
    assert "its log holds changes that are not counted here" in first.sentence
    repair, _, again = first.do.partition("; fsgauge scan ")
    subprocess.run(["sh", "-c", repair], check=False, capture_output=True, timeout=patience(60))
    assert "unread" not in said(scan(tmp_path / again))


def source(folder: Path) -> tuple[Path, int]:
    """A tree to be copied into images, and how many files it has."""
    tree = folder / "tree"
    (tree / "Folder").mkdir(parents=True)
    for number in range(40):
        (tree / "Folder" / f"f{number}").write_bytes(os.urandom(997 * number + 100))
    (tree / "large").write_bytes(os.urandom(3 * MEBIBYTE))
    return tree, 41


@pytest.mark.parametrize("features", ["quota,project", "casefold", "quota,project,casefold"])
def test_an_ext4_that_this_kernel_may_not_mount_is_right_as_an_image(
    features: str, make_loop: MakeLoop, tmp_path: Path, engine: Engine
) -> None:
    """Kernels without CONFIG_UNICODE or a format of quotas refuse such."""
    tree, files = source(tmp_path)
    device = make_loop(64 * MEBIBYTE)
    run(*EXT4, "-O", features, "-d", str(tree), device)
    found = engine.scan(ScanJob(path=device, top=50, list_whole=True))
    assert found.problems == [] and found.counts.files == files, "quota files are none"
    assert found.counts.folders == 3
    check_free(found, "ext4", device)
    names = {file.name for file in found.top}
    assert "/large" in names and "/Folder/f7" in names
    codes = {note.code for note in found.notes}
    assert ("scan.quotas_unread" in codes) == ("quota" in features)


def test_the_quota_files_of_an_xfs_are_read_and_are_not_files_of_it(
    make_loop: MakeLoop, tmp_path: Path, engine: Engine
) -> None:
    """A user with 8 MiB of 8 in blocks of 4 KiB, as the kernel lays it out (xfs_dqblk)."""
    quota = struct.pack(">HBBI6Q", 0x4451, 1, 1, 4321, 2048, 0, 0, 0, 2048, 7).ljust(136, b"\0")
    quotas, prototype = tmp_path / "quotas", tmp_path / "prototype"
    quotas.write_bytes((bytes(136) + quota).ljust(4096, b"\0"))
    names = "".join(f"{name} ---644 0 0 {quotas}\n" for name in ("own", "other"))
    prototype.write_text(f"/\n0 0\nd--755 0 0\n{names}$\n")
    device = make_loop(384 * MEBIBYTE)
    run(*XFS, "-p", str(prototype), device)
    assert engine.scan(ScanJob(path=device)).counts.files == 2
    said_of_inode = tried("xfs_db", "-r", "-c", "path /own", "-c", "inode", device)
    assert said_of_inode is not None
    number = re.findall(r"inode number is (\d+)|^current inode.* (\d+)", said_of_inode)
    inode = next(each for each in (*number[0],) if each)
    full = FullQuota(kind="user", id=4321, of="bytes", limit=8 * MEBIBYTE)
    for flags, expected in (("0x1", []), ("0x3", [full])):
        for word in (f"uquotino {inode}", f"qflags {flags}"):
            run("xfs_db", "-x", "-c", "sb 0", "-c", f"write {word}", device)
        found = engine.scan(ScanJob(path=device))
        assert (found.counts.files, found.problems) == (1, [])
        assert found.room.full_quotas == expected, "with 0x1 use is counted alone"
    rule, first = consequences(found)[0]
    assert rule.name == "quota" and "user 4321 has its 8 MiB" in first.sentence


def test_a_btrfs_with_a_block_group_tree(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    point = open_folder / "mounted"
    point.mkdir()
    device = make_loop(400 * MEBIBYTE)
    run(*BTRFS, device)
    before = scan(device)
    add_block_group_tree(device)
    assert scan(device).problems == []
    if tried("mount", device, str(point)) is None:
        pytest.skip("this kernel mounts no btrfs with a block group tree: Linux 6.1 does")
    try:
        point.chmod(0o755)
        fill_with_pieces(point)
        run("sync", "--file-system", str(point))
        run("mount", "-o", "remount,ro", str(point))
        by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
    finally:
        run("umount", str(point))
    image = scan(device)
    assert image.problems == [] and by_root.counts == image.counts
    assert by_root.free is not None and image.free is not None
    assert by_root.free.size_bytes == image.free.size_bytes
    assert by_root.free.metadata == image.free.metadata
    assert by_user.counts.files == image.counts.files
    # The tree is one more that every change writes to.
    reserve, usual = (each.room.metadata_reserve_bytes for each in (image, before))
    assert by_root.room.metadata_reserve_bytes == reserve
    assert reserve is not None and usual is not None and reserve - usual == 16 * 16384
