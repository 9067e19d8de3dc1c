"""What `fsgauge rig test` tries: each file system of one node, and the systems over several.

Those over several nodes are the `[[trial]]` tables of systems/. `loads` are numbers of nodes that
drive the load; a server is one more. `proof` is bash for the last of them, which fails where the
system does not do what it is there for, and prints a sentence where it does. `known` is why it does
not work on the distribution's usual kernel.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fsgauge.errors import InputError
from fsgauge.rig.vm.arrangement.tables import tables
from fsgauge.rig.vm.recipe import recipe

_SYSTEMS = Path(__file__).parent / "systems"


@dataclass(frozen=True)
class Trial:
    """A file system, what it is on, how it is reached, and how many nodes drive the load."""

    kind: str
    volume: str | None = None
    reached_by: str | None = None
    loads: int = 1
    mount: str = ""
    proof: str = ""
    known: str = ""

    @property
    def name(self) -> str:
        """As in: nfs4 over xfs; gfs2 on iscsi-lvm, 3 nodes."""
        found = f"{self.reached_by} over {self.kind}" if self.reached_by else self.kind
        found += f" on {self.volume}" if self.volume else ""
        found += f" ({self.mount})" if self.mount else ""
        return found + (f", {self.loads} nodes" if self.loads > 1 else "")

    @property
    def words(self) -> set[str]:
        """By each of them people may ask for it."""
        return {self.kind, self.volume or "", self.reached_by or "", self.name} - {""}

    @property
    def has_server(self) -> bool:
        """Whether one of its nodes is a server."""
        found = tables()
        layers = (
            found.volume.get(self.volume or ""),
            found.reached_by.get(self.reached_by or ""),
        )
        return any(layer is not None and layer.server for layer in layers)

    @property
    def nodes(self) -> int:
        """All of them."""
        return self.loads + self.has_server

    @property
    def is_plain(self) -> bool:
        """Whether it is a file system of one node, on its own disk."""
        arranged = self.volume or self.reached_by or self.loads > 1
        return not arranged and self.kind in recipe().kinds


class _Trials(BaseModel):
    """A table of a file: every one of `kinds` on every number of nodes in `loads`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: tuple[str, ...]
    volume: str | None = None
    reached_by: str | None = None
    loads: tuple[int, ...] = (1,)
    mount: str = ""
    proof: str = ""
    known: str = ""

    def all(self) -> Iterator[Trial]:
        for loads in self.loads:
            for kind in self.kinds:
                rest = {"mount": self.mount, "proof": self.proof, "known": self.known}
                yield Trial(kind, self.volume, self.reached_by, loads, **rest)


@cache
def trials(systems: Path = _SYSTEMS) -> tuple[Trial, ...]:
    """All of them: file systems of one node first, then by the number of nodes."""
    found = [Trial(kind) for kind in recipe().kinds]
    for path in sorted(systems.glob("*.toml")):
        for part in tomllib.loads(path.read_text(encoding="utf-8")).get("trial", []):
            found += _Trials.model_validate(part).all()
    return tuple(sorted(found, key=lambda each: (not each.is_plain, each.nodes, each.has_server)))


def chosen(words: Sequence[str]) -> list[Trial]:
    """Those that people ask for, each once; all without words. InputError for a word of none."""
    for word in words:
        if not any(word in each.words for each in trials()):
            known = sorted({name for each in trials() for name in each.words if " " not in name})
            raise InputError(
                f'"{word}" is not in the guest of the virtual rig',
                details=(f"in it: {', '.join(known)}",),
                next="docs/adding-a-virtual-system.md says how a file system is added",
            )
    return [each for each in trials() if not words or each.words & set(words)]


def alike(found: Iterable[Trial]) -> list[list[Trial]]:
    """In groups that the same nodes can try, one after the other."""
    groups: dict[tuple[int, bool], list[Trial]] = {}
    for each in found:
        groups.setdefault((each.nodes, each.has_server), []).append(each)
    return list(groups.values())
