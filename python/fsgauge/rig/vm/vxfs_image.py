"""An image of VxFS with a folder's files, for the kernel's own driver, freevxfs, which only reads.

No tool of a distribution makes VxFS. This writes what that driver looks at (fs/freevxfs/*.h of the
kernel): little-endian, disk layout 4, blocks of 1 KiB, each file in one piece. There is no log, no
map of free space and no checksum, so it is no proof that a vendor's VxFS would take it.

    python3 -m fsgauge.rig.vm.vxfs_image FOLDER IMAGE
"""

from __future__ import annotations

import os
import shutil
import stat
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

BLOCK_BYTES = 1024
INODE_BYTES = 256
_PAGE_BYTES = 4096
_SUPERBLOCK, _TABLE, _STRUCTURE, _HEADERS, _INODES = 1, 16, 17, 21, 24
"""First blocks of the fixed places: superblock, object location table, structural inodes, fileset
headers, inodes of the files."""
_SUPER_MAGIC, _TABLE_MAGIC = 0xA501FCF5, 0xA504FCF5
_LAYOUT = 4
_ROOT = 2
_HEADER_INODE, _STRUCTURE_INODE, _LIST_INODE = 3, 4, 5
_HEADER_MODE, _LIST_MODE = 0x10000000, 0x20000000
_BY_EXTENTS, _IN_INODE = 1, 2
_MOST_IN_INODE_BYTES = 96
_DIRECT_EXTENTS = 10
_FILESET = 999
_FREE_BLOCKS = 64
_WORDS = 100
"""Of 32 bits, in the superblock as the driver knows it."""


@dataclass(frozen=True)
class _Extent:
    start: int = 0
    blocks: int = 0


_NOWHERE = _Extent()


def write_image(folder: Path, image: Path) -> int:
    """Write the files, folders and short links below `folder`; gives the image's size in bytes. An
    image that is there, or a device, is written from its beginning."""
    paths = [folder, *_below(folder)]
    number = {path: at + _ROOT for at, path in enumerate(paths)}
    inodes_bytes = _rounded((len(paths) + _ROOT) * INODE_BYTES, _PAGE_BYTES)
    inodes = bytearray(inodes_bytes)
    with image.open("r+b" if image.exists() else "w+b") as file:
        end = _INODES + inodes_bytes // BLOCK_BYTES
        for path in paths:
            inode, end = _written(file, path, number, end)
            at = number[path] * INODE_BYTES
            inodes[at : at + INODE_BYTES] = inode
        _put(file, _INODES, bytes(inodes))
        _put_structure(file, inodes_bytes, len(paths))
        _put(file, _SUPERBLOCK, _superblock(end + _FREE_BLOCKS))
        _put(file, end, bytes(_FREE_BLOCKS * BLOCK_BYTES))
        file.flush()
        os.fsync(file.fileno())
    return (end + _FREE_BLOCKS) * BLOCK_BYTES


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)


