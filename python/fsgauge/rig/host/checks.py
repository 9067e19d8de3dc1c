"""What can be refused about a study's systems before anything is touched.

`fsgauge plan` shows all of it, and `fsgauge run` begins only where there is none: both take it from
`refused_systems`. What mkfs and mount refuse is found by trying (trial.py): the plan tries in
advance, a run when it makes every system once before it measures.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial

from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.safety import find_device
from fsgauge.machine.process.tool import find_tool
from fsgauge.plan.space import planned_room
from fsgauge.rig.host.command_faults import require_program
from fsgauge.rig.host.direct import require_direct_device, require_direct_files, require_direct_made
from fsgauge.rig.host.extents import require_extents
from fsgauge.rig.host.process_limits import (
    most_open_files,
    require_buffers,
    require_descriptors_of_lab,
    require_file_size,
    require_rings,
    require_threads,
)
from fsgauge.rig.host.serving import check_servers
from fsgauge.rig.host.shares import check_shares
from fsgauge.rig.host.tunables import check_tunables, require_tunables_of
from fsgauge.rig.refusing import Look, or_without, refused_by
from fsgauge.storage.loop import INSTEAD
from fsgauge.storage.path import free_inodes, require_usable
from fsgauge.study.model import DeviceStorage, PathStorage, ShareStorage, Study, System
from fsgauge.study.reached import accesses_of
from fsgauge.system import FileSystem, SystemKind, find_kind, support_of, system_kinds
from fsgauge.system.options import check_options, made_with_inodes, mkfs_words
from fsgauge.units import exact_size, format_size
from fsgauge.workload import method_of


def known_kind(study: Study, system: System) -> SystemKind:
    """InputError for one that is not known here: the rig that has it, or the nearest name."""
    if system.kind not in system_kinds():
        from fsgauge.rig.vm.arrangement.refusing import of_virtual_rig  # for this answer alone

        elsewhere = of_virtual_rig(study, system)
        if elsewhere is not None:
            raise elsewhere
    return find_kind(system.kind)


def require_distinct_folders(study: Study) -> None:
    """InputError for the first two systems with folders of their own that are the same in all but
    their name.

    Folders are compared by their paths, so that a link is no other folder, and a bind mount is. The
    storage's own folder may be measured under several names: that is how equal systems are told
    from noise.
    """
    if not isinstance(study.storage, PathStorage):
        return
    seen: dict[str, str] = {}
    for system, access in zip(study.systems, accesses_of(study), strict=True):
        if system.path is None:
            continue
        place = os.path.realpath(system.path)
        keys = system.model_dump(mode="json", exclude={"name", "path"})
        same = repr((place, access, sorted(keys.items(), key=lambda pair: pair[0])))
        if same in seen:
            raise InputError(
                f'"{seen[same]}" and "{system.name}" are one folder, {system.path}',
                cause="two systems that differ in nothing compare a folder with itself",
                next=f"another folder for {system.name}; the baseline is measured twice in each"
                " block as it is, which shows the noise",
            )
        seen[same] = system.name


_TOOLS = ("mount", "umount", "losetup", "blkdiscard", "wipefs", "sync")


Try = Callable[[System, FileSystem], None]
"""Makes a file system for a moment; raises the same for what mkfs or mount refuses."""


def refused_systems(
    study: Study, engine: Engine | None = None, tried: Try | None = None
) -> list[FsgaugeError]:
    """All that is refused about a study's systems, each once. With an engine, folders are asked
    about direct I/O by a file without a name that is gone at once. A file system in which nothing
    else is wrong is `tried`; without that nothing is touched."""
    return refused_by(_looks(study, engine, tried))


def _looks(study: Study, engine: Engine | None, tried: Try | None) -> Iterator[Look]:
    method = method_of(study.workload).reached_by(accesses_of(study))
    yield require_descriptors_of_lab
    yield lambda: method.require_descriptors(most_open_files())
    yield lambda: require_threads(study)
    yield lambda: require_buffers(study)
    yield lambda: require_rings(study)
    yield lambda: require_program(study)
    if isinstance(study.storage, ShareStorage):
        yield lambda: check_shares(study)
        return
    for system in study.systems:
        yield partial(_require_known, study, system)
    yield partial(_require_no_nodes, study)
    yield partial(require_distinct_folders, study)
    yield lambda: check_servers(study)
    for system in study.systems:
        yield partial(_look_at, study, system, engine, tried)
    yield lambda: _check_inodes(study)
    yield lambda: require_file_size(study)
    if isinstance(study.storage, DeviceStorage):
        for name in study.storage.devices:
            yield partial(_require_direct, study, name)
    if not isinstance(study.storage, PathStorage):
        yield lambda: _require_root(f"sudo fsgauge ..., or --rig vm, or {INSTEAD}")
        yield _require_tools


def _require_no_nodes(study: Study) -> None:
    """InputError for nodes, which only the virtual rig makes."""
    if study.rig is not None:
        raise InputError(
            "the study says what nodes it is measured on ([rig]), and no virtual machines are made"
            " here",
            next="--rig vm; or folders that are mounted here: --system NAME=/folder, once for each",
        )


def _require_known(study: Study, system: System) -> None:
    """InputError for a kind that is not known here."""
    try:
        known_kind(study, system)
    except FsgaugeError as error:
        error.next = or_without(study, system, error.next)
        raise


def _require_direct(study: Study, device: str) -> None:
    require_direct_device(study, find_device(device).path)


def _look_at(study: Study, system: System, engine: Engine | None, tried: Try | None) -> None:
    try:
        _check_system(study, system, engine)
        kind = known_kind(study, system)
        if tried is not None and isinstance(kind, FileSystem):
            tried(system, kind)
    except FsgaugeError as error:
        if not _are_models(study):
            error.next = or_without(study, system, error.next)
        raise


def _check_system(study: Study, system: System, engine: Engine | None) -> None:
    if system.kernel is not None:
        raise InputError(
            f'"{system.name}" asks for the kernel {system.kernel}, and this machine has its own',
            next="--rig vm",
        )
    if system.rig is not None:
        raise InputError(
            f'"{system.name}" says what it takes of the virtual rig (system.rig), and this is a'
            " machine that is there",
            next="--rig vm, or leave system.rig out",
        )
    kind = known_kind(study, system)
    require_real(study, system, kind)
    if isinstance(kind, FileSystem):
        _check_options(system, kind)
        _check_size(study, system, kind)
        _check_support(system, kind)
        require_direct_made(study, system, kind)
    elif isinstance(study.storage, PathStorage):
        place = system.path or study.storage.path
        require_usable(place, study.storage.size)
        require_tunables_of(system, place)
        require_extents(study, system, place)
        if engine is not None:
            require_direct_files(study, system, place, engine)


def require_real(study: Study, system: System, kind: SystemKind) -> None:
    """InputError for a model, which no machine can mount."""
    if kind.placement == "modelled":
        simulated = "--rig simulator"
        mounted = f"{simulated}, or a file system that `fsgauge doctor --systems` lists"
        raise InputError(
            f'"{system.name}" is a model of an allocation policy ({kind.name}), and is not mounted',
            next=simulated if _are_models(study) else mounted,
        )


def _are_models(study: Study) -> bool:
    """Whether all systems are models: without one of them, the next is refused alike."""
    known = system_kinds()
    kinds = [known.get(system.kind) for system in study.systems]
    return all(kind is not None and kind.placement == "modelled" for kind in kinds)


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
    kinds = [known_kind(study, system) for system in study.systems]
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


def _check_inodes(study: Study) -> None:
    if isinstance(study.storage, DeviceStorage):
        return
    size_bytes = study.storage.size
    room = planned_room(study, size_bytes)
    for system in study.systems:
        inodes = _inodes(study, system, size_bytes)
        if inodes is not None and (room.inodes is None or inodes < room.inodes):
            change = made_with_inodes(system, size_bytes)
            room = replace(room, inodes=inodes, fewest=system.name, of_mkfs=change)
    method_of(study.workload).in_room(room).require_inodes(room)


def _inodes(study: Study, system: System, size_bytes: int) -> int | None:
    """None where nothing limits them, or where that is not known before it is made."""
    kind = known_kind(study, system)
    if isinstance(kind, FileSystem):
        return kind.inodes_made(size_bytes, mkfs_words(kind, system.mkfs, system.name))
    if isinstance(study.storage, PathStorage):
        with suppress(OSError):  # said by others
            return free_inodes(system.path or study.storage.path)
    return None


def _check_support(system: System, kind: FileSystem) -> None:
    support = support_of(kind, load_module=True)
    if not support.driver:
        raise InputError(
            f'"{system.name}" cannot be mounted here: this kernel has no {kind.driver}',
            cause="it was built without it, or its module is in a package of its own",
            next="fsgauge doctor --systems lists what can be compared here; --rig vm brings a"
            " kernel",
        )
    if not support.mkfs:
        raise InputError(
            f'"{system.name}" needs {kind.mkfs}, which is not installed', next=support.install
        )


def _require_root(otherwise: str) -> None:
    if os.geteuid() != 0:
        raise InputError(
            "making and mounting file systems needs root",
            cause="this is an ordinary user",
            next=otherwise,
        )


def _require_tools() -> None:
    for tool in _TOOLS:
        if find_tool(tool) is None:
            raise InputError(
                f"the program {tool} is not installed",
                next="apt-get install mount util-linux coreutils",
            )
