"""The rate at which a disk would move files that lie in given extents.

Positioning and transfer of every piece in its order, then the smaller of the disks' rate and what
the path lets through, softly: (media^-p + path^-p)^(-1/p). The head has no other work: journal,
metadata and parity of part stripes are not in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.aging.disk.parameters import Disk
from fsgauge.kinds.aging.disk.positioning import positioning_ns, transfer_rate
from fsgauge.kinds.aging.disk.requests import Extents, visited


def predict_rate(files: Sequence[Extents], disk: Disk) -> float | None:
    """Bytes per second of all streams together; None without extents. A file is a stream."""
    import numpy as np

    places, lengths = visited(files, disk)
    moved_bytes = float(lengths.sum())
    if moved_bytes == 0:
        return None
    gaps = places[1:] - (places[:-1] + lengths[:-1])
    transfer_ns = moved_bytes / (disk.data_disks * transfer_rate(disk)) * 1e9
    elapsed_ns = float(np.sum(positioning_ns(disk, gaps))) + transfer_ns
    media = moved_bytes * 1e9 / elapsed_ns
    p = disk.sharpness
    slower, faster = sorted((media, disk.path_rate))
    return float(slower * (1 + (slower / faster) ** p) ** (-1 / p))
