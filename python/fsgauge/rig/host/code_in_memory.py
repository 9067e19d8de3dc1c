"""The engine's code in memory, whatever is done to caches.

Caches are dropped before a run, and the engine starts after that. Without this it reads its own
code from the disk again, some of it while it is timed. In an emulated machine, whose files are
compressed, that made one write of 8 MiB take 0.1 s or 0.5 s, by chance (Linux 6.1, squashfs).
"""

from __future__ import annotations

import functools
import mmap
import os
from pathlib import Path

from fsgauge.programs import find_engine


@functools.cache
def keep_code_in_memory() -> tuple[mmap.mmap, ...]:
    """Map the engine, and all that this process executes: it shares the C library with the engine.

    The kernel drops no page that is mapped. The mappings last as long as this process. A file that
    cannot be mapped is left out: then it is read again, as before.
    """
    found = [_mapped(path) for path in (find_engine(), *_executed_here())]
    return tuple(each for each in found if each is not None)


def _executed_here() -> list[Path]:
    fields = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
    executed = {each[5] for each in fields if len(each) == 6 and "x" in each[1]}
    return [Path(path) for path in sorted(executed) if path.startswith("/")]


def _mapped(path: Path) -> mmap.mmap | None:
    flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return mmap.mmap(descriptor, 0, flags=flags, prot=mmap.PROT_READ)
    except (OSError, ValueError):  # such as an empty file
        return None
    finally:
        os.close(descriptor)
