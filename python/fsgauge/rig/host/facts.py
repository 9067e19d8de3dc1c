"""How a prepared system stands: the facts that go into its record."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.facts.mounts import Mount, export_facts, mount_at, mount_holding
from fsgauge.plan.space import times_held
from fsgauge.record.records import SystemFacts
from fsgauge.rig.host.formatted import Formatted
from fsgauge.study.model import Study, System
from fsgauge.system.kind import Facts, FileSystem
from fsgauge.units import format_size
from fsgauge.workload import method_of


def formatted_facts(kind: FileSystem, made: Formatted, device: str, details: Facts) -> SystemFacts:
    """A file system that was made and mounted."""
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
    """The bare device."""
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
