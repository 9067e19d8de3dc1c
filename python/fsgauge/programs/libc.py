"""Calls of the C library that Python does not have."""

from __future__ import annotations

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)


def last_error(name: str | None = None) -> OSError:
    """Why the call before has failed in this thread; `name` is the file or the call."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), name)
