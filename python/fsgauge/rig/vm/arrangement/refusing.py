"""What of a study over nodes cannot be, refused before any of them is started. Also names that say
how a file system is reached or what it is made on, typed as if they were one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import partial

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.rig.refusing import Look
from fsgauge.rig.vm.arrangement.roles import Arrangement, Roles, arrangements, is_arranged, roles_of
from fsgauge.rig.vm.cache import Kernel
from fsgauge.rig.vm.recipe import DISK, SHARED, Layer, recipe, tables
from fsgauge.study.model import Study, System
from fsgauge.workload import method_of

_NEAR = 0.8
_ROLES = {"reached_by": "a way to reach a file system", "volume": "a volume for a file system"}


def without_file_system(study: Study, system: System) -> InputError | None:
    """What to type instead, on this rig; None for another name."""
    role = _role_of(system.kind)
    if role is None:
        return None
    return InputError(
        f'"{system.kind}" is {_ROLES[role]}, and no file system is named',
        next=_words(study, system.name, role, system.kind),
    )


def of_virtual_rig(study: Study, system: System) -> InputError | None:
    """The same for who asked another rig, also of a name that is nearly one of these."""
    role = _role_of(system.kind)
    if role is not None:
        return InputError(
            f'"{system.kind}" is a system of the virtual rig: {_layers(role)[system.kind].title},'
            f" {_ROLES[role]}",
            next=_words(study, system.name, role, system.kind),
        )
    for role in _ROLES:
        for near in difflib.get_close_matches(system.kind, _layers(role), n=1, cutoff=_NEAR):
            return InputError(
                f'"{system.kind}" is not a kind of system',
                details=(f'did you mean "{near}", {_ROLES[role]} on the virtual rig?',),
                next=_words(study, near, role, near),
            )
    return None


def _role_of(kind: str) -> str | None:
    return next((role for role in _ROLES if kind in _layers(role)), None)


def _layers(role: str) -> dict[str, Layer]:
    """Those of the role by name, without the disks that every node has."""
    found: dict[str, Layer] = getattr(tables(), role)
    return {name: layer for name, layer in found.items() if name not in (DISK, SHARED)}


def _set(name: str, key: str, value: str) -> str:
    return f"--set {quoted(f'system.{name}.rig.{key}={value}')}"


def _words(study: Study, name: str, role: str, layer_name: str) -> str:
    """The options that ask for it over a file system of the study, or the guest's first one."""
    layer = _layers(role)[layer_name]
    needed = layer.least_nodes + (1 if layer.server else 0)
    nodes = study.rig.nodes if study.rig is not None else 1
    kinds = [each.kind for each in study.systems if each.kind in recipe().kinds]
    kind = kinds[0] if kinds else recipe().kinds[0]
    more = f" --set rig.nodes={needed}" if nodes < needed else ""
    return f"--rig vm{more} --system {name}={kind} {_set(name, role, layer_name)}"


def looks(study: Study) -> Iterator[Look]:
    roles = roles_of(study)
    yield lambda: method_of(study.workload).require_dealable(len(roles.loads))
    yield partial(_require_programs, study)
    yield partial(_require_mounted, study)
    try:
        arranged = arrangements(study)
    except InputError:
        return  # refused by whoever resolved it first
    yield partial(_require_cache, study, arranged)
    yield partial(_require_writable, arranged)
    for found in arranged:
        yield partial(_require_nodes, found, roles)
        yield partial(_require_volume_there, found, roles)
        yield partial(_require_shareable, found, roles)
        yield partial(_require_one, study, found, roles)
        yield partial(_require_files, study, found)
        yield partial(_require_mount_used, found)


def _require_programs(study: Study) -> None:
    """Programs of the user's are those of the guest; one that a step makes has a path."""
    wanted = recipe()
    there = {"sh", *wanted.busybox, *(file.rpartition("/")[2] for file in wanted.files)}
    for name in method_of(study.workload).programs:
        if "/" not in name and name not in there:
            raise InputError(
                f"there is no {name} in the virtual machine",
                cause="it is a small system of its own, without this machine's programs",
                next="--rig host; what it has (sh, dd, tar, sort and more): fsgauge rig shell",
            )


def require_modules(found: Arrangement, kernel: Kernel) -> None:
    """RigError for a kernel that lacks a module of a system's layers."""
    for layer in found.layers:
        for module in layer.modules:
            if module.replace("-", "_") not in kernel.facts.modules:
                raise RigError(
                    f'"{found.system.name}" cannot be set up: the kernel {kernel.facts.package} has'
                    f" no {module}, which {layer.title} needs",
                    next="fsgauge rig build --kernel with another kernel; fsgauge rig list",
                )


def _require_cache(study: Study, arranged: Sequence[Arrangement]) -> None:
    if study.rig is None or "disk" not in study.rig.drop_caches:
        return
    if not any(each.reached_by is not None and each.reached_by.disk_cache for each in arranged):
        cached = [name for name, each in tables().reached_by.items() if each.disk_cache]
        raise InputError(
            "rig.drop_caches has disk, and no system of the study has a cache on a disk",
            next=f"leave it out; or --set system.NAME.rig.reached_by={' or '.join(sorted(cached))}",
        )


