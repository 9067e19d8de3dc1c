"""What records say of a prepared system: how it stands, and what the device below was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import BlockTarget, ScanJob
from fsgauge.errors import FsgaugeError
from fsgauge.machine.device.block_device import (
    BlockDevice,
    device_at,
    device_with_numbers,
    read_counters,
)
from fsgauge.machine.facts.mounts import Mount, export_facts, mount_at, mount_holding
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.plan.space import times_held
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import SystemFacts
from fsgauge.rig.host.formatted import Formatted
from fsgauge.rig.host.prepared import PreparedSystem
from fsgauge.study.model import Study, System
from fsgauge.system.kind import Facts, FileSystem
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.folders import InFolder


def formatted_facts(kind: FileSystem, made: Formatted, device: str, details: Facts) -> SystemFacts:
    mount = mount_at(made.directory)
    room = os.statvfs(made.directory)
    return SystemFacts(
        kind=kind.name,
        mkfs_command=list(made.mkfs.command),
        mkfs_output=made.mkfs.output + made.mkfs.error,
        mount_source=mount.source if mount else device,
        mount_options=made.mount_options,
        tunables=made.tunables,
        size_bytes=room.f_blocks * room.f_frsize,
        free_bytes=room.f_bavail * room.f_frsize,
        block_size_bytes=room.f_bsize,
        details=details,
    )


def bare_facts(system: System, device: str) -> SystemFacts:
    found = device_at(device)
    block_size = found.queue("logical_block_size") if found else None
    return SystemFacts(
        kind=system.kind,
        mkfs_command=[],
        mkfs_output="",
        mount_source=device,
        mount_options="",
        tunables={},
        size_bytes=found.size_bytes if found else 0,
        free_bytes=None,
        block_size_bytes=int(block_size) if block_size else None,
    )


def bare_notes(study: Study, system: System) -> list[str]:
    """What the bare device's rates stand for, where the load as asked needs files."""
    stands_for = method_of(study.workload).bare_stands_for()
    return [f"{system.name}: {stands_for}"] if stands_for else []


def folder_facts(system: System, path: str, tunables: dict[str, str] | None = None) -> SystemFacts:
    """A folder of a file system that was there before, and what is set for its client."""
    mount = mount_holding(path)
    room = os.statvfs(path)
    return SystemFacts(
        kind=system.kind,
        mkfs_command=[],
        mkfs_output="",
        mount_source=mount.source if mount else path,
        mount_options=mount.all_options if mount else "",
        tunables=tunables or {},
        size_bytes=room.f_blocks * room.f_frsize,
        free_bytes=room.f_bavail * room.f_frsize,
        block_size_bytes=room.f_bsize,
        details={"file system": mount.file_system, **_export(mount)} if mount else {},
    )


MOST_SCANNED_BYTES = 1 << 40
"""Larger file systems are not asked for their free space: 256 GiB take one or two seconds."""


def with_pieces(facts: SystemFacts, folder: OpenFolder, engine: Engine) -> SystemFacts:
    """With the pieces of the free space of an open folder's file system, where the kernel lists
    them or its own structures can be read; nothing is written."""
    if facts.size_bytes > MOST_SCANNED_BYTES:
        return facts
    try:
        free = engine.scan(ScanJob(path=str(folder.path))).free
    except FsgaugeError:
        return facts
    if free is None or free.extents is None:
        return facts
    return facts.model_copy(
        update={"free_extents": free.extents, "largest_free_bytes": free.largest_bytes}
    )


def _export(mount: Mount) -> dict[str, str]:
    """Options of the export that an NFS mount is of, where this machine exports it."""
    host, colon, path = mount.source.rpartition(":/")
    if not colon or not mount.file_system.startswith("nfs"):
        return {}
    return export_facts(host, f"/{path}")


def notes_on(kind: FileSystem, study: Study, directory: Path) -> list[str]:
    """What readers should know about the file system as it was made."""
    notes = []
    if kind.name in {each.kind for each in study.systems if times_held(study, each) > 1}:
        notes.append(
            f"{kind.name} is copy-on-write and keeps an old extent until all of it is"
            " overwritten, so workload.fill applies to half of the free space on all systems"
        )
    block_bytes = os.statvfs(directory).f_bsize
    if block_bytes < os.sysconf("SC_PAGE_SIZE"):
        notes.append(
            f"{kind.mkfs} chose blocks of {format_size(block_bytes)} for a storage this small;"
            " on larger storage it chooses larger blocks"
        )
    return notes


def watch_device(prepared: PreparedSystem) -> Callable[[], DeviceRun | None]:
    """Read the counters now; what is given reads them again and says what lay between."""
    device = _device_below(prepared)
    before = read_counters(device) if device is not None else None

    def between() -> DeviceRun | None:
        after = read_counters(device) if device is not None else None
        if device is None or before is None or after is None:
            return None
        return DeviceRun(name=device.name, **asdict(after - before))

    return between


def _device_below(prepared: PreparedSystem) -> BlockDevice | None:
    target = prepared.pinned
    if isinstance(target, BlockTarget):
        return device_at(target.path)
    if not isinstance(target, InFolder):
        return None
    if target.kind == "share_folders":
        return None
    mounted_from = device_at(prepared.facts.mount_source)
    if mounted_from is not None:
        return mounted_from
    try:
        numbers = Path(target.directory).stat().st_dev
    except OSError:
        return None
    return device_with_numbers(f"{os.major(numbers)}:{os.minor(numbers)}")
