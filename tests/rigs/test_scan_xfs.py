"""What a scan says of room that XFS alone withholds."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from fsgauge.scan.consequences import consequences
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scan, run
from tests.rigs.scanning import KEEP_SIZE, PUNCH_HOLE, allocated, fill, mounted, said, use_up_inodes

pytestmark = pytest.mark.root
_TEBIBYTE = MEBIBYTE << 20


def pieces(path: Path) -> list[tuple[int, int, int]]:
    """Where each piece of a file begins in it and on the device, and its length, in bytes."""
    done = subprocess.run(
        ["filefrag", "-v", "-b4096", str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
    )
    line = r"^ *\d+: *(\d+)\.\. *\d+: *(\d+)\.\. *\d+: *(\d+):"
    found = re.findall(line, done.stdout, re.MULTILINE)
    return [(4096 * int(at), 4096 * int(place), 4096 * int(length)) for at, place, length in found]


def test_what_an_xfs_sets_aside_for_files_that_share_blocks(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 400, "mkfs.xfs", "-q", "-m", "reflink=1") as (point, _):
        (point / "disk").write_bytes(os.urandom(60 * MEBIBYTE))
        run("sync", "--file-system", str(point))
        run("cp", "--reflink=always", str(point / "disk"), str(point / "clone"))
        assert "set_aside" not in said(scan(point))
        file = os.open(point / "clone", os.O_RDWR)
        for at in range(0, 60 * MEBIBYTE, 128 << 10):
            os.pwrite(file, b"x" * 4096, at)
        os.fsync(file)
        os.close(file)
        found = said(scan(point))["set_aside"]
        assert found.sentence.startswith(("58", "59")) and "copy on write" in found.sentence
        run("sh", "-c", found.do.partition("; ")[0])
        assert not {"set_aside", "unseen"} & said(scan(point)).keys()


def test_an_xfs_whose_inodes_have_no_room_below_their_numbers(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    """Mounted with inode32, inodes lie in the first 2 TiB alone."""
    mkfs = ("mkfs.xfs", "-q", "-f", "-K", "-l", "size=64m")
    size = 3 * _TEBIBYTE // MEBIBYTE
    with mounted(make_loop, tmp_path, size, *mkfs, options="inode32") as (point, device):
        fill(point / "large", 1024 * MEBIBYTE)
        fill(point / "middle", MEBIBYTE)
        fill(point / "small", 4096)
        upper = [each for each in pieces(point / "large") if each[1] >= 2 * _TEBIBYTE]
        file = os.open(point / "large", os.O_RDWR)
        for at, _, length in upper:
            assert allocated(file, at, length, PUNCH_HOLE | KEEP_SIZE)
        os.close(file)
        use_up_inodes(point)
        rule, first = consequences(scan(point))[0]
        assert (rule.name, first.level) == ("inode_chunk", "stop"), first
        assert "mounted with inode32, XFS has inodes in its first 1.5 TiB alone" in first.sentence
        run(*first.do.split())
        (point / "one more").touch()
        assert "inode_chunk" not in said(scan(point))
    assert "inode_chunk" not in said(scan(device))
