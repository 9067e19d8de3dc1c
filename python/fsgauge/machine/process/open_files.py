"""The descriptors that a process has open, in whichever table: threads may have tables of their own
(unshare(2) with CLONE_FILES), as the engine's have, and /proc/PID/fd shows that of the first thread
alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


def descriptor_links(pid: int) -> Iterator[Path]:
    """The link of each descriptor, below the folder of a thread that has it: once for each thread.
    Nothing of another user's process, or of one that has ended."""
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return
    for thread in threads:
        with contextlib.suppress(OSError):
            yield from list((thread / "fd").iterdir())
