"""What can be refused about a study's systems before anything is touched."""

from __future__ import annotations

import os
import resource
from dataclasses import replace

from fsgauge.errors import InputError, RigError
from fsgauge.plan.space import planned_room
from fsgauge.rig.host.device.safety import find_device
from fsgauge.rig.host.direct import require_direct_device
from fsgauge.rig.host.process.tool import find_tool
from fsgauge.rig.host.serving import check_servers
from fsgauge.rig.host.shares import check_shares
from fsgauge.rig.host.tunables import check_tunables
from fsgauge.storage.loop import INSTEAD
from fsgauge.storage.path import require_usable
from fsgauge.study.model import DeviceStorage, PathStorage, ShareStorage, Study, System
from fsgauge.study.reached import accesses_of
from fsgauge.system import FileSystem, find_kind
from fsgauge.system.options import check_options, mkfs_words
from fsgauge.system.support import support_of
from fsgauge.units import exact_size, format_size
from fsgauge.workload import method_of

_TOOLS = ("mount", "umount", "losetup", "blkdiscard", "wipefs", "sync")


def check_systems(study: Study) -> None:
    """Raise InputError for wrong input and RigError for what the machine lacks."""
    method = method_of(study.workload).reached_by(accesses_of(study))
    if isinstance(study.storage, ShareStorage):
        method.require_descriptors(_most_open_files())
        check_shares(study)
        return
    check_servers(study)
    folder = isinstance(study.storage, PathStorage)
    for system in study.systems:
        kind = find_kind(system.kind)
        if isinstance(kind, FileSystem):
            _check_options(system, kind)
            _check_size(study, system, kind)
            _check_support(system, kind)
        elif system.path and isinstance(study.storage, PathStorage):
            require_usable(system.path, study.storage.size)
    method.require_descriptors(_most_open_files())
    _check_inodes(study)
    if isinstance(study.storage, DeviceStorage):
        require_direct_device(study, find_device(study.storage.device).path)
    if not folder:
        _require_root(f"sudo fsgauge ..., or {INSTEAD}")
        _require_tools()


def check_image(system: System, kind: FileSystem, size_bytes: int) -> None:
    """The same for one file system that is to be made in an image of its own."""
    _check_options(system, kind)
    if size_bytes < kind.smallest_bytes:
        raise InputError(
            f"{kind.name} needs at least {format_size(kind.smallest_bytes)}, and the image would"
            f" have {format_size(size_bytes)}",
            next=f"--size {exact_size(kind.smallest_bytes).replace(' ', '')}",
        )
    _check_support(system, kind)
    _require_root("sudo fsgauge ..., or name an empty folder of a mounted file system")
    _require_tools()


def smallest_bytes(study: Study) -> int:
    """What the most demanding of the systems needs."""
    kinds = [find_kind(system.kind) for system in study.systems]
    return max((kind.smallest_bytes for kind in kinds if isinstance(kind, FileSystem)), default=0)


def _check_options(system: System, kind: FileSystem) -> None:
    check_options(kind, system.mkfs, system.mount, system.name)
    check_tunables(system)


def _check_size(study: Study, system: System, kind: FileSystem) -> None:
    if isinstance(study.storage, DeviceStorage):
        return
    if study.storage.size < kind.smallest_bytes:
        raise InputError(
            f'"{system.name}" needs {format_size(kind.smallest_bytes)} at least,'
            f" and the storage is {format_size(study.storage.size)}",
            next=f"--set storage.size={exact_size(kind.smallest_bytes).replace(' ', '')}",
        )


def _most_open_files() -> int:
    """What the engine may raise its limit to."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return hard if hard != resource.RLIM_INFINITY else 1 << 30


def _check_inodes(study: Study) -> None:
    """Refuse more files than a file system will have inodes, where mkfs's choice is known."""
    if isinstance(study.storage, DeviceStorage):
        return
    size_bytes = study.storage.size
    room = planned_room(study, size_bytes)
    for system in study.systems:
        kind = find_kind(system.kind)
        if isinstance(kind, FileSystem):
            inodes = kind.inodes_made(size_bytes, mkfs_words(kind, system.mkfs, system.name))
            if inodes is not None and (room.inodes is None or inodes < room.inodes):
                room = replace(room, inodes=inodes, fewest=system.name)
    method_of(study.workload).in_room(room)


def _check_support(system: System, kind: FileSystem) -> None:
    support = support_of(kind, load_module=True)
    if not support.mkfs:
        raise RigError(
            f'"{system.name}" needs {kind.mkfs}, which is not installed', next=support.install
        )
    if not support.driver:
        raise RigError(
            f'"{system.name}" cannot be mounted here: this kernel has no {kind.driver}',
            next="fsgauge systems lists what can be compared here",
        )


def _require_root(otherwise: str) -> None:
    if os.geteuid() != 0:
        raise RigError(
            "making and mounting file systems needs root",
            cause="this is an ordinary user",
            next=otherwise,
        )


def _require_tools() -> None:
    for tool in _TOOLS:
        if find_tool(tool) is None:
            raise RigError(
                f"the program {tool} is not installed",
                next="apt-get install mount util-linux coreutils",
            )
