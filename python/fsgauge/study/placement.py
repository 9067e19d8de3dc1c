"""What sits where: folders are measured as they are, all else is made on a device."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fsgauge.study.conflict import conflict
from fsgauge.study.storage import PathStorage, Storage
from fsgauge.study.system import System

_ANOTHER = "/another/folder"


def refuse_misplaced(storage: Storage, systems: Sequence[System]) -> None:
    """Raise a conflict for the first system that cannot sit on the storage."""
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
    what = f'"{system.name}" is a folder and is measured where it is, not on {on}'
    if made:
        what += f' as "{made[0]}" is'
    return conflict(
        what,
        [("system", index), ("storage", "kind")],
        next=f"folders alone, which need no storage: {_options(systems)}"
        + ("; or leave the folders out" if made else ""),
    )


def _options(systems: Sequence[System], first: str | None = None) -> str:
    """Options that compare the folders at hand; another one where there is only one."""
    paths = [first] if first is not None else []
    paths += [system.path for system in systems if system.path is not None]
    paths = [*dict.fromkeys(paths)]
    if len(paths) < 2:
        paths.append(_ANOTHER)
    return " ".join(f"--system {shlex.quote(path)}" for path in paths)
