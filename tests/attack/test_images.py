"""Images of a few real blocks that claim terabytes: a scan of one needs little memory, and ends.

The budget of the scanner was once the size of the image, which a sparse file makes as large as it
likes: ten real blocks, whose entries all lead to one another, were walked 10^7 times and more, and
27 GB of memory filled with their numbers.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import find_engine
from tests.needs import need
from tests.patience import patience

_TEBIBYTE = 1 << 40
_BLOCK = 4096
# Far more than a scan of so few blocks needs, far less than what the attacks took.
_MEMORY_BYTES = 2 << 30
_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def tool(*command: str, **options: Any) -> str:
    """A tool's output; the test is skipped where the tool is not installed."""
    if shutil.which(command[0], path=_PATH) is None:
        need(f"{command[0]}, of e2fsprogs or xfsprogs")
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
        env=os.environ | {"PATH": _PATH},
        **options,
    )
    return done.stdout


def scan(image: Path) -> dict[str, Any]:
    """The result of a scan with all that can be asked for, in little memory."""
    return scanned(image, _MEMORY_BYTES, threads=2, map_order=4)


def scanned(
    path: Path | str, memory_bytes: int, *, seconds: float = 120, **words: Any
) -> dict[str, Any]:
    job = {"format": 1, "kind": "scan", "path": str(path), "top": 5} | words

    def in_little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))

    done = subprocess.run(
        [str(find_engine())],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
        timeout=patience(seconds),
        preexec_fn=in_little_memory,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])["result"]
    return result


def is_damaged(result: dict[str, Any]) -> bool:
    return any(problem["code"] == "damaged" for problem in result["problems"])


class Xfs:
    """A sparse XFS of version 4, which has no checksums, with one file."""

    # A free place in the first group: nothing lies there.
    free_block = 300_000
    group_header, inode_header = 512, 1024

    def __init__(self, folder: Path) -> None:
        self.image = folder / "xfs.img"
        with self.image.open("wb") as file:
            file.truncate(2 * _TEBIBYTE)
        prototype = folder / "prototype"
        (folder / "source").write_bytes(bytes(5000))
        prototype.write_text(f"/\n0 0\nd--755 0 0\nfile ---644 0 0 {folder}/source\n$\n")
        options = ["-m", "crc=0", "-l", "size=64m", "-d", "agcount=4"]
        tool("mkfs.xfs", "-q", "-K", "-p", str(prototype), *options, str(self.image))

    def put(self, offset: int, data: bytes) -> None:
        with self.image.open("r+b") as file:
            file.seek(offset)
            file.write(data)

    def fan_out(self, magic: bytes, levels: int, key_bytes: int) -> None:
        """A node for each level but the lowest; all its entries lead to the one below."""
        for level in range(levels - 1, 0, -1):
            block = self.free_block + level
            room = (_BLOCK - 16) // (key_bytes + 4)
            header = magic + struct.pack(">HHII", level, room, 0xFFFFFFFF, 0xFFFFFFFF)
            below = struct.pack(">I", block - 1) * room
            data = header + bytes(room * key_bytes) + below
            self.put(block * _BLOCK, data.ljust(_BLOCK, b"\0"))

    def lead(self, header: int, root_at: int, levels_at: int, levels: int) -> None:
        self.put(header + root_at, struct.pack(">I", self.free_block + levels - 1))
        self.put(header + levels_at, struct.pack(">I", levels))


@pytest.mark.parametrize(
    ("magic", "header", "root_at", "levels_at", "key_bytes"),
    [
        (b"ABTC", Xfs.group_header, 20, 32, 8),
        (b"ABTB", Xfs.group_header, 16, 28, 8),
        (b"IABT", Xfs.inode_header, 20, 24, 4),
    ],
    ids=["free space by size", "free space by block", "inodes"],
)
@pytest.mark.parametrize("levels", [4, 9])
def test_a_tree_of_xfs_whose_nodes_lead_to_one_block_is_walked_once(
    tmp_path: Path,
    magic: bytes,
    header: int,
    root_at: int,
    levels_at: int,
    key_bytes: int,
    levels: int,
) -> None:
    xfs = Xfs(tmp_path)
    xfs.fan_out(magic, levels, key_bytes)
    xfs.lead(header, root_at, levels_at, levels)
    assert is_damaged(scan(xfs.image))


