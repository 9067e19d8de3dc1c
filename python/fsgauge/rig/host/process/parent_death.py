"""Children that die with their parent: the kernel kills them when the thread that began them ends.

The kernel forgets that of a process that changes its user, so what does must have an unchanging
process above it that takes it along (`unshare --pid --kill-child`).
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
# Found here, not in the child: another thread may have held the loader's lock when it was forked.
_PRCTL = ctypes.CDLL(None, use_errno=True).prctl
_PRCTL.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_PRCTL.restype = ctypes.c_int


def killed_with_parent() -> Callable[[], None]:
    """What a child does before it becomes another program (`preexec_fn`)."""
    parent = os.getpid()

    def arrange() -> None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before it could be arranged
            os._exit(1)

    return arrange
