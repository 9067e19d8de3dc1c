"""The bytes of a device as the device has them: past the page cache, block by block."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from fsgauge.errors import RigError

LARGEST_READ_BYTES = 4 << 20
ALIGNMENT_BYTES = 64 << 10
"""No device has larger logical blocks."""

_LIBC = ctypes.CDLL(None)
_LIBC.memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class DeviceBytes:
    """An open device. Make it with `device_bytes`; offsets are multiples of ALIGNMENT_BYTES."""

    def __init__(self, descriptor: int, buffer: mmap.mmap, address: int) -> None:
        self._descriptor = descriptor
        self._buffer = buffer
        self._address = address

    def is_zero(self, offset: int, size_bytes: int) -> bool:
        """Whether a part reads as zero; OSError where it cannot be read."""
        self._read(offset, size_bytes)
        if self._buffer[0] != 0:
            return False
        # Each byte equals the one after it, and the first is zero.
        difference: int = _LIBC.memcmp(self._address, self._address + 1, size_bytes - 1)
        return difference == 0

    def read(self, offset: int, size_bytes: int) -> bytes:
        """A part as it is; OSError where it cannot be read."""
        self._read(offset, size_bytes)
        return self._buffer[:size_bytes]

    def _read(self, offset: int, size_bytes: int) -> None:
        with memoryview(self._buffer) as whole, whole[:size_bytes] as part:
            if os.preadv(self._descriptor, [part], offset) != size_bytes:
                raise OSError(f"a read of {size_bytes} bytes at {offset} came back short")


@contextmanager
def device_bytes(path: str) -> Iterator[DeviceBytes]:
    """The device at `path`, what was written to it through the page cache flushed first."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError as error:
        raise RigError(f"{path} cannot be opened: {error.strerror}", next="dmesg | tail") from error
    try:
        os.fsync(descriptor)
        with mmap.mmap(-1, LARGEST_READ_BYTES) as buffer:
            yield DeviceBytes(descriptor, buffer, _address_of(buffer))
    finally:
        os.close(descriptor)


def _address_of(buffer: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
