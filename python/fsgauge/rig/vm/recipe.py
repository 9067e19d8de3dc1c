"""What is in a guest, as data: base.toml, and a file in systems/ for each family of file systems.
Adding a file system is adding a file there; docs/adding-a-virtual-system.md shows one."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_SYSTEMS = _HERE / "systems"
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


@cache
def recipe(systems: Path = _SYSTEMS) -> Recipe:
    base = tomllib.loads((_HERE / "base.toml").read_text(encoding="utf-8"))
    added = [tomllib.loads(path.read_text("utf-8")) for path in sorted(systems.glob("*.toml"))]

    def all_of(key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for part in [base, *added] for word in part.get(key, [])))

    return Recipe(
        packages=all_of("packages"),
        alone=all_of("alone"),
        files=all_of("files"),
        tools=all_of("tools"),
        early_modules=all_of("early_modules"),
        modules=all_of("modules"),
        busybox=all_of("busybox"),
        users=all_of("users"),
        kinds=all_of("kinds"),
        module_of={kind: part["modules"][0] for part in added for kind in part.get("kinds", [])},
    )
