"""Whether a study's load can be submitted here: looked at before anything is made, by making rings.

A kernel without io_uring, kernel.io_uring_disabled, a container's seccomp filter and the limit of
locked memory all show in the same call, and the engine that is started here has what is found here.

A load that needs io_uring is refused where there is none. One that can do without goes on, and plan
and page say how.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
from contextlib import ExitStack
from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.machine.facts.pseudo_files import fields_of
from fsgauge.programs.libc import LIBC
from fsgauge.study.model import ShareStorage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.rings import Rings

_SETUP = 425
"""io_uring_setup, which has one number on every machine that the engine is built for."""
_CLAMP = 1 << 4
_PARAMETERS_BYTES = 120
_FLAGS_AT = 2
"""The third of the words of `struct io_uring_params`."""
_CAP_IPC_LOCK = 14


@dataclass(frozen=True)
class NoRings:
    """Why there are none: the cause in words, and what an administrator can do; "" for nothing.
    `is_forbidden`: there is none at all, rather than too little of something for so many."""

    cause: str
    remedy: str
    is_forbidden: bool = False


def no_rings(count: int, depth: int) -> NoRings | None:
    """Why `count` rings for `depth` operations each cannot stand at once; None where they can."""
    with ExitStack() as stack:
        for _ in range(count):
            descriptor = _ring(depth)
            if descriptor < 0:
                return _why(-descriptor, count)
            stack.callback(os.close, descriptor)
    return None


def lockable_bytes() -> int | None:
    """How much memory this process may lock; None where nothing limits it."""
    limit, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return None if limit == resource.RLIM_INFINITY or _may_lock_all() else limit


def _ring(depth: int) -> int:
    """A ring's descriptor, or the negated error."""
    words = (ctypes.c_uint32 * (_PARAMETERS_BYTES // 4))()
    words[_FLAGS_AT] = _CLAMP
    descriptor = int(LIBC.syscall(_SETUP, ctypes.c_uint(depth), ctypes.byref(words)))
    return descriptor if descriptor >= 0 else -ctypes.get_errno()


def _why(number: int, count: int) -> NoRings:
    if number == errno.ENOSYS:
        cause = "this kernel has no io_uring, or a container's seccomp filter hides it"
        return NoRings(cause, "", is_forbidden=True)
    if number in (errno.EPERM, errno.EACCES):
        return NoRings(
            "io_uring is forbidden here: kernel.io_uring_disabled, or a container's seccomp filter",
            "sysctl -w kernel.io_uring_disabled=0 as root, outside of a container",
            is_forbidden=True,
        )
    if number == errno.ENOMEM:
        return NoRings(
            f"{'a ring needs' if count == 1 else f'{count} rings need'} more locked memory than"
            f" this user may have ({format_size(resource.getrlimit(resource.RLIMIT_MEMLOCK)[0])})",
            "ulimit -l unlimited",
        )
    if number in (errno.EMFILE, errno.ENFILE):
        return NoRings(
            f"{count} rings are more files than this process may open", "ulimit -n 65536"
        )
    return NoRings(f"the kernel refuses a ring: {os.strerror(number)}", "")


def _may_lock_all() -> bool:
    """CAP_IPC_LOCK, without which memory counts against the limit."""
    capabilities = fields_of("/proc/self/status").get("CapEff", "0")
    return bool(int(capabilities, 16) >> _CAP_IPC_LOCK & 1)


def require_rings(study: Study) -> None:
    """Raise InputError where the load needs rings of io_uring that cannot be had here."""
    rings = _rings(study)
    lacking = no_rings(rings.count, rings.depth) if rings is not None else None
    if rings is None or lacking is None:
        return
    if not (rings.by_itself and lacking.is_forbidden):
        raise InputError(
            f"the load needs io_uring for {rings.depth} operations in flight, and cannot have it",
            cause=lacking.cause,
            next=", or ".join(filter(None, (rings.instead, lacking.remedy))),
        )


def ring_cautions(study: Study) -> list[str]:
    """What the engine does instead where it can, for the plan and for the page."""
    rings = _rings(study)
    if rings is None:
        return []
    lacking = no_rings(rings.count, rings.depth)
    if lacking is not None:
        return [f"{lacking.cause}: {rings.by_itself}"] if rings.by_itself else []
    most = lockable_bytes()
    if most is None or rings.buffer_bytes <= most:
        return []
    return [
        f"buffers are not registered with io_uring: this user may lock {format_size(most)} of"
        f" memory, and they take {format_size(rings.buffer_bytes)}; each operation costs more"
        " processor time, alike for all systems (ulimit -l unlimited ends it)"
    ]


def _rings(study: Study) -> Rings | None:
    """What the load asks for where a system is reached over its path; a server has sockets."""
    if isinstance(study.storage, ShareStorage):
        return None
    accesses = accesses_of(study)
    if accesses and all(access.protocol != "path" for access in accesses):
        return None
    return method_of(study.workload).rings()
