"""What this process may have, looked at before a run: files as large as a study's, threads, and
rings of io_uring.

The kernel ends a write beyond the limit of a file's size with SIGXFSZ, and refuses the thread of a
client in the middle of a study. A kernel without io_uring, kernel.io_uring_disabled, a container's
seccomp filter and the limit of locked memory all show when a ring is made, and the engine that is
started here has what is found here. A load that needs io_uring is refused where there is none. One
that can do without goes on, and plan and page say how.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.machine.device.safety import find_device
from fsgauge.machine.facts.limits import available_memory_bytes
from fsgauge.machine.facts.pseudo_files import fields_of
from fsgauge.plan.space import planned_room, times_held
from fsgauge.programs.libc import LIBC
from fsgauge.storage.loop import memory_has_room
from fsgauge.study.model import DeviceStorage, LoopStorage, RamStorage, ShareStorage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.rings import Rings

LAB_FILE_BYTES = 16 << 20
"""The largest file of a study's results that is not one of its records."""
LAB_THREADS = 64
"""Those of the lab itself and of the libraries that draw its pages."""


def require_file_size(study: Study) -> None:
    """InputError where this process may not make files as large as the study's."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if soft == resource.RLIM_INFINITY:
        return
    needed = max(LAB_FILE_BYTES, largest_file_bytes(study))
    if needed <= soft:
        return
    raise InputError(
        f"this process may not make a file above {format_size(soft)}, and the study needs files"
        f" of {format_size(needed)}",
        cause=_cause(soft, hard, "f"),
        next=_raised(hard, needed, "f", "unlimited"),
    )


def largest_file_bytes(study: Study) -> int:
    """The largest file that a study makes: a storage's scratch file, or one in a folder; at most,
    as a file system's own share of its storage is not known yet."""
    storage = study.storage
    if isinstance(storage, LoopStorage | RamStorage):
        return storage.size
    if isinstance(storage, DeviceStorage):
        size_bytes = min(find_device(name).size_bytes for name in storage.devices)
    else:
        size_bytes = storage.size
    room_bytes = size_bytes // max(times_held(study, system) for system in study.systems)
    room = planned_room(study, room_bytes)
    return method_of(study.workload).in_room(room).largest_file_bytes(room)


LAB_DESCRIPTORS = 128
"""What the lab itself has open at most, with Parquet and its threads: with 72 a study failed, with
96 it did not."""


def require_descriptors_of_lab() -> None:
    """InputError where this process may not have as many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= LAB_DESCRIPTORS:
        return
    raise InputError(
        f"this process may have {soft} files open, and a study needs {LAB_DESCRIPTORS}",
        cause=_cause(soft, hard, "n"),
        next=_raised(hard, LAB_DESCRIPTORS, "n", "1024"),
    )


def most_open_files() -> int:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return hard if hard != resource.RLIM_INFINITY else 1 << 30


def require_threads(study: Study) -> None:
    """InputError where this user may not have as many threads as the load has; root may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() == 0 or soft == resource.RLIM_INFINITY:
        return
    threads, running = method_of(study.workload).threads, threads_of_user(os.getuid())
    needed = running + threads + LAB_THREADS
    if needed <= soft:
        return
    raise InputError(
        f"the load has {threads:,} threads, and this user may have {soft:,} with the {running:,}"
        " that run now",
        cause=_cause(soft, hard, "u"),
        next=_raised(hard, needed, "u", str(needed)),
    )


def require_buffers(study: Study) -> None:
    """InputError where what is in flight takes more memory than there is: the kernel would kill the
    engine in the middle of a study."""
    needed = method_of(study.workload).buffer_bytes
    if memory_has_room(needed):
        return
    raise InputError(
        f"operations in flight take {format_size(needed)} of memory, and"
        f" {format_size(available_memory_bytes() or 0)} are available",
        cause="each has a buffer as long as its block",
        next="smaller blocks, a lower queue depth, or fewer jobs",
    )


def threads_of_user(user: int) -> int:
    found = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # it has ended
                if process.stat().st_uid == user:
                    found += sum(1 for _ in (process / "task").iterdir())
    return found


def _cause(soft: int, hard: int, letter: str) -> str:
    return f"the {'hard ' if soft == hard else ''}limit of this shell (ulimit -{letter})"


def _raised(hard: int, needed: int, letter: str, value: str) -> str:
    """The command that raises it; as root where only root may."""
    if hard != resource.RLIM_INFINITY and needed > hard:
        return f"as root: ulimit -{letter} {value}"
    return f"ulimit -S -{letter} {value if hard == resource.RLIM_INFINITY else 'hard'}"


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
