"""Features, ways to read and independent tools: one file system has one set of numbers.

Each is read where it is mounted, by an ordinary user, and as a device; what the tools of the file
system count is the truth.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ScanJob, ScanResult
from fsgauge.errors import InputError
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import numbers_of
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop
from tests.rigs.scanning import as_user
from tests.rigs.test_scan import by_filefrag

pytestmark = pytest.mark.root
EXT4 = ("mkfs.ext4", "-q", "-F")
XFS = ("mkfs.xfs", "-q", "-f")
BTRFS = ("mkfs.btrfs", "-q", "-f")
FEATURES: dict[str, tuple[int, tuple[str, ...], str]] = {
    "ext2": (64, ("mkfs.ext2", "-q", "-F"), "rw"),
    "ext3": (64, ("mkfs.ext3", "-q", "-F"), "rw"),
    "ext4": (64, EXT4, "rw"),
    "ext4 1 KiB": (64, (*EXT4, "-b", "1024"), "rw"),
    "ext4 2 KiB": (64, (*EXT4, "-b", "2048"), "rw"),
    "ext4 bigalloc": (128, (*EXT4, "-O", "bigalloc", "-C", "65536"), "rw"),
    "ext4 no flex_bg": (64, (*EXT4, "-O", "^flex_bg"), "rw"),
    "ext4 meta_bg": (64, (*EXT4, "-O", "meta_bg,^resize_inode"), "rw"),
    "ext4 no 64bit": (64, (*EXT4, "-O", "^64bit"), "rw"),
    "ext4 no extents": (64, (*EXT4, "-O", "^extents,^64bit"), "rw"),
    "ext4 inline_data": (64, (*EXT4, "-O", "inline_data"), "rw"),
    "ext4 casefold": (64, (*EXT4, "-O", "casefold"), "rw"),
    "ext4 encrypt": (64, (*EXT4, "-O", "encrypt"), "rw"),
    "ext4 verity": (64, (*EXT4, "-O", "verity"), "rw"),
    "ext4 quota": (64, (*EXT4, "-O", "quota,project"), "rw"),
    "ext4 no journal": (64, (*EXT4, "-O", "^has_journal"), "rw"),
    "ext4 sparse_super2": (64, (*EXT4, "-O", "sparse_super2"), "rw"),
    "ext4 small groups": (64, (*EXT4, "-b", "1024", "-g", "1024"), "rw"),
    "ext4 64 KiB": (512, (*EXT4, "-b", "65536"), "image"),
    "xfs": (384, XFS, "rw"),
    "xfs 1 KiB": (384, (*XFS, "-b", "size=1024"), "rw"),
    "xfs no rmapbt": (384, (*XFS, "-m", "rmapbt=0"), "rw"),
    "xfs rmapbt": (384, (*XFS, "-m", "rmapbt=1,reflink=1"), "rw"),
    "xfs version 4": (384, (*XFS, "-m", "crc=0"), "rw"),
    "xfs many groups": (
        512,
        (*XFS, "--unsupported", "-l", "size=8m", "-d", "agsize=16m"),
        "rw",
    ),
    "xfs no sparse": (384, (*XFS, "-i", "sparse=0"), "rw"),
    "xfs large inodes": (384, (*XFS, "-i", "size=2048"), "rw"),
    "xfs 64 KiB": (512, (*XFS, "-b", "size=65536"), "image"),
    "xfs 64 KiB mounted": (512, (*XFS, "-b", "size=65536"), "rw"),
    "btrfs": (256, BTRFS, "rw"),
    "btrfs single": (256, (*BTRFS, "-m", "single"), "rw"),
    "btrfs dup": (512, (*BTRFS, "-d", "dup", "-m", "dup"), "rw"),
    "btrfs mixed": (256, (*BTRFS, "--mixed"), "rw"),
    "btrfs zstd": (256, BTRFS, "compress-force=zstd"),
    "btrfs no holes": (256, (*BTRFS, "-O", "^no-holes"), "rw"),
    "btrfs block-group-tree": (256, (*BTRFS, "-O", "block-group-tree"), "rw"),
    "btrfs v1 cache": (256, (*BTRFS, "-R", "^free-space-tree"), "rw"),
}


def tried(*command: str) -> str | None:
    """What a tool says; None where it is missing or refuses."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=patience(120),
            env=os.environ | {"PATH": path, "LC_ALL": "C"},
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout


def fill(folder: Path) -> None:
    """Files that grow in turns, one with holes, small ones, and gaps where others were."""
    files = [(folder / f"grown-{number}").open("wb", buffering=0) for number in range(3)]
    for _ in range(12):
        for file in files:
            file.write(os.urandom(12288))
            os.fsync(file.fileno())
    for file in files:
        file.close()
    for number in range(40):
        (folder / f"small-{number}").write_bytes(os.urandom(100 + 997 * number))
    with (folder / "sparse").open("wb") as sparse:
        sparse.write(b"a" * 70_000)
        sparse.seek(MEBIBYTE)
        sparse.write(b"b" * 70_000)
    os.sync()
    for number in range(0, 40, 3):
        (folder / f"small-{number}").unlink()


