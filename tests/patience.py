"""How long a test waits: its own limit on a quiet machine, and longer on one that is busy.

A limit is there so that what hangs ends, and is never what is tested. So every test writes down
what is ample on a quiet machine and asks here how long that is now.
"""

from __future__ import annotations

import os

_MOST = 10.0
"""What hangs is to end while somebody still waits for the tests."""


def patience(seconds: float) -> float:
    """The limit in seconds, longer by the number of processes that wait for each processor."""
    waiting = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    return seconds * min(_MOST, max(1.0, waiting))
