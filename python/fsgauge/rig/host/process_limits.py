"""What the limits of this shell (ulimit) leave a study: files as large as its own, and threads.

Both are looked at before a run: the kernel ends a write beyond the limit of a file's size with
SIGXFSZ, and refuses the thread of a client in the middle of a study.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.machine.device.safety import find_device
from fsgauge.plan.space import planned_room, times_held
from fsgauge.study.model import DeviceStorage, LoopStorage, RamStorage, Study
from fsgauge.units import format_size
from fsgauge.workload import method_of

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
        f"the load has {threads} threads, and this user may have {soft} with the {running} that"
        " run now",
        cause=_cause(soft, hard, "u"),
        next=_raised(hard, needed, "u", str(needed)),
    )


def threads_of_user(user: int, processes: Path = Path("/proc")) -> int:
    found = 0
    for process in processes.iterdir():
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
