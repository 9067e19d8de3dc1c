"""Small maps: a piece smaller than its cell is seen."""

from __future__ import annotations

import base64
import struct
import zlib

from fsgauge.engine.wire import ScanMap
from fsgauge.kinds.aging.page import blended_picture
from fsgauge.report.scan.map import COLOURS


def pixels_of(area: ScanMap) -> list[tuple[int, ...]]:
    """Colours along the rows of the picture, of one colour a cell."""
    image = base64.b64decode(blended_picture(area).removeprefix("data:image/png;base64,"))
    assert image.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", image[16:24])
    start = image.index(b"IDAT")
    (length,) = struct.unpack(">I", image[start - 4 : start])
    raw = zlib.decompress(image[start + 4 : start + 4 + length])
    line = 1 + 4 * width
    assert len(raw) == line * height
    return [
        tuple(raw[line * y + 1 + 4 * x : line * y + 5 + 4 * x])
        for y in range(height)
        for x in range(width)
    ]


def area(data: int, free: int, metadata: int = 0) -> ScanMap:
    return ScanMap(
        order=1,
        cell_bytes=1 << 20,
        data=[data] * 4,
        metadata=[metadata] * 4,
        free=[free] * 4,
        unallocated=[0] * 4,
        owner=[-1] * 4,
        names=[],
    )


def test_one_kind_alone_has_its_own_colour() -> None:
    assert pixels_of(area(255, 0))[0] == (*COLOURS["data"], 255)
    assert pixels_of(area(0, 0, 255))[0] == (*COLOURS["metadata"], 255)
    free = pixels_of(area(0, 255))[0]
    assert free[:3] == COLOURS["free"] and free[3] < 80


def test_a_quarter_of_a_cell_is_seen_among_other_files() -> None:
    """The rest of such a cell is in use by files that were not scanned."""
    red, green, blue, strength = pixels_of(area(64, 0))[0]
    other = pixels_of(area(0, 0))[0]
    assert blue - other[2] > 20 and other[0] - red > 40 and strength > 200
    assert green != other[1]


def test_what_is_free_stays_faint_beside_a_small_piece() -> None:
    assert 60 < pixels_of(area(26, 229))[0][3] < 180
