"""Rings of io_uring are made to know whether they can be: as the kernel lets this process."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from fsgauge.rig.host import process_limits
from fsgauge.rig.host.process_limits import lockable_bytes, no_rings

FILTERED = """
import ctypes, sys
libc = ctypes.CDLL(None)
class Step(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte),
                ("value", ctypes.c_uint32)]
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.POINTER(Step))]
steps = (Step * 4)(Step(0x20, 0, 0, 0), Step(0x15, 0, 1, 425),
                   Step(6, 0, 0, 0x50000 | int(sys.argv[1])), Step(6, 0, 0, 0x7FFF0000))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(4, steps)), 0, 0) == 0
from fsgauge.rig.host.process_limits import no_rings
found = no_rings(1, 8)
print(found.is_forbidden, found.cause)
"""
"""A process that a seccomp filter denies io_uring_setup, as a container's does."""


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EPERM, "True io_uring is forbidden here"),
        (errno.ENOSYS, "True this kernel has no io_uring"),
        (errno.ENOMEM, "False a ring needs more locked memory"),
    ],
)
def test_a_filter_is_seen(number: int, said: str) -> None:
    words = [sys.executable, "-c", FILTERED, str(number)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(said)


def test_all_rings_stand_at_once_and_are_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def ring(depth: int) -> int:
        assert depth == 32
        made.append(os.open("/dev/null", os.O_RDONLY))
        return made[-1] if len(made) < 4 else -errno.ENOMEM

    monkeypatch.setattr(process_limits, "_ring", ring)
    assert no_rings(3, 32) is None
    for descriptor in made:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)
    lacking = no_rings(1, 32)
    assert lacking is not None and not lacking.is_forbidden and "ulimit -l" in lacking.remedy


def test_nothing_limits_who_may_lock_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits.resource, "getrlimit", lambda _: (65536, 65536))
    monkeypatch.setattr(process_limits, "_may_lock_all", lambda: True)
    assert lockable_bytes() is None
    monkeypatch.setattr(process_limits, "_may_lock_all", lambda: False)
    assert lockable_bytes() == 65536
