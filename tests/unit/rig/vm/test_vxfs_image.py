"""An image of VxFS leads from its superblock to every byte of each file, as the driver goes."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fsgauge.rig.vm.vxfs_image import BLOCK_BYTES, INODE_BYTES, write_image

FOLDER, FILE, LINK = 0o040000, 0o100000, 0o120000


class Image:
    """Reads as fs/freevxfs does: superblock, table, structural inodes, filesets, inodes."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        magic, layout = struct.unpack_from("<2I", self._data, BLOCK_BYTES)
        assert (magic, layout) == (0xA501FCF5, 4)
        (self._table,) = struct.unpack_from("<I", self._data, BLOCK_BYTES + 92 * 4)
        entries = self._entries()
        self._structure = entries[4]
        headers = self._content(self._structural(entries[2]))
        (of_files,) = struct.unpack_from("<I", headers, BLOCK_BYTES + 12 * 4)
        self._inodes = self._content(self._structural(of_files))

    def tree(self) -> dict[str, bytes]:
        """Every path with what is in it; a link's target."""
        return dict(self._below("", 2))

    def _below(self, path: str, number: int) -> list[tuple[str, bytes]]:
        inode = self._inodes[number * INODE_BYTES : (number + 1) * INODE_BYTES]
        (mode,) = struct.unpack_from("<I", inode)
        if mode & 0o170000 != FOLDER:
            assert mode & 0o170000 in (FILE, LINK)
            return [(path, self._content(inode))]
        found = []
        for name, child in self._names(self._content(inode)):
            found += self._below(f"{path}/{name}", child)
        return found

    def _names(self, data: bytes) -> list[tuple[str, int]]:
        found = []
        for start in range(0, len(data), BLOCK_BYTES):
            at = start + 4
            while at < start + BLOCK_BYTES:
                number, length, of_name, _ = struct.unpack_from("<IHHH", data, at)
                if length == 0:
                    break
                assert length % 4 == 0
                found.append((data[at + 10 : at + 10 + of_name].decode(), number))
                at += length
            else:
                assert at == start + BLOCK_BYTES, "the last record ends with its block"
        return found

    def _entries(self) -> dict[int, int]:
        base = self._table * BLOCK_BYTES
        (magic, size) = struct.unpack_from("<2I", self._data, base)
        assert magic == 0xA504FCF5
        found, at = {}, base + size
        while at < base + BLOCK_BYTES:
            kind, length = struct.unpack_from("<2I", self._data, at)
            if kind != 1:
                (found[kind],) = struct.unpack_from("<I", self._data, at + 8)
            at += length
        return found

    def _structural(self, number: int) -> bytes:
        at = self._structure * BLOCK_BYTES + number * INODE_BYTES
        return self._data[at : at + INODE_BYTES]

    def _content(self, inode: bytes) -> bytes:
        (size,) = struct.unpack_from("<Q", inode, 16)
        if inode[49] == 2:
            return inode[80 : 80 + size]
        start, blocks = struct.unpack_from("<2I", inode, 96)
        assert size <= blocks * BLOCK_BYTES
        return self._data[start * BLOCK_BYTES : start * BLOCK_BYTES + size]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Empty, small, large and many files, and a link."""
    found = tmp_path / "files"
    (found / "sub" / "deep").mkdir(parents=True)
    (found / "none").mkdir()
    (found / "empty").touch()
    (found / "small").write_bytes(b"hello")
    (found / "sub" / "block").write_bytes(b"b" * BLOCK_BYTES)
    (found / "sub" / "large").write_bytes(bytes(range(256)) * 1000 + b"end")
    (found / "link").symlink_to("sub/large")
    for number in range(100):
        (found / "sub" / "deep" / f"a-longer-name-{number}").write_text(str(number))
    return found


def test_every_file_is_found_with_what_is_in_it(folder: Path, tmp_path: Path) -> None:
    size = write_image(folder, tmp_path / "image")
    assert (tmp_path / "image").stat().st_size == size
    expected = {
        f"/{path.relative_to(folder)}": (
            str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        )
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }
    assert Image(tmp_path / "image").tree() == expected


def test_a_disk_is_written_from_its_beginning(folder: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(b"\xff" * (4 << 20))
    write_image(folder, disk)
    assert disk.stat().st_size == 4 << 20
    assert Image(disk).tree()["/small"] == b"hello"


def test_a_link_that_does_not_fit_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "far").symlink_to("x" * 97)
    with pytest.raises(ValueError, match="more than 96 bytes"):
        write_image(folder, tmp_path / "image")
