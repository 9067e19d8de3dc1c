"""The content of an image in one number: equal numbers, equal content, however sparse the file.

SHA-256 over every block of 4 KiB that is not all zero, each after its offset. Ageing by fallocate
writes no data, so there this is the file system's own structures: superblock, bitmaps, trees.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fsgauge.errors import RigError

BLOCK_BYTES = 4096
_PIECE_BYTES = 1 << 20
_ZERO = bytes(BLOCK_BYTES)


class Checksum(BaseModel):
    """`data_bytes` is what is not zero, in whole blocks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    size_bytes: int
    data_bytes: int


def checksum_of(file: Path) -> Checksum:
    """Read all data of `file`; raises RigError where that fails."""
    digest = hashlib.sha256()
    data_bytes = 0
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            for offset, block in data_blocks(descriptor):
                digest.update(offset.to_bytes(8, "little"))
                digest.update(block)
                data_bytes += len(block)
            size_bytes = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
    except OSError as error:
        raise RigError(f"cannot read {file}: {error.strerror}", next="dmesg | tail") from error
    digest.update(size_bytes.to_bytes(8, "little"))
    return Checksum(sha256=digest.hexdigest(), size_bytes=size_bytes, data_bytes=data_bytes)


def data_blocks(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Offset and content of each block that is not all zero, holes skipped without reading."""
    for begin, end in _data_ranges(descriptor):
        for offset in range(begin, end, _PIECE_BYTES):
            piece = os.pread(descriptor, min(_PIECE_BYTES, end - offset), offset)
            for at in range(0, len(piece), BLOCK_BYTES):
                block = piece[at : at + BLOCK_BYTES]
                if block != _ZERO[: len(block)]:
                    yield offset + at, block


def _data_ranges(descriptor: int) -> Iterator[tuple[int, int]]:
    """Where the file has data, in whole blocks that do not overlap."""
    size_bytes = os.fstat(descriptor).st_size
    end = 0
    while end < size_bytes:
        try:
            begin = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        hole = os.lseek(descriptor, begin, os.SEEK_HOLE)
        begin = max(begin - begin % BLOCK_BYTES, end)
        end = min(hole + -hole % BLOCK_BYTES, size_bytes)
        yield begin, end
