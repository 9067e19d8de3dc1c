"""One setting of the kernel: a file below /sys or /proc, and nothing that a link leads to instead.

The path of a device in /sys begins with links, so the folder that a setting belongs to is resolved
first; from there on the way must be straight, seen after the file was opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fsgauge.errors import InputError

_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_MOST_BYTES = 1 << 16


def real_setting(home: Path, rest: str) -> Path:
    """The file of a setting without links; InputError where it is missing or lies elsewhere."""
    path = home / rest
    try:
        straight = Path(os.path.realpath(home, strict=True)) / rest
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(
            f"the tunable {path} cannot be read: {error.strerror}", next=f"ls {path.parent}"
        ) from error
    try:
        real = Path(f"/proc/self/fd/{descriptor}").readlink()
        if real != straight or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError(
                f"the tunable {path} is {real}, which is no setting of {home}",
                cause="a link leads elsewhere: a study changes settings of its own device alone",
                next=f"ls -l {path.parent}",
            )
    finally:
        os.close(descriptor)
    return straight


def read_setting(path: Path) -> str:
    """The value, or the chosen one of "none [mq-deadline]"; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | _OPEN)
    try:
        text = os.read(descriptor, _MOST_BYTES).decode(errors="replace").strip()
    finally:
        os.close(descriptor)
    if "[" in text and "]" in text:
        return text.partition("[")[2].partition("]")[0]
    return text


def write_setting(path: Path, value: str) -> None:
    """Hand the kernel a value, in one piece; raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | _OPEN)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
