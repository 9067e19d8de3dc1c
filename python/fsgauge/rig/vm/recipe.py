"""What is in a guest, as data: base.toml, and a file in systems/ for each family of file systems.
Adding a file system is adding a file there; docs/adding-a-virtual-system.md shows one."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
SYSTEMS = _HERE / "systems"
GUEST = _HERE / "guest"
"""Scripts that run in the guest."""
_FORM = "1"
"""Changed where an older guest cannot be used any more though its recipe is the same."""


@dataclass(frozen=True)
class Recipe:
    """Packages, files of them, and kernel modules; `kinds` are the file systems that it has.

    `alone` are packages taken without what they depend on: they may not be installed beside others.
    `users` are accounts that services run as.
    """

    packages: tuple[str, ...]
    alone: tuple[str, ...]
    files: tuple[str, ...]
    tools: tuple[str, ...]
    early_modules: tuple[str, ...]
    modules: tuple[str, ...]
    busybox: tuple[str, ...]
    users: tuple[str, ...]
    kinds: tuple[str, ...]
    module_of: dict[str, str]
    """The module of each kind."""

    @property
    def key(self) -> str:
        """The same for the same recipe and scripts, in 16 hexadecimal digits."""
        parts = [_FORM, *self.packages, *self.files, *self.tools, *self.early_modules]
        parts += [*self.modules, *self.busybox, *self.alone, *self.users]
        for path in sorted(GUEST.iterdir()):
            parts += [path.name, path.read_text(encoding="utf-8")]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_tables(systems: Path) -> list[dict[str, Any]]:
    """The files of a folder of systems, by their names."""
    return [tomllib.loads(path.read_text("utf-8")) for path in sorted(systems.glob("*.toml"))]


@cache
def recipe(systems: Path = SYSTEMS) -> Recipe:
    base = tomllib.loads((_HERE / "base.toml").read_text(encoding="utf-8"))
    added = read_tables(systems)

    def all_of(key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for part in [base, *added] for word in part.get(key, [])))

    module_of = {kind: part["modules"][0] for part in added for kind in part.get("kinds", [])}
    lists = {each.name: all_of(each.name) for each in fields(Recipe) if each.name != "module_of"}
    return Recipe(**lists, module_of=module_of)
