"""Pixels as a PNG at a data address (PNG 1.2, 3.2 and 4.1 to 4.2.1)."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

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