def test_a_file_of_xfs_whose_tree_leads_to_one_block_is_read_once(tmp_path: Path) -> None:
    xfs = Xfs(tmp_path)
    said = tool("xfs_db", "-r", "-c", "path /file", "-c", "addr", str(xfs.image))
    found = re.search(r"byte offset (\d+)", said)
    assert found is not None, said
    levels = 9
    for level in range(levels - 1):
        block = xfs.free_block + level
        room = (_BLOCK - 24) // 16
        header = b"BMAP" + struct.pack(">HHqq", level, room, -1, -1)
        below = struct.pack(">Q", block - 1) * room if level else bytes(room * 8)
        xfs.put(block * _BLOCK, header + bytes(room * 8) + below)
    inode = int(found[1])
    xfs.put(inode + 5, b"\x03")
    with xfs.image.open("rb") as file:
        file.seek(inode + 4)
        version, _ = file.read(2)
    fork = inode + (176 if version == 3 else 100)
    size = 256 if version != 3 else 512
    room = (size - 100 - 4) // 16
    top = struct.pack(">Q", xfs.free_block + levels - 2)
    xfs.put(fork, struct.pack(">HH", levels - 1, room) + bytes(room * 8) + top * room)
    assert is_damaged(scan(xfs.image))


class Ext:
    """A sparse ext file system of a tebibyte with one file."""

    free_block = 20_000

    def __init__(self, folder: Path, kind: str) -> None:
        self.image = folder / f"{kind}.img"
        source = folder / "source"
        source.mkdir()
        (source / "file").write_bytes(bytes(range(256)) * 64)
        with self.image.open("wb") as file:
            file.truncate(_TEBIBYTE)
        options = ["-q", "-F", "-t", kind, "-b", "4096", "-N", "65536", "-m", "0"]
        features = "^has_journal,^resize_inode,^metadata_csum,^uninit_bg,sparse_super"
        source_option = ["-d", str(source)]
        tool("mke2fs", *options, "-O", features, *source_option, str(self.image))
        said = tool("debugfs", "-R", "imap /file", str(self.image))
        found = re.search(r"block (\d+), offset (0x[0-9a-f]+)", said)
        assert found is not None, said
        self.inode = int(found[1]) * _BLOCK + int(found[2], 16)

    def put(self, offset: int, data: bytes) -> None:
        with self.image.open("r+b") as file:
            file.seek(offset)
            file.write(data)


def extents(ext: Ext) -> None:
    """A tree of extents of five levels; all entries of a node lead to the one below."""

    def node(depth: int, room: int) -> bytes:
        below = struct.pack("<IIHH", 0, ext.free_block + depth - 1, 0, 0)
        leaf = struct.pack("<IHHI", 0, 1, 0, 1000)
        header = struct.pack("<HHHHI", 0xF30A, room, room, depth, 0)
        return header + (below if depth else leaf) * room

    for depth in range(5):
        ext.put((ext.free_block + depth) * _BLOCK, node(depth, 340))
    ext.put(ext.inode + 0x28, node(5, 4))


def indirect(ext: Ext) -> None:
    """Blocks of numbers; all numbers of one are that of the next, the last are one data block."""
    for level in range(3):
        below = ext.free_block + level - 1 if level else 1000
        ext.put((ext.free_block + level) * _BLOCK, struct.pack("<I", below) * 1024)
    numbers = [ext.free_block + level for level in range(3)]
    ext.put(ext.inode + 0x28, bytes(48) + struct.pack("<III", *numbers))


@pytest.mark.parametrize(("kind", "attack"), [("ext4", extents), ("ext2", indirect)])
def test_a_file_of_ext_whose_tree_leads_to_one_block_is_read_once(
    tmp_path: Path, kind: str, attack: Callable[[Ext], None]
) -> None:
    ext = Ext(tmp_path, kind)
    attack(ext)
    result = scan(ext.image)
    assert is_damaged(result)
    assert result["counts"]["raw_extents"] < 10_000
