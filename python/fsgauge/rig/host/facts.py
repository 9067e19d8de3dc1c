"""What records say of a prepared system: how it stands, and what the device below was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

from fsgauge.access import Server
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import BlockTarget, LayoutResult, ScanJob
from fsgauge.errors import FsgaugeError
from fsgauge.machine.device import block_device
from fsgauge.machine.device.fua_writes import fua_counted
from fsgauge.machine.facts.mounts import Mount, export_facts, mount_at, mount_holding
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.plan.space import times_held
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import SystemFacts
from fsgauge.rig.host.formatted import Formatted, ask
from fsgauge.rig.recording import facts_as_found
from fsgauge.study.model import Study, System
from fsgauge.system.kind import FileSystem, placed
from fsgauge.units import format_size
from fsgauge.workload.folders import InFolder, Place


@dataclass(frozen=True)
class PreparedSystem:
    """A system made afresh and filled; `target` is what the load goes to.

    `layout` is None where the load makes its own files: then the system has empty folders.
    `server` is what clients reach them through, where the study starts one. `folder` is open where
    the system is a folder on a file system of others: all that is done in it goes by that.
    """

    facts: SystemFacts
    target: Place
    layout: LayoutResult | None
    start_state: list[str]
    notes: list[str]
    server: Server | None = None
    folder: OpenFolder | None = None

    @property
    def pinned(self) -> Place:
        """The target as this process, and programs that it starts, reach it: no rename leads them
        elsewhere."""
        if self.folder is None or not isinstance(self.target, InFolder):
            return self.target
        here = self.folder.pinned_below(self.target.directory)
        return self.target.model_copy(update={"directory": here})


def formatted_facts(kind: FileSystem, made: Formatted, device: str) -> SystemFacts:
    """Of a file system that was just made, with what its own tools say is in force."""
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
        details=kind.read_facts(ask(placed(kind.facts_command, device, str(made.directory)))),
    )


def bare_facts(system: System, device: str) -> SystemFacts:
    found = block_device.device_at(device)
    block_size = found.queue("logical_block_size") if found else None
    return facts_as_found(
        system.kind,
        device,
        found.size_bytes if found else 0,
        block_size_bytes=int(block_size) if block_size else None,
    )


def folder_facts(system: System, path: str, tunables: dict[str, str] | None = None) -> SystemFacts:
    """A folder of a file system that was there before, and what is set for its client."""
    mount = mount_holding(path)
    room = os.statvfs(path)
    return facts_as_found(
        system.kind,
        mount.source if mount else path,
        room.f_blocks * room.f_frsize,
        mount_options=mount.all_options if mount else "",
        tunables=tunables or {},
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


@contextmanager
def watch_device(
    prepared: PreparedSystem, *, fua: bool = False
) -> Iterator[Callable[[], DeviceRun | None]]:
    """Read the counters now; what is given reads them again and says what lay between, as long as
    the context stands. `fua`: writes with FUA are counted too."""
    device = _device_below(prepared)
    if device is None:
        yield lambda: None
        return
    with fua_counted(device) if fua else nullcontext(_not_asked) as counted:
        before = block_device.read_counters(device)

        def between() -> DeviceRun | None:
            after = block_device.read_counters(device)
            if before is None or after is None:
                return None
            found = {"name": device.name, **asdict(after - before), **counted()}
            return DeviceRun.model_validate(found)

        yield between


def _not_asked() -> dict[str, int | str]:
    return {}


def _device_below(prepared: PreparedSystem) -> block_device.BlockDevice | None:
    target = prepared.pinned
    if isinstance(target, BlockTarget):
        return block_device.device_at(target.path)
    if not isinstance(target, InFolder) or target.kind == "share_folders":
        return None
    mounted_from = block_device.device_at(prepared.facts.mount_source)
    if mounted_from is not None:
        return mounted_from
    return block_device.device_holding(target.directory)
