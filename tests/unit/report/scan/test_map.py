"""The curve visits every place once, each beside the last; the picture is a PNG of its cells."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest

from fsgauge.report.scan.map import hilbert_picture, places
from tests.scan_example import example


@pytest.mark.parametrize("order", [1, 2, 3, 5, 8])
def test_neighbours_on_the_device_are_neighbours_in_the_picture(order: int) -> None:
    x, y = places(order)
    assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == 4**order
    steps = abs(x[1:] - x[:-1]) + abs(y[1:] - y[:-1])
    assert set(steps.tolist()) == {1}
    assert (x[0], y[0]) == (0, 0) and (x[-1], y[-1]) == (2**order - 1, 0)


def pixels_of(picture: str) -> tuple[int, list[bytes]]:
    """Width and rows of an indexed PNG; every checksum is checked."""
    raw = base64.b64decode(picture.removeprefix("data:image/png;base64,"))
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    at, width, body = 8, 0, b""
    while at < len(raw):
        (length,) = struct.unpack_from(">I", raw, at)
        name, data = raw[at + 4 : at + 8], raw[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", raw, at + 8 + length) == (zlib.crc32(name + data),)
        if name == b"IHDR":
            width = struct.unpack(">I", data[:4])[0]
        body += data if name == b"IDAT" else b""
        at += length + 12
    rows = zlib.decompress(body)
    step = width + 1
    return width, [rows[begin + 1 : begin + step] for begin in range(0, len(rows), step)]


def test_each_cell_is_where_the_curve_puts_it() -> None:
    area = example(map_order=3).map
    assert area is not None
    width, rows = pixels_of(hilbert_picture(area))
    assert (width, len(rows)) == (8, 8)
    x, y = places(3)
    for cell in range(64):
        index = rows[y[cell]][x[cell]]
        is_free, is_data = area.free[cell] == 255, area.data[cell] == 255
        assert (index == 0) == is_free
        assert (index == 2 + 59) == is_data


def test_a_cell_that_is_hardly_used_is_seen_and_one_of_no_chunk_is_told_apart() -> None:
    area = example(map_order=1).map
    assert area is not None
    area = area.model_copy(
        update={
            "data": [1, 0, 0, 120],
            "metadata": [0, 0, 0, 100],
            "free": [254, 255, 0, 35],
            "unallocated": [0, 0, 255, 0],
        }
    )
    _, rows = pixels_of(hilbert_picture(area))
    x, y = places(1)
    first, free, none, mixed = (rows[y[cell]][x[cell]] for cell in range(4))
    assert (first, free, none) == (2, 0, 1)
    assert 2 < mixed < 62, "most of the used part is data"
