"""The checksum is of content: holes and zeros are the same, one changed byte is not."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from fsgauge.age.image import BLOCK_BYTES, _copied, checksum_of
from fsgauge.errors import InputError

MEBIBYTE = 1 << 20


def image(path: Path, *pieces: tuple[int, bytes], size_bytes: int = 8 * MEBIBYTE) -> Path:
    with path.open("wb") as file:
        file.truncate(size_bytes)
        for offset, data in pieces:
            file.seek(offset)
            file.write(data)
    return path


def test_it_is_what_the_definition_says(tmp_path: Path) -> None:
    file = image(tmp_path / "a", (3 * BLOCK_BYTES + 7, b"x"))
    block = bytes(7) + b"x" + bytes(BLOCK_BYTES - 8)
    expected = hashlib.sha256()
    for part in ((3 * BLOCK_BYTES).to_bytes(8, "little"), block):
        expected.update(part)
    expected.update((8 * MEBIBYTE).to_bytes(8, "little"))
    found = checksum_of(file)
    assert found.sha256 == expected.hexdigest()
    assert (found.size_bytes, found.data_bytes) == (8 * MEBIBYTE, BLOCK_BYTES)


def test_written_zeros_are_holes(tmp_path: Path) -> None:
    sparse = image(tmp_path / "a", (5000, b"one"), (3 * MEBIBYTE - 1, b"two"))
    full = image(
        tmp_path / "b", (0, bytes(8 * MEBIBYTE)), (5000, b"one"), (3 * MEBIBYTE - 1, b"two")
    )
    assert checksum_of(sparse) == checksum_of(full)


def test_every_change_is_seen(tmp_path: Path) -> None:
    piece = (MEBIBYTE, b"data")
    files = [
        image(tmp_path / "a", piece),
        image(tmp_path / "b", (MEBIBYTE, b"dato")),
        image(tmp_path / "c", (MEBIBYTE + BLOCK_BYTES, b"data")),
        image(tmp_path / "d", piece, size_bytes=9 * MEBIBYTE),
        image(tmp_path / "e"),
    ]
    assert len({checksum_of(file).sha256 for file in files}) == len(files)


def test_an_end_within_a_block_is_read(tmp_path: Path) -> None:
    file = image(tmp_path / "a", (BLOCK_BYTES, b"abc"), size_bytes=BLOCK_BYTES + 3)
    assert checksum_of(file).data_bytes == 3


def test_a_fifo_in_place_of_an_image_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    """It was opened without O_NONBLOCK: the command waited for a writer without end."""
    os.mkfifo(tmp_path / "aged.img")
    with pytest.raises(InputError, match="is not a regular file"):
        _copied(tmp_path / "aged.img", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
