"""Systems: the kinds of things that are compared, by name.

Adding a file system is adding a file here with an instance of a subclass of `FileSystem` (kind.py);
nothing else changes. docs/adding-a-system.md shows how.
"""

from __future__ import annotations

import importlib
import pkgutil
import shlex
from functools import cache
from pathlib import Path

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.system.kind import FileSystem, SystemKind

__all__ = ["FileSystem", "SystemKind", "find_kind", "system_kinds"]


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


def find_kind(name: str) -> SystemKind:
    """The kind called `name`; InputError with the nearest ones."""
    kinds = system_kinds()
    if name in kinds:
        return kinds[name]
    if (folder := Path(name)).is_dir():
        raise InputError(
            f'"{name}" is not a kind of system; a folder is named from the root',
            next=f"--system {shlex.quote(str(folder.absolute()))}",
        )
    near = nearest(name, kinds)
    hint = did_you_mean(near) if near else f"known: {', '.join(kinds)}"
    raise InputError(f'"{name}" is not a kind of system', details=(hint,), next="fsgauge systems")
