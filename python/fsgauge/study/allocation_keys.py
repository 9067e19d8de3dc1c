"""Keys of a system that say how files are given space, where the workload gives none by them."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge import kinds
from fsgauge.study.conflict import conflict
from fsgauge.study.system import ALLOCATING, System


def refuse_allocating(systems: Sequence[System]) -> None:
    """Raise a conflict for a key that would be ignored."""
    able = [kind for kind in kinds.names() if kinds.part(kind, "keys").KEYS.allocates]
    for index, system in enumerate(systems):
        for key in ALLOCATING:
            if getattr(system, key) is not None:
                raise conflict(
                    f"{key} would be ignored: only a study of kind {' or '.join(able)} allocates"
                    " files this way",
                    [("system", index, key), ("workload", "kind")],
                    next=f"fsgauge run {able[0]}, or leave it out" if able else "leave it out",
                )