def _require_mounted(study: Study) -> None:
    if study.rig is None or not study.rig.remount:
        return
    if not is_arranged(study) or any(each.is_device for each in arrangements(study)):
        raise InputError(
            "rig.remount is for systems that are set up over nodes, and none of the study's is",
            next="leave it out: caches are dropped before each run",
        )


def _require_nodes(found: Arrangement, roles: Roles) -> None:
    for layer in found.layers:
        if layer.server and roles.server is None:
            raise InputError(
                f'"{found.system.name}" needs a server for {layer.title}, and of the study\'s'
                f" {roles.nodes} node{'s' * (roles.nodes > 1)} none is one",
                next=f"--set rig.nodes={roles.nodes + 1}"
                if roles.nodes == 1
                else '--set \'rig.roles=["server", "load"]\'',
            )
        if len(roles.loads) < layer.least_nodes:
            lacking = layer.least_nodes - len(roles.loads)
            raise InputError(
                f'"{found.system.name}" needs {layer.least_nodes} nodes that drive the'
                f" load ({layer.title}), and the study has {len(roles.loads)}",
                next=f"--set rig.nodes={roles.nodes + lacking}",
            )


def _require_volume_there(found: Arrangement, roles: Roles) -> None:
    """A volume that the server gives to the nodes that drive the load is on those alone."""
    beyond = set(found.holders(roles)) - set(roles.loads)
    if found.volume.server and found.reached_by is not None and beyond:
        name = found.system.name
        raise InputError(
            f'"{name}" is on {found.volume.title}, and would be made on the server to be reached by'
            f" {found.reached_by.title}",
            cause=f"the volume {found.volume_name} is on the nodes that drive the load, not there",
            next=f"{_set(name, 'volume', DISK)} for a disk of the server, or leave"
            f" system.{name}.rig.reached_by out",
        )


def _require_shareable(found: Arrangement, roles: Roles) -> None:
    if not found.volume.shared or len(found.holders(roles)) < 2 or found.file_system is not None:
        return
    known = tables().file_system.items()
    shareable = sorted(name for name, each in known if not each.read_only)
    instead = f"kind {' or '.join(shareable)}, " if shareable else ""
    raise InputError(
        f'"{found.system.name}" is {found.system.kind} on {found.volume.title}, and'
        f" {_nodes(roles)} would mount it at once",
        cause=f"{found.system.kind} cannot be shared: each node keeps in memory what it takes for"
        " its own, and what they write destroys it",
        next=f"{instead}{_set(found.system.name, 'reached_by', 'nfs4')}, or leave rig.volume"
        " out: then each node has a disk of its own",
    )


def _require_one(study: Study, found: Arrangement, roles: Roles) -> None:
    method = method_of(study.workload)
    if len(roles.loads) < 2 or not method.files_of_all or found.is_one:
        return
    raise InputError(
        f'{_nodes(roles)} cannot work on the same files of "{found.system.name}": each has a disk'
        " of its own",
        next=f"{_set(found.system.name, 'reached_by', 'nfs4')}, or {method.without_files_of_all()}",
    )


def _require_writable(arranged: Sequence[Arrangement]) -> None:
    for found in arranged:
        if found.file_system is not None and found.file_system.read_only:
            raise InputError(
                f"{found.system.kind} can only be read, and a study writes",
                next=f"fsgauge rig test {found.system.kind}, which compares what is read with what"
                " was written",
            )


def _require_files(study: Study, found: Arrangement) -> None:
    if found.is_device and study.faults:
        raise InputError(
            f"a fault strikes no study of a bare disk on {found.volume.title}",
            next="leave [[fault]] out, or --baseline with another system",
        )
    if is_arranged(study) and not found.has_files and not found.is_device:
        others = [each.rig for each in study.systems if each.rig is not None]
        volumes = {each.volume for each in others if each.volume and not each.reached_by}
        volume = volumes.pop() if len(volumes) == 1 else ""
        there = _set(found.system.name, "volume", volume)
        one = f"{there}, if all are on it; or " if volume else ""
        raise InputError(
            f'"{found.system.name}" is a bare disk, and other systems of the study are reached over'
            " nodes",
            cause="it has no files, so that they would not carry the same load",
            next=f"{one}--baseline with another system, which leaves the bare disk out",
        )


def _require_mount_used(found: Arrangement) -> None:
    """Options of a mount that is one of the steps."""
    own, name = found.system.rig, found.system.name
    steps = [step.do for layer in found.layers for step in layer.step]
    if own is not None and own.mount and not any("$REACHED_MOUNT" in text for text in steps):
        raise InputError(
            f"system.{name}.rig.mount would be ignored: {found.words} takes none",
            next=f"leave it out; options of the file system itself are system.{name}.mount",
        )


def _nodes(roles: Roles) -> str:
    return "1 node" if len(roles.loads) == 1 else f"{len(roles.loads)} nodes"
