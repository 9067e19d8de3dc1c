"""Memory that the hypervisor has supplied already, before a program is timed that needs it.

A virtual machine's memory is not all there: who touches a page that the hypervisor holds back, or
took back while it was free, waits for it. Where this was found, a GiB took 450 ms to touch, and
2,800 ms where it was not there, which was so beyond the first 8 GiB or so whenever they were
touched. A program that fills the page cache is timed by that.
"""

from __future__ import annotations

import mmap


def back_memory(size_bytes: int) -> None:
    """Touch as much, and free it: who asks for memory next gets what was touched."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    mmap.mmap(-1, size_bytes, flags=flags).close()
