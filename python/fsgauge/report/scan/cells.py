"""What a cell of a scan's map holds: shares, what most of it is, and its colour.

Takes a `wire.ScanMap`; gives arrays with one entry a cell, along the device. What is neither data
of scanned files, nor metadata, free or unallocated is "other": in use by what was not scanned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.wire import ScanMap

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
    "unallocated": "room in no chunk yet (btrfs)",
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
