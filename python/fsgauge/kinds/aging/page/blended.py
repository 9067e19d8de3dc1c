"""A small map of the device whose cells blend the colours of what they hold.

Cells of a small picture are larger than pieces of files: one colour a cell would hide a file that
has a quarter of each. So every kind colours its cell, the streams' files more than their share.
"""

from __future__ import annotations

from fsgauge.report.scan.map import COLOURS, places, shares_of
from fsgauge.report.scan.png import coloured_png
from fsgauge.wire import ScanMap

STRENGTHS = {"data": 1.0, "metadata": 1.0, "other": 0.8, "free": 0.24, "unallocated": 0.24}
_LOUDER = 0.5
"""The power of the share of the streams' files: a quarter of a cell counts as a half."""


def blended_picture(area: ScanMap) -> str:
    """The map along the Hilbert curve, as `data:image/png;base64,...`."""
    import numpy as np

    shares = {kind: share / 255 for kind, share in shares_of(area).items()}
    shares["data"] = shares["data"] ** _LOUDER
    rest = sum(share for kind, share in shares.items() if kind != "data")
    room = np.where(rest > 0, (1 - shares["data"]) / np.where(rest > 0, rest, 1), 0)
    weights = {kind: s if kind == "data" else s * room for kind, s in shares.items()}
    colours = np.zeros((len(area.data), 4))
    for kind, weight in weights.items():
        strength = weight * STRENGTHS[kind]
        colours[:, :3] += strength[:, None] * np.array(COLOURS[kind])
        colours[:, 3] += strength
    colours[:, :3] /= np.maximum(colours[:, 3:], 1e-9)
    colours[:, 3] = np.minimum(colours[:, 3], 1) * 255
    side = 1 << area.order
    pixels = np.zeros((side, side, 4), dtype=np.uint8)
    x, y = places(area.order)
    pixels[y, x] = np.round(colours).astype(np.uint8)
    return coloured_png(pixels)
