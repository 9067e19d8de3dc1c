"""From files to the order in which a disk meets their pieces.

Each stream moves one file in order, a request at a time; streams take turns. A window of requests
is sorted by place, as a queue in kernel and drive does, and pieces that touch are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.aging.disk.parameters import Disk

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Extents:
    """One file: places and lengths of its extents in bytes, in the order of the file."""

    physical_bytes: Sequence[int]
    length_bytes: Sequence[int]


def visited(files: Sequence[Extents], disk: Disk) -> tuple[Numbers, Numbers]:
    """Places and lengths of all pieces as the disk meets them; empty without extents."""
    import numpy as np

    pieces = [_pieces(file, disk.request_size) for file in files if len(file.length_bytes)]
    if not pieces:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing
    stream = np.concatenate([np.full(len(p[0]), index) for index, p in enumerate(pieces)])
    request, physical, length = (
        np.concatenate([piece[part] for piece in pieces]) for part in range(3)
    )
    window = _arrival(request, stream, len(pieces)) // disk.window
    order = np.lexsort((physical, window))
    return physical[order], length[order]


def _pieces(file: Extents, request_size: int) -> tuple[Numbers, Numbers, Numbers]:
    """Request number, place and length of each piece: cut where a request or an extent ends."""
    import numpy as np

    lengths = np.asarray(file.length_bytes, dtype=np.int64)
    places = np.asarray(file.physical_bytes, dtype=np.int64)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    size = int(ends[-1])
    cuts = np.union1d(starts, np.arange(0, size, request_size, dtype=np.int64))
    extent = np.searchsorted(starts, cuts, side="right") - 1
    length = np.diff(np.append(cuts, size))
    return cuts // request_size, places[extent] + cuts - starts[extent], length


def _arrival(request: Numbers, stream: Numbers, streams: int) -> Numbers:
    """The rank of each piece's request among all: streams take turns until each one's end."""
    import numpy as np

    _, rank = np.unique(request * streams + stream, return_inverse=True)
    return np.asarray(rank)
