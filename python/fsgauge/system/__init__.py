"""Systems: the kinds of things that are compared, by name, and whether they can be used here: the
driver in the kernel, the mkfs on the machine.

Adding a file system is adding a file here with an instance of a subclass of `FileSystem` (kind.py);
nothing else changes. docs/adding-a-system.md shows how.
"""

from __future__ import annotations

import importlib
import pkgutil
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.machine.facts.pseudo_files import lines_of
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.study.shipped import is_measured_mounted
from fsgauge.system.kind import FileSystem, SystemKind

__all__ = ["FileSystem", "Support", "SystemKind", "find_kind", "support_of", "system_kinds"]


@cache
def system_kinds() -> dict[str, SystemKind]:
    """Every kind by name: each instance of `SystemKind` in the modules of this package, also in
    a table of them."""
    found: dict[str, SystemKind] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            for kind in value.values() if isinstance(value, dict) else (value,):
                if isinstance(kind, SystemKind):
                    found[kind.name] = kind
    return dict(sorted(found.items()))


_BELOW = frozenset(["lvm", "lv", "mdraid", "mdadm", "md", "raid", "luks", "dmcrypt", "dm-crypt"])
"""What is below a file system: a device to make it on."""


def _instead(name: str) -> tuple[str, str]:
    """What is done in place of making such a system, and the command; two "" for none."""
    if name == "tmpfs":
        return "memory is storage: any file system on it", "--storage ram:1GiB --system ext4"
    if name in _BELOW:
        return (
            f"{name} is below file systems: compare folders on one with it and one without it,"
            " or make file systems on its device",
            f"--system plain=/mnt/a --system {name}=/mnt/b, or --storage /dev/NAME --system ext4",
        )
    if is_measured_mounted(name):
        folders = "fsgauge plan overhead /folder/on/it /folder/elsewhere"
        return f"a study makes no {name}; it measures one where it is mounted", folders
    return "", ""


def find_kind(name: str) -> SystemKind:
    """The kind called `name`; InputError with the nearest ones."""
    kinds = system_kinds()
    if name in kinds:
        return kinds[name]
    if Path(name).is_dir():
        raise InputError(
            f'"{name}" is not a kind of system, and a folder of this name begins with ./',
            next=f"--system {shlex.quote(f'./{name}')}",
        )
    hint, command = _instead(name.lower())
    if not hint:
        near = nearest(name, kinds, most=3)
        made = [each.name for each in kinds.values() if each.placement != "modelled"]
        hint = did_you_mean(near) if near else f"known: {', '.join(made)}"
    raise InputError(
        f'"{name}" is not a kind of system',
        details=(hint,),
        next=command or "fsgauge doctor --systems",
    )


@dataclass(frozen=True)
class Support:
    driver: bool
    mkfs: bool
    install: str

    @property
    def usable(self) -> bool:
        return self.driver and self.mkfs


def support_of(kind: FileSystem, *, load_module: bool) -> Support:
    return Support(
        driver=_has_driver(kind.driver, load_module=load_module),
        mkfs=find_tool(kind.mkfs) is not None,
        install=f"apt-get install {kind.package}",
    )


def _has_driver(driver: str, *, load_module: bool) -> bool:
    if driver in _drivers():
        return True
    if find_tool("modprobe") is None:
        return False
    options = ["--quiet"] if load_module else ["--quiet", "--dry-run"]
    loaded = run_tool(["modprobe", *options, f"fs-{driver}"]).exit_code == 0
    return driver in _drivers() if load_module else loaded


def _drivers() -> set[str]:
    return {line.split()[-1] for line in lines_of("/proc/filesystems") if line.split()}
