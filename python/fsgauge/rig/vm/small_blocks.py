"""Block sizes that mkfs chooses by the size of a disk: they differ between systems unasked."""

from __future__ import annotations

from fsgauge.study.model import Study, System
from fsgauge.system import FileSystem, system_kinds
from fsgauge.system.options import mkfs_words
from fsgauge.units import exact_size


def small_blocks_words(study: Study, size_bytes: int) -> list[str]:
    """A line for each such size, unless all systems of the study have it."""
    by_size: dict[int, list[str]] = {}
    for system in study.systems:
        made = _blocks_made(system, size_bytes)
        if made is not None:
            by_size.setdefault(made, []).append(system.name)
    return [
        f"{', '.join(names)}: blocks of {exact_size(made)}, which mkfs takes on a disk of"
        f" {exact_size(size_bytes)}; other systems have their usual ones."
        f" --set 'system.{names[0]}.mkfs=-b 4096' changes that, once for each"
        for made, names in by_size.items()
        if len(names) < len(study.systems)
    ]


def _blocks_made(system: System, size_bytes: int) -> int | None:
    kind = system_kinds().get(system.kind)
    if not isinstance(kind, FileSystem):
        return None
    return kind.small_blocks_bytes(size_bytes, mkfs_words(kind, system.mkfs, system.name))
