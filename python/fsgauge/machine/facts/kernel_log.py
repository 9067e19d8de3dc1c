"""What the kernel says while something is tried: its reason for a refused mount is only there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

_RECORD_BYTES = 8192
_LINES_LIMIT = 10_000


class KernelLog:
    """Reads on from where it was opened; silent where /dev/kmsg cannot be read."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def lines_about(self, device: str, driver: str) -> list[str]:
        """Messages since the last call about a device, else of its driver about none; at most five.

        An unknown option is refused before the driver knows the device, so that line names none.
        """
        lines = list(self._lines())
        named = [line for line in lines if re.search(rf"\b{re.escape(device)}\b", line)]
        unnamed = [line for line in lines if re.match(rf"{re.escape(driver)}\b[^(]*$", line, re.I)]
        return (named or unnamed)[-5:]

    def _lines(self) -> Iterator[str]:
        for _ in range(_LINES_LIMIT):
            if self._descriptor is None:
                return
            try:
                record = os.read(self._descriptor, _RECORD_BYTES)
            except BlockingIOError:
                return
            except BrokenPipeError:
                continue  # older records were overwritten; the next read goes on after them
            except OSError:
                return  # a record longer than any the kernel makes, or a log that went away
            yield from record.decode(errors="replace").partition(";")[2].splitlines()[:1]


@contextmanager
def kernel_log() -> Iterator[KernelLog]:
    """The kernel's messages from now on."""
    try:
        descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.lseek(descriptor, 0, os.SEEK_END)
    except OSError:
        yield KernelLog(None)
        return
    try:
        yield KernelLog(descriptor)
    finally:
        os.close(descriptor)