def _written(file: BinaryIO, path: Path, number: dict[Path, int], end: int) -> tuple[bytes, int]:
    facts = path.lstat()
    mode, mtime_s = facts.st_mode, int(facts.st_mtime)
    if stat.S_ISLNK(mode):
        target = os.fsencode(path.readlink())
        if len(target) > _MOST_IN_INODE_BYTES:
            raise ValueError(f"{path}: a link of more than {_MOST_IN_INODE_BYTES} bytes")
        return _inode(mode, len(target), mtime_s=mtime_s, inside=target), end
    if stat.S_ISDIR(mode):
        names = [(os.fsencode(each.name), number[each]) for each in sorted(path.iterdir())]
        data = _directory(names)
        _put(file, end, data)
        extent = _Extent(end, len(data) // BLOCK_BYTES)
        parent = number.get(path.parent, _ROOT)
        inode = _inode(mode, len(data), extent, links=2, parent=parent, mtime_s=mtime_s)
        return inode, end + extent.blocks
    with path.open("rb") as source:
        file.seek(end * BLOCK_BYTES)
        shutil.copyfileobj(source, file, 1 << 20)
    size_bytes = file.tell() - end * BLOCK_BYTES
    extent = _Extent(end, _rounded(size_bytes, BLOCK_BYTES) // BLOCK_BYTES)
    return _inode(mode, size_bytes, extent, mtime_s=mtime_s), end + extent.blocks


def _inode(
    mode: int,
    size_bytes: int,
    extent: _Extent = _NOWHERE,
    *,
    links: int = 1,
    parent: int = 0,
    mtime_s: int = 0,
    inside: bytes = b"",
) -> bytes:
    """One of 256 bytes, root's; `inside` is data that stands in the inode itself."""
    times = (mtime_s & 0xFFFFFFFF, 0) * 3
    head = struct.pack(
        "<4IQ6I2BHI2I2IQ",
        *(mode, links, 0, 0, size_bytes, *times),
        *(0, _IN_INODE if inside else _BY_EXTENTS, 0, 0, parent, 0, extent.blocks, 1, 0),
    )
    where = inside or struct.pack("<6I", 0, 1, 0, 0, extent.start, extent.blocks)
    return (head + where.ljust(_MOST_IN_INODE_BYTES, b"\0")).ljust(INODE_BYTES, b"\0")


def _directory(names: list[tuple[bytes, int]]) -> bytes:
    """Blocks of records: a head without hash chains, then each record; the last one fills it."""
    blocks: list[list[bytes]] = [[]]
    for name, inode in names:
        length = _rounded(10 + len(name), 4)
        if 4 + sum(map(len, blocks[-1])) + length > BLOCK_BYTES:
            blocks.append([])
        record = struct.pack("<IHHH", inode, length, len(name), 0) + name
        blocks[-1].append(record.ljust(length, b"\0"))
    return b"".join(map(_directory_block, blocks))


def _directory_block(records: list[bytes]) -> bytes:
    if not records:
        return bytes(BLOCK_BYTES)
    *others, last = records
    room = BLOCK_BYTES - 4 - sum(map(len, others))
    last = last[:4] + struct.pack("<H", room) + last[6:]
    return bytes(4) + b"".join(others) + last.ljust(room, b"\0")


def _put_structure(file: BinaryIO, inodes_bytes: int, files: int) -> None:
    """What leads from the superblock to the inodes: table, structural inodes, fileset headers."""
    own = {
        _HEADER_INODE: _inode(_HEADER_MODE, 2 * BLOCK_BYTES, _Extent(_HEADERS, 2)),
        _STRUCTURE_INODE: _inode(
            _LIST_MODE, _PAGE_BYTES, _Extent(_STRUCTURE, _PAGE_BYTES // BLOCK_BYTES)
        ),
        _LIST_INODE: _inode(
            _LIST_MODE, inodes_bytes, _Extent(_INODES, inodes_bytes // BLOCK_BYTES)
        ),
    }
    structure = b"".join(own.get(at, bytes(INODE_BYTES)) for at in range(16))
    _put(file, _STRUCTURE, structure)
    for at, (fileset, listed) in enumerate([(1, _STRUCTURE_INODE), (_FILESET, _LIST_INODE)]):
        header = struct.pack(
            "<15I", _LAYOUT, fileset, 0, 0, 0, files, 1, 0, 0, 0, 0, 0, listed, listed, 0
        )
        _put(file, _HEADERS + at, header.ljust(BLOCK_BYTES, b"\0"))
    head = struct.pack("<14I", _TABLE_MAGIC, 56, 0, 0, 0, 0, 0, _TABLE, _TABLE, 1, 0, 0, 0, 0)
    entries = struct.pack("<4I", 2, 16, _HEADER_INODE, _HEADER_INODE)
    entries += struct.pack("<4I", 4, 16, _STRUCTURE, _STRUCTURE)
    rest = struct.pack("<2I", 1, BLOCK_BYTES - len(head) - len(entries))
    _put(file, _TABLE, (head + entries + rest).ljust(BLOCK_BYTES, b"\0"))


def _superblock(blocks: int) -> bytes:
    """By the number of each word of 32 bits."""
    words = dict.fromkeys(range(_WORDS), 0) | {
        0: _SUPER_MAGIC,
        1: _LAYOUT,
        8: BLOCK_BYTES,
        9: blocks,
        10: blocks,
        16: _MOST_IN_INODE_BYTES,
        17: _DIRECT_EXTENTS,
        42: BLOCK_BYTES.bit_length() - 1,
        44: -BLOCK_BYTES & 0xFFFFFFFF,
        45: BLOCK_BYTES - 1,
        48: _FREE_BLOCKS,
        92: _TABLE,
        93: _TABLE,
        94: 1,
        97: INODE_BYTES,
    }
    return struct.pack(f"<{_WORDS}I", *words.values()).ljust(BLOCK_BYTES, b"\0")


def _put(file: BinaryIO, block: int, data: bytes) -> None:
    file.seek(block * BLOCK_BYTES)
    file.write(data)


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step


if __name__ == "__main__":
    write_image(Path(sys.argv[1]), Path(sys.argv[2]))
