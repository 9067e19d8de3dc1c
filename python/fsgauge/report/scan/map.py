"""What a cell of a scan's map holds: shares, what most of it is, and its colour.

Takes a `wire.ScanMap`; gives arrays with one entry a cell, along the device. What is neither data
of scanned files, nor metadata, free or unallocated is "other": in use by what was not scanned.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any

from fsgauge.engine.wire import ScanMap

if TYPE_CHECKING:
    import numpy as np

KINDS = ("data", "metadata", "other", "free", "unallocated")
COLOURS = {
    "data": (0, 114, 178),
    "metadata": (213, 94, 0),
    "other": (120, 120, 130),
    "free": (0, 158, 115),
    "unallocated": (204, 121, 167),
}
"""Okabe and Ito (2008); readable on light and on dark paper."""
NAMES = {
    "data": "data of scanned files",
    "metadata": "the file system's own",
    "other": "in use, not by scanned files",
    "free": "free",
    "unallocated": "unallocated (btrfs, no chunk)",
}
_ROUNDING = 3


def shares_of(area: ScanMap) -> dict[str, np.ndarray[Any, Any]]:
    """By kind, the share of each cell, 0 to 255."""
    import numpy as np

    known = {
        kind: np.asarray(getattr(area, kind), dtype=np.int32) for kind in KINDS if kind != "other"
    }
    rest = 255 - sum(known.values(), np.zeros(len(area.data), dtype=np.int32))
    known["other"] = np.where(rest > _ROUNDING, np.clip(rest, 0, 255), 0)
    return {kind: known[kind] for kind in KINDS}


def folded(shares: np.ndarray[Any, Any], columns: int) -> np.ndarray[Any, Any]:
    """Means over runs of cells: as many columns as asked for, at most one a cell."""
    import numpy as np

    edges = np.linspace(0, len(shares), min(columns, len(shares)) + 1).astype(int)
    sums = np.add.reduceat(shares.astype(float), edges[:-1])
    return np.asarray(sums / np.diff(edges))


_LEVELS = 60
_USED = ("data", "metadata", "other")
_FAINT = 60
_LEAST = 70
"""Strength of a cell that is hardly used, of 255: it must be seen."""


def hilbert_picture(area: ScanMap) -> str:
    """The map as `data:image/png;base64,...`."""
    import numpy as np

    side = 1 << area.order
    x, y = places(area.order)
    pixels = np.zeros((side, side), dtype=np.uint8)
    pixels[y, x] = _indices(area)
    return indexed_png(pixels, _palette())


def places(order: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Column and row of each cell along the curve."""
    import numpy as np

    along = np.arange(4**order, dtype=np.int64)
    x, y = np.zeros_like(along), np.zeros_like(along)
    rest = along.copy()
    for level in range(order):
        size = 1 << level
        right = (rest // 2) & 1
        down = (rest ^ right) & 1
        turned = down == 0
        mirrored = turned & (right == 1)
        x, y = np.where(mirrored, size - 1 - x, x), np.where(mirrored, size - 1 - y, y)
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        x, y = x + size * right, y + size * down
        rest //= 4
    return x, y


def _indices(area: ScanMap) -> np.ndarray[Any, Any]:
    """The palette's entry of each cell: 0 free, 1 unallocated, then levels of each used kind."""
    import numpy as np

    shares = shares_of(area)
    used = np.stack([shares[kind] for kind in _USED])
    most = used.argmax(axis=0)
    fill = np.clip(used.sum(axis=0), 0, 255)
    level = np.clip((fill * _LEVELS + 254) // 255, 1, _LEVELS) - 1
    empty = np.where(shares["unallocated"] > shares["free"], 1, 0)
    return np.where(fill > 0, 2 + most * _LEVELS + level, empty).astype(np.uint8)


def _palette() -> list[tuple[int, int, int, int]]:
    """Red, green, blue, strength."""
    entries = [(*COLOURS["free"], _FAINT), (*COLOURS["unallocated"], _FAINT)]
    for kind in _USED:
        for level in range(_LEVELS):
            strength = _LEAST + (255 - _LEAST) * (level + 1) // _LEVELS
            entries.append((*COLOURS[kind], strength))
    return entries


_INDEXED, _RED_GREEN_BLUE_STRENGTH = 3, 6
Colour = tuple[int, int, int, int]
"""Red, green, blue, strength."""


def indexed_png(pixels: np.ndarray[Any, Any], palette: list[Colour]) -> str:
    """Rows of bytes that index a palette, as `data:image/png;base64,...`."""
    more = (
        _chunk(b"PLTE", b"".join(bytes(entry[:3]) for entry in palette)),
        _chunk(b"tRNS", bytes(entry[3] for entry in palette)),
    )
    return _address(pixels, _INDEXED, more)


def coloured_png(pixels: np.ndarray[Any, Any]) -> str:
    """Rows of colours, four bytes each, as `data:image/png;base64,...`."""
    return _address(pixels, _RED_GREEN_BLUE_STRENGTH, ())


def _address(pixels: np.ndarray[Any, Any], kind: int, more: tuple[bytes, ...]) -> str:
    """Eight bits a sample, no filter."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    image = b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
            *more,
            _chunk(b"IDAT", zlib.compress(rows, 9)),
            _chunk(b"IEND", b""),
        )
    )
    return "data:image/png;base64," + base64.b64encode(image).decode()


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)
