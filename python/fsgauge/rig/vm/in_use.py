"""Guests, kernels and labs that a run uses: held while it goes on, and not removed meanwhile.

A run that loses its machines starts others from the same images.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fsgauge.errors import RigError


@contextmanager
def in_use(paths: Iterable[Path]) -> Iterator[None]:
    """Folders and images of the cache, held until the context ends; several runs may hold one."""
    with ExitStack() as stack:
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield


def is_in_use(path: Path) -> bool:
    """Whether a run holds it now."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def require_unused(paths: Iterable[Path]) -> None:
    """RigError for the first one that a run holds."""
    for path in paths:
        if is_in_use(path):
            raise RigError(
                f"{path.name} is in use by a run",
                cause="machines are started from it as long as that run goes on",
                next=f"fuser -v {path}; remove it after that run",
            )