def free_by_tools(kind: str, device: str) -> int | None:
    """Free bytes of an unmounted device as the file system's own tools have it."""
    if kind.startswith("ext"):
        said = tried("dumpe2fs", "-h", device)
        if said is None:
            return None
        blocks, size = (
            int(re.findall(rf"^{name}: +(\d+)", said, re.MULTILINE)[0])
            for name in ("Free blocks", "Block size")
        )
        return blocks * size
    if kind == "xfs":
        said = tried("xfs_db", "-r", "-c", "freesp -s", "-c", "sb 0", "-c", "p blocksize", device)
        if said is None:
            return None
        blocks = int(re.findall(r"total free blocks (\d+)", said)[0])
        return blocks * int(re.findall(r"blocksize = (\d+)", said)[0])
    return None


@pytest.mark.parametrize("name", FEATURES)
def test_one_file_system_has_one_set_of_numbers(
    name: str, make_loop: MakeLoop, engine: Engine, open_folder: Path
) -> None:
    mebibytes, mkfs, options = FEATURES[name]
    need_mkfs(mkfs[0].partition(".")[2])
    device = make_loop(mebibytes * MEBIBYTE)
    if tried(*mkfs, device) is None:
        pytest.skip(f"this {mkfs[0]} does not make {name}")
    if options == "image":
        image = engine.scan(ScanJob(path=device))
        assert image.problems == [] and image.free is not None
        check_free(image, mkfs[0].partition(".")[2], device)
        return
    point = open_folder / "mounted"
    point.mkdir()
    if tried("mount", "-o", options, device, str(point)) is None:
        pytest.skip(f"this kernel does not mount {name}")
    try:
        point.chmod(0o755)
        fill(point)
        assert tried("sync", "--file-system", str(point)) is not None
        assert tried("mount", "-o", "remount,ro", str(point)) is not None
        by_root = engine.scan(ScanJob(path=str(point)))
        by_user = as_user(engine.binary, open_folder, point)
        by_tool = by_filefrag(point)
    finally:
        assert tried("umount", str(point)) is not None
    image = engine.scan(ScanJob(path=device))
    for scan in (by_root, by_user, image):
        # Of an ordinary user, lost+found alone.
        assert {each.code for each in scan.problems} <= {"not_permitted"}, name
        assert scan is by_user or scan.problems == [], name
        assert scan.counts.files == len(by_tool)
        if not scan.counts.compressed_extents:
            # filefrag counts what lies in the inode.
            pieces = scan.counts.extents + scan.counts.inline_extents
            assert pieces == sum(by_tool.values()), name
    assert by_root.counts == image.counts
    assert by_root.free is not None and image.free is not None
    assert by_root.free.size_bytes == image.free.size_bytes
    shares = [numbers_of(scan)["used_percent"] for scan in (by_root, by_user, image)]
    assert all(share is not None for share in shares)
    assert max(filter(None, shares)) - min(filter(None, shares)) < 1.0, (name, shares)
    assert all(consequences(scan) for scan in (by_root, by_user, image))
    check_free(image, mkfs[0].partition(".")[2], device)


def test_an_xfs_whose_log_is_elsewhere_is_read_and_its_log_is_refused(
    make_loop: MakeLoop, engine: Engine, open_folder: Path
) -> None:
    need_mkfs("xfs")
    device, log = make_loop(384 * MEBIBYTE), make_loop(96 * MEBIBYTE)
    if tried(*XFS, "-l", f"logdev={log},size=64m", device) is None:
        pytest.skip("this mkfs.xfs makes no external log")
    assert tried("mount", "-o", f"logdev={log}", device, str(open_folder)) is not None
    try:
        fill(open_folder)
        by_root = engine.scan(ScanJob(path=str(open_folder)))
    finally:
        assert tried("umount", str(open_folder)) is not None
    image = engine.scan(ScanJob(path=device))
    assert image.problems == [] and by_root.counts == image.counts
    check_free(image, "xfs", device)
    with pytest.raises(InputError, match="holds the log of another XFS"):
        engine.scan(ScanJob(path=log))


def test_an_xfs_with_a_real_time_device_is_refused_by_name(
    make_loop: MakeLoop, engine: Engine
) -> None:
    need_mkfs("xfs")
    device, real_time = make_loop(384 * MEBIBYTE), make_loop(64 * MEBIBYTE)
    if tried(*XFS, "-r", f"rtdev={real_time}", device) is None:
        pytest.skip("this mkfs.xfs knows no real-time device")
    with pytest.raises(InputError, match="has a real-time device, whose files lie elsewhere"):
        engine.scan(ScanJob(path=device))


def check_free(image: ScanResult, kind: str, device: str) -> None:
    by_tools = free_by_tools(kind, device)
    assert image.free is not None
    if by_tools is not None:
        # xfs_db counts the few blocks of each group's AGFL too.
        kept = 16 * len(image.groups) * image.source.block_size_bytes if kind == "xfs" else 0
        assert 0 <= by_tools - image.free.size_bytes <= kept
