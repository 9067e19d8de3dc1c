"""Writes with FUA that disks are given, counted by a tracepoint: `stat` of /sys has none of them.

block_rq_issue fires for each request; an F behind the W of its field `rwbs` is FUA, one before it
a flush. The kernel counts (perf_event_open(2)), with a counter for each processor. It ends with its
descriptor, however this process ends.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.facts.pseudo_files import text_of
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error

_TRACEFS = Path("/sys/kernel/tracing")
_TRACEPOINT = "events/block/block_rq_issue/id"
_ONLINE = "/sys/devices/system/cpu/online"
_CALLS = {"x86_64": 298, "aarch64": 241}
_ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
"""struct perf_event_attr as of its first version; kind, size and tracepoint, all else is 0."""
_KIND, _EVERY_PROCESS, _NO_GROUP, _CLOSE_ON_EXEC, _SET_FILTER = 2, -1, -1, 8, 0x40082406
"""PERF_TYPE_TRACEPOINT, PERF_FLAG_FD_CLOEXEC, PERF_EVENT_IOC_SET_FILTER."""
_MINOR_BITS = 20
_FUA = "*WF*"


@contextmanager
def fua_counted(device: BlockDevice) -> Iterator[Callable[[], dict[str, int | str]]]:
    """Gives what says how many such writes the disks below a device were given since, or why they
    are not counted: in fields of `DeviceRun`. 0 without counting where no disk takes any."""
    disks = [disk for disk in device.disks() if _takes_fua(disk)]
    with ExitStack() as opened:
        why = ""
        descriptors: list[int] = []
        try:
            descriptors.extend(
                opened.enter_context(closing(_opened(disks, processor)))
                for processor in (_processors() if disks else ())
            )
        except OSError as error:
            why = str(error.strerror)

        def now() -> int:
            return sum(int.from_bytes(os.read(each, 8), sys.byteorder) for each in descriptors)

        before = 0 if why else now()
        yield lambda: {"fua_not_counted": why} if why else {"fua_requests": now() - before}


def _takes_fua(disk: BlockDevice) -> bool:
    """Otherwise the kernel flushes in its place, or, without a volatile cache, does nothing."""
    return disk.queue("fua") != "0" and disk.queue("write_cache") != "write through"


def _processors() -> list[int]:
    """Those of a list such as "0-3,5"."""
    found: list[int] = []
    for part in (text_of(_ONLINE) or "0").split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _opened(disks: Sequence[BlockDevice], processor: int) -> int:
    """A counter of one processor; OSError that says why there is none."""
    if unseen := [disk.path for disk in disks if not disk.has_queue]:
        raise OSError(errno.ENODEV, f"{unseen[0]} has no request queue")
    attributes = _ATTRIBUTES.pack(_KIND, _ATTRIBUTES.size, _tracepoint(), 0, 0, 0, 0, 0, 0, 0)
    call = _CALLS.get(platform.machine())
    if call is None:
        raise OSError(errno.ENOSYS, f"not known how on {platform.machine()}")
    numbers = (_EVERY_PROCESS, processor, _NO_GROUP, _CLOSE_ON_EXEC)
    descriptor: int = LIBC.syscall(call, attributes, *map(ctypes.c_long, numbers))
    if descriptor < 0:
        error = last_error()
        raise OSError(error.errno, f"perf_event_open(2): {error.strerror}")
    try:
        fcntl.ioctl(descriptor, _SET_FILTER, f"{_filter(disks)}\0".encode())
    except OSError as error:
        os.close(descriptor)
        raise OSError(error.errno, f"the filter of a counter: {error.strerror}") from error
    return descriptor


def _tracepoint() -> int:
    try:
        return int((_TRACEFS / _TRACEPOINT).read_text())
    except FileNotFoundError as error:
        raise OSError(error.errno, f"tracefs is not mounted at {_TRACEFS}") from error
    except OSError as error:
        raise OSError(error.errno, f"{_TRACEFS} cannot be read: {error.strerror}") from error


def _filter(disks: Sequence[BlockDevice]) -> str:
    numbers = [tuple(map(int, disk.numbers.split(":"))) for disk in disks]
    devices = (f"dev == {major << _MINOR_BITS | minor}" for major, minor in numbers)
    return f'({" || ".join(devices)}) && rwbs ~ "{_FUA}"'
