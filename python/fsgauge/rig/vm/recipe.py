"""What is in a guest and how its systems are set up over nodes, as data: base.toml, and a file in
systems/ for each family of file systems. Adding a file system is adding a file there;
docs/adding-a-virtual-system.md shows one.

`[volume.NAME]` is what a file system is made on, `[file_system.KIND]` one that several nodes mount
at once, `[reached_by.NAME]` how nodes reach a file system that is not their own. A study names
them: `system.NAME.rig.volume`, `system.NAME.kind`, `system.NAME.rig.reached_by`. `[service.KIND]`
is what runs beside a file system that a node mounts by itself.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept

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


Where = Literal["server", "holders", "loads", "first", "others", "all"]


class Step(Kept):
    """Something to do on some nodes, at once unless `by_turns`; `do` and `undo` are bash.

    `on` is the server, the nodes that hold the file system (where it is made or mounted), those
    that drive the load, the first of them, the rest of them, or all. `once` is done once for each
    start of a node, and never undone. `again` is what a node does instead that comes back with its
    disks as they were: nothing where something is made.
    """

    on: Where = "holders"
    once: bool = False
    by_turns: bool = False
    seconds: Annotated[float, Field(gt=0)] = 60.0
    do: str = ""
    again: str | None = None
    undo: str = ""


class Counter(Kept):
    """Something that is counted beside each run, on each node that drives the load; `read` is bash
    that prints lines of a part's name and its number so far."""

    name: str
    title: str
    unit: str
    read: str


class InForce(Kept):
    """A parameter as it is in force once the system stands, for its page; `read` is bash that
    prints it, on the first of the nodes `on`.

    One with `lost` makes the system what its name says: `read` fails on a node where it is gone,
    which `lost` says, before the last line that it prints. It is asked on all of the nodes `on`,
    once the system stands and after each run; `alive NAME...` fails where one of these names is no
    process's. What is `steady` prints then what it printed first. `grows` names a counter that a
    run which only reads moves whenever it moves the part that is named second, of any counter.
    """

    name: str
    on: Where = "first"
    read: str
    lost: str = ""
    steady: bool = False
    grows: tuple[str, str] | None = None


class Layer(Kept):
    """What every table has. `title` is for people; the kernel must have `modules`; `least_nodes`
    have to drive the load."""

    title: str
    modules: tuple[str, ...] = ()
    server: bool = False
    least_nodes: int = 1
    step: tuple[Step, ...] = ()
    counter: tuple[Counter, ...] = ()
    in_force: tuple[InForce, ...] = ()


class Volume(Layer):
    """What a file system is made on; `device` is where it is once the steps are done.

    A shared one is the same for all nodes that drive the load. `disks` are a node's own that it
    takes.
    """

    shared: bool = False
    device: str = ""
    disks: Annotated[int, Field(ge=1)] = 1


class SharedFileSystem(Layer):
    """A file system that several nodes mount at once, on a `volume` unless the study says which.
    One that is `read_only` cannot be measured."""

    volume: str = "disk"
    read_only: bool = False


class ReachedBy(Layer):
    """How nodes reach a file system that is made on the server, on each node that drives the load
    (all), or on every node. `disk_cache`: its steps on those nodes make a cache on a disk of
    theirs. `returns`: whether a node that was without power can be a part of it again."""

    below: Literal["server", "all", "every"] = "server"
    disk_cache: bool = False
    returns: bool = True

    @property
    def is_one(self) -> bool:
        """Whether all nodes that drive the load see the same files."""
        return self.below != "all"


class Service(Kept):
    """What a node runs beside a file system of its own that it makes and mounts."""

    in_force: tuple[InForce, ...]


class Tables(Kept):
    """All of them, by name; `counter` are those of every group of several nodes, `service` is by
    the kind of file system."""

    counter: tuple[Counter, ...] = ()
    service: dict[str, Service] = Field({})
    volume: dict[str, Volume]
    file_system: dict[str, SharedFileSystem]
    reached_by: dict[str, ReachedBy]


DISK, SHARED = "disk", "shared"
_BUILT_IN = {
    DISK: Volume(title="a disk of its own"),
    SHARED: Volume(title="one disk of all nodes", shared=True),
}


@cache
def tables() -> Tables:
    found: dict[str, dict[str, Any]] = {"volume": dict(_BUILT_IN)}
    counters: list[Any] = []
    for part in read_tables(SYSTEMS):
        counters += part.get("counter", [])
        for name in ("volume", "file_system", "reached_by", "service"):
            found.setdefault(name, {}).update(part.get(name, {}))
    return Tables.model_validate({**found, "counter": counters})
