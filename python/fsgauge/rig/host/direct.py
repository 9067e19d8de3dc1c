"""Direct I/O as the study wants it, looked at before anything is measured.

A file system says itself what it can do (statx, asked through the engine's probe); a device has its
logical block size in /sys. Memory file systems are known by their type: since Linux 6.6 tmpfs opens
files with O_DIRECT and ignores it (mm/shmem.c, shmem_file_open sets FMODE_CAN_ODIRECT).
"""

from __future__ import annotations

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ProbeJob
from fsgauge.errors import InputError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.facts.mounts import in_memory, mount_holding
from fsgauge.machine.folder.cached_direct import cached_direct
from fsgauge.rig.refusing import or_without
from fsgauge.study.model import Study, System
from fsgauge.system import FileSystem
from fsgauge.units import exact_size
from fsgauge.workload import method_of


def require_direct_files(study: Study, system: System, directory: str, engine: Engine) -> None:
    """Raise InputError where files in `directory` cannot be reached past the page cache."""
    method = method_of(study.workload)
    sizes = method.direct_sizes_bytes()
    if not sizes:
        return
    reason, alignment_bytes = without_direct(directory, engine)
    if reason:
        instead = method.buffered_instead()
        if in_memory(directory):
            instead += (
                f", or without folders --storage ram:{_no_space(study)}, which makes file systems"
                " in memory (as root)"
            )
        raise InputError(
            f'"{system.name}" has no direct I/O',
            cause=f"{directory} is on {reason}",
            next=or_without(study, system, instead),
        )
    _require_multiples(study, f'"{system.name}"', sizes, alignment_bytes)


def without_direct(directory: str, engine: Engine) -> tuple[str, int]:
    """Why a folder has no direct I/O, "" where it has it; and the bytes that it is done in."""
    memory = in_memory(directory)
    if memory:
        return (
            f"{memory}, which lives in the page cache: newer kernels accept O_DIRECT there and"
            " ignore it",
            1,
        )
    found = engine.probe(ProbeJob(directory=directory, without_costs=True))
    if found.direct is False:
        mount = mount_holding(directory)
        kind = mount.file_system if mount else "a file system"
        return f"{kind}, which does not open files with O_DIRECT", 1
    return "", found.direct_alignment_bytes or 1


def direct_in_cache(study: Study, directory: str) -> str:
    """Which pages of direct I/O in `directory` are seen in the page cache, in words; "" for none,
    and where the study does not ask for direct I/O."""
    if not method_of(study.workload).direct_sizes_bytes():
        return ""
    found = cached_direct(directory)
    return found.words if found is not None else ""


def require_direct_made(study: Study, system: System, kind: FileSystem) -> None:
    """Raise InputError where a file system, made and mounted so, has no direct I/O: known before.
    What is not known before is asked once it is made (`require_direct_files`), still before
    anything is measured."""
    reason = kind.without_direct(system.mkfs, system.mount)
    if reason and method_of(study.workload).direct_sizes_bytes():
        raise InputError(
            f'"{system.name}" has no direct I/O',
            cause=reason,
            next=or_without(study, system, method_of(study.workload).buffered_instead()),
        )


def require_direct_device(study: Study, device: str) -> None:
    """Raise InputError where an operation is no whole number of the device's logical blocks."""
    bare = any(system.kind == "raw" for system in study.systems)
    known = device_at(device)
    block_size = known.queue("logical_block_size") if known else None
    if block_size:
        sizes = method_of(study.workload).direct_sizes_bytes(bare=bare)
        _require_multiples(study, device, sizes, int(block_size))


def _no_space(study: Study) -> str:
    """The size that the study asks for, as one word."""
    size_bytes = getattr(study.storage, "size", 1 << 30)
    return exact_size(size_bytes).replace(" ", "")


def _require_multiples(study: Study, what: str, sizes: list[int], alignment_bytes: int) -> None:
    for size_bytes in sizes:
        if size_bytes % alignment_bytes:
            nearest = -(-size_bytes // alignment_bytes) * alignment_bytes
            raise InputError(
                f"{what} does direct I/O in whole blocks of {exact_size(alignment_bytes)},"
                f" and an operation of the study is {exact_size(size_bytes)}",
                next=f'a block size of "{exact_size(nearest)}",'
                f" or {method_of(study.workload).buffered_instead()}",
            )
