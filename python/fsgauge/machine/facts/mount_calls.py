"""mount(2) and umount2(2), made by this process itself; each gives 0 or an error number."""

from __future__ import annotations

import ctypes
import os

READ_ONLY, REMOUNT = 1, 32
OF_WHAT_IS_MOUNTED = REMOUNT | 4096 | 8192 | 0xE0000
"""Also bind, move and propagation: a call with one of these opens no device."""

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mount.argtypes = (*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p)
_LIBC.umount2.argtypes = (ctypes.c_char_p, ctypes.c_int)


def mount(source: str, directory: str, file_system: str, flags: int, options: str) -> int:
    """Mount, or remount with the flag for that."""
    texts = [os.fsencode(text) for text in (source, directory, file_system)]
    failed: int = _LIBC.mount(*texts, flags, os.fsencode(options) or None)
    return ctypes.get_errno() if failed else 0


def umount(directory: str, flags: int = 0) -> int:
    """Unmount."""
    failed: int = _LIBC.umount2(os.fsencode(directory), flags)
    return ctypes.get_errno() if failed else 0
