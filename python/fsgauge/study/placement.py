"""Which system sits on which storage: folders are measured as they are, all else is made on a
device, which has room for the groups that its settings name."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence

from pydantic_core import PydanticCustomError

from fsgauge.study.base import conflict
from fsgauge.study.policies import AG_COUNT, BLOCK_BYTES, GROUP_BLOCKS, LAST_GROUP, POLICIES
from fsgauge.study.storage import LoopStorage, PathStorage, RamStorage, SimulatedStorage, Storage
from fsgauge.study.system import System
from fsgauge.units import format_size

_ANOTHER = "/another/folder"


def refuse_misplaced(storage: Storage, systems: Sequence[System]) -> None:
    """Raise a conflict for the first system that cannot sit on the storage: folders are measured as
    they are, all else is made on a device."""
    for index, system in enumerate(systems):
        mounted = system.kind == "mounted"
        if isinstance(storage, PathStorage):
            if not mounted:
                raise _needs_device(storage, systems, index)
        elif mounted:
            raise _is_in_place(storage, systems, index)


def _needs_device(storage: PathStorage, systems: Sequence[System], index: int) -> Exception:
    system = systems[index]
    what = "is a bare device" if system.kind == "raw" else "needs a device of its own"
    here = f"--set {shlex.quote(f'storage.directory={storage.path}')}"
    return conflict(
        f'"{system.name}" {what}, and the storage is a folder: {storage.path}',
        [("storage", "kind"), ("system", index)],
        next=f"to compare folders as they are: {_options(systems, storage.path)};"
        f" to make file systems in a file there, as root: --storage loop:8GiB {here}",
    )


def _is_in_place(storage: Storage, systems: Sequence[System], index: int) -> Exception:
    system = systems[index]
    others = [other for other in systems if other.kind != "mounted"]
    made = [other.name for other in others if other.kind != "raw"] or [each.name for each in others]
    if system.path is None:
        return conflict(
            f'"{system.name}" names no folder: a mounted system is used where it is',
            [("system", index)],
            next=f"name each one to compare: --system /mounted/folder --system {_ANOTHER}",
        )
    on = {"device": "a device", "ram": "memory"}.get(storage.kind, "a loop file")
    is_there = os.path.isdir(system.path)  # noqa: PTH112 - one that cannot be looked at is none
    is_folder = "is a folder and" if is_there else "is no folder here, and a folder"
    what = f'"{system.name}" {is_folder} is measured where it is, not on {on}'
    if made:
        what += f' as "{made[0]}" is'
    return conflict(
        what,
        [("system", index), ("storage", "kind")],
        next=f"folders alone, which need no storage: {_options(systems)}"
        + ("; or leave the folders out" if made else ""),
    )


def _folder_called(kind: str) -> str | None:
    return f"./{kind}" if os.path.isdir(kind) else None  # noqa: PTH112 - one that cannot be looked at is none


def _options(systems: Sequence[System], first: str | None = None) -> str:
    """Options that compare the folders at hand; another one where there is only one."""
    paths = [first] if first is not None else []
    found = [system.path or _folder_called(system.kind) for system in systems]
    paths += [path for path in found if path is not None]
    paths = [*dict.fromkeys(paths)]
    if len(paths) < 2:
        paths.append(_ANOTHER)
    return " ".join(f"--system {shlex.quote(path)}" for path in paths)


_GROUP_BYTES = GROUP_BLOCKS * BLOCK_BYTES
_LEAST_XFS_GROUP_BYTES, _MOST_XFS_GROUP_BYTES = 16 << 20, 1 << 40
"""Of an allocation group of XFS, as mkfs.xfs makes them."""


def refuse_missing_groups(storage: Storage, systems: Sequence[System]) -> None:
    """Raise a conflict for the first setting that names groups that the device cannot have."""
    if not isinstance(storage, LoopStorage | RamStorage | SimulatedStorage):
        return
    devices = storage.devices if isinstance(storage, SimulatedStorage) else 1
    each_bytes = storage.size // devices
    for index, system in enumerate(systems):
        policy = POLICIES.get(system.kind)
        for name, refused in _CHECKS.items():
            if policy is None or name not in system.settings:
                continue
            value = policy.value(system.settings, name)
            if isinstance(value, int) and (what := refused(value, each_bytes)):
                raise _beyond(index, name, what, is_simulated=isinstance(storage, SimulatedStorage))


def _last_group(group: int, each_bytes: int) -> str:
    groups = -(-each_bytes // _GROUP_BYTES)
    if group < groups:
        return ""
    return (
        f"there is no group {group}: a device of {format_size(each_bytes)} has groups 0 to"
        f" {groups - 1}"
    )


def _group_count(count: int, each_bytes: int) -> str:
    if count == 0 or _LEAST_XFS_GROUP_BYTES <= each_bytes / count <= _MOST_XFS_GROUP_BYTES:
        return ""
    return (
        f"{count} allocation groups on {format_size(each_bytes)} have"
        f" {format_size(each_bytes / count)} each: from {format_size(_LEAST_XFS_GROUP_BYTES)} to"
        f" {format_size(_MOST_XFS_GROUP_BYTES)} are possible"
    )


_CHECKS: dict[str, Callable[[int, int], str]] = {LAST_GROUP: _last_group, AG_COUNT: _group_count}


def _beyond(index: int, name: str, what: str, *, is_simulated: bool) -> PydanticCustomError:
    keys = [("system", index, "settings", name), ("storage", "size")]
    if is_simulated:
        keys.append(("storage", "devices"))
    return conflict(what, keys, next="another number, or a storage.size that has it")
