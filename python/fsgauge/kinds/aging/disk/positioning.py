"""What it takes one disk to come from the end of one transfer to the start of the next.

Seek curve: the root of the distance up to a third of all tracks, a line beyond (Ruemmler and
Wilkes, "An introduction to disk drive modeling", IEEE Computer 27/3, 1994, give the form).
Transfer: constant density, so the rate falls with the radius.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.aging.disk.parameters import Disk

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]


def transfer_rate(disk: Disk) -> float:
    """Bytes per second of one disk at its `position`."""
    outer, inner = disk.outer_rate**2, disk.inner_rate**2
    return math.sqrt(outer - disk.position / 100 * (outer - inner))


def seek_ns(disk: Disk, tracks: Numbers) -> Numbers:
    """Time to pass so many tracks; `tracks` need not be whole, and 0 still is a new track."""
    import numpy as np

    third = disk.cylinders / 3
    near = disk.seek_single + (disk.seek_average - disk.seek_single) * np.sqrt(tracks / third)
    slope = (disk.seek_full - disk.seek_average) / (disk.cylinders - third)
    far = disk.seek_average + slope * (tracks - third)
    return np.asarray(np.where(tracks <= third, near, far))


def positioning_ns(disk: Disk, gaps: Numbers) -> Numbers:
    """Time for each gap in bytes of the array: none for 0; small ones ahead are read through."""
    import numpy as np

    own = np.abs(gaps) / disk.data_disks
    wait_ns = disk.rotational_wait / 100 * 60e9 / disk.revolutions_per_minute
    moved = seek_ns(disk, own / disk.cylinder_size) + wait_ns + disk.overhead
    passed = own / transfer_rate(disk) * 1e9
    return np.where(gaps == 0, 0.0, np.where(gaps > 0, np.minimum(passed, moved), moved))
