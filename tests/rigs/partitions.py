"""A disk that is divided, without a program that divides disks."""

from __future__ import annotations

import struct

_SECTORS = 2048
"""Of 512 bytes, in a mebibyte."""


def partition_table(places: list[tuple[int, int]]) -> bytes:
    """A master boot record with Linux partitions that begin at, and have, so many mebibytes."""
    entries = [
        struct.pack("<B3sB3sII", 0, b"\0\0\0", 0x83, b"\0\0\0", begin * _SECTORS, size * _SECTORS)
        for begin, size in places
    ]
    return bytes(440) + b"\x12\x34\x56\x78\0\0" + b"".join(entries).ljust(64, b"\0") + b"\x55\xaa"
