"""Gives a new btrfs a block group tree, as mkfs.btrfs does since 6.3 (Debian 12 has 6.2).

Items of block groups move from the tree of extents to a tree of their own, number 11, whose one
block is taken from what is free for metadata. Source: "On-disk format" of btrfs-progs 6.2 and
fs/btrfs/block-group.c of Linux 6.12.
"""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

from tests.patience import patience

SUPERBLOCKS = (64 << 10, 64 << 20)
LEAF_HEADER = 0x65
EXTENTS, CHECKSUMS, FREE_SPACE, BLOCK_GROUPS = 2, 7, 10, 11
ROOT, METADATA, GROUP, FREE = 132, 169, 192, 199
Key = tuple[int, int, int]
_TABLE = []
for _byte in range(256):
    for _ in range(8):
        _byte = _byte >> 1 ^ (0x82F63B78 if _byte & 1 else 0)
    _TABLE.append(_byte)


def checksum(data: bytes) -> bytes:
    """CRC-32C."""
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ _TABLE[(value ^ byte) & 255]
    return struct.pack("<I", value ^ 0xFFFFFFFF)


class Leaf:
    """The one block of a tree, its items in order."""

    def __init__(self, data: bytes) -> None:
        assert data[0x64] == 0, "the tree has several blocks"
        self.header, self.size = bytearray(data[:LEAF_HEADER]), len(data)
        self.items: dict[Key, bytes] = {}
        for number in range(int.from_bytes(data[0x60:0x64], "little")):
            at = LEAF_HEADER + 25 * number
            object_, kind, offset, begin, length = struct.unpack("<QBQII", data[at : at + 25])
            begin += LEAF_HEADER
            self.items[object_, kind, offset] = data[begin : begin + length]

    def packed(self) -> bytes:
        """Items from the head on, their contents from the end back, with the checksum."""
        keys, contents, end = b"", b"", self.size - LEAF_HEADER
        for key, data in sorted(self.items.items()):
            end -= len(data)
            keys += struct.pack("<QBQII", *key, end, len(data))
            contents = data + contents
        self.header[0x60:0x64] = struct.pack("<I", len(self.items))
        room = self.size - LEAF_HEADER - len(keys) - len(contents)
        whole = bytes(self.header) + keys + bytes(room) + contents
        return checksum(whole[32:]) + bytes(28) + whole[32:]


class Volume:
    """A btrfs on one device, not mounted."""

    def __init__(self, device: str) -> None:
        self.device = device
        with Path(device).open("rb") as file:
            file.seek(SUPERBLOCKS[0])
            self.superblock = bytearray(file.read(4096))
        (self.node_size,) = struct.unpack_from("<I", self.superblock, 0x94)

    def places(self, address: int) -> list[int]:
        done = subprocess.run(
            ["btrfs-map-logical", "-l", str(address), self.device],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience(60),
        )
        return [int(each) for each in re.findall(r"physical (\d+)", done.stdout)]

    def read(self, address: int) -> Leaf:
        with Path(self.device).open("rb") as file:
            file.seek(self.places(address)[0])
            return Leaf(file.read(self.node_size))

    def write(self, address: int, leaf: Leaf, *, ahead: int = 0) -> None:
        """So many bytes ahead of an address: of what is free the tool does not tell the place."""
        with Path(self.device).open("rb+") as file:
            for place in self.places(address):
                file.seek(place + ahead)
                file.write(leaf.packed())

    def write_superblocks(self) -> None:
        with Path(self.device).open("rb+") as file:
            for place in SUPERBLOCKS:
                struct.pack_into("<Q", self.superblock, 0x30, place)
                self.superblock[:32] = checksum(self.superblock[32:]) + bytes(28)
                file.seek(place)
                file.write(self.superblock)


def add_block_group_tree(device: str) -> None:
    volume = Volume(device)
    generation, root_address = struct.unpack_from("<QQ", volume.superblock, 0x48)
    roots = volume.read(root_address)

    def root_of(tree: int) -> int:
        return int(struct.unpack_from("<Q", roots.items[tree, ROOT, 0], 176)[0])

    extents, free = volume.read(root_of(EXTENTS)), volume.read(root_of(FREE_SPACE))
    groups = {key: data for key, data in extents.items.items() if key[1] == GROUP}
    is_metadata = 1 << 2
    group = next(key for key, data in groups.items() if data[16] & is_metadata)
    inside = range(group[0], group[0] + group[2])
    # The first free piece of the group for metadata gives its first block.
    piece = next(key for key in free.items if key[1] == FREE and key[0] in inside)
    address, _, length = piece
    del free.items[piece]
    free.items[address + volume.node_size, FREE, length - volume.node_size] = b""
    used, *others = struct.unpack("<QQQ", groups[group])
    groups[group] = struct.pack("<QQQ", used + volume.node_size, *others)
    own = Leaf(extents.packed())
    own.items = groups
    own.header[0x30:0x38] = struct.pack("<Q", address)
    own.header[0x50:0x60] = struct.pack("<QQ", generation, BLOCK_GROUPS)
    for key in groups:
        del extents.items[key]
    reference = struct.pack("<QQQBQ", 1, generation, 2, 176, BLOCK_GROUPS)
    extents.items[address, METADATA, 0] = reference
    root = bytearray(roots.items[CHECKSUMS, ROOT, 0])
    for at, value in (
        (160, generation),
        (176, address),
        (192, volume.node_size),
        (239, generation),
    ):
        struct.pack_into("<Q", root, at, value)
    roots.items[BLOCK_GROUPS, ROOT, 0] = bytes(root)
    assert root_address in inside
    volume.write(root_address, own, ahead=address - root_address)
    volume.write(root_of(EXTENTS), extents)
    volume.write(root_of(FREE_SPACE), free)
    volume.write(root_address, roots)
    (bytes_used,) = struct.unpack_from("<Q", volume.superblock, 0x78)
    struct.pack_into("<Q", volume.superblock, 0x78, bytes_used + volume.node_size)
    volume.superblock[0xB4] |= 1 << 3
    volume.write_superblocks()
