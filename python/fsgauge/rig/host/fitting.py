"""What of a study gives way to the folders that a person named: its size, or direct I/O.

A shipped study has a size for a disk with room, and most are about direct I/O. Folders without them
are measured all the same, in a way that all of them have, and it is said.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import suppress

from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError
from fsgauge.rig.host.direct import without_direct
from fsgauge.rig.rig import Change
from fsgauge.storage.base import typed
from fsgauge.storage.path import fitting_bytes
from fsgauge.study.model import PathStorage, Study
from fsgauge.units import format_size
from fsgauge.workload import method_of


def changes_for_folders(study: Study, engine: Callable[[], Engine]) -> list[Change]:
    """At most one of the size and one of direct I/O; none for what is refused in any case."""
    if not isinstance(study.storage, PathStorage):
        return []
    places = list(dict.fromkeys(system.path or study.storage.path for system in study.systems))
    return [*_smaller(places, study.storage.size), *_buffered(study, places, engine)]


def _smaller(places: list[str], size_bytes: int) -> list[Change]:
    rooms: dict[str, int] = {}
    for place in places:
        with suppress(OSError):  # no folder, which is refused
            rooms[place] = fitting_bytes(place, size_bytes)
    least = min(rooms, key=rooms.__getitem__, default="")
    if not least or rooms[least] == size_bytes:
        return []
    fits, wanted = format_size(rooms[least]), format_size(size_bytes)
    why = f"{least} has no room for {wanted}, so {fits} of each folder is used"
    return [Change("storage.size", f"storage.size={typed(rooms[least])}", why)]


def _buffered(study: Study, places: list[str], engine: Callable[[], Engine]) -> list[Change]:
    method = method_of(study.workload)
    option, *change = shlex.split(method.buffered_instead()) or [""]
    if not method.direct_sizes_bytes() or option != "--set":
        return []
    for place in places:
        with suppress(FsgaugeError):  # no engine, or no folder: refused
            reason, _ = without_direct(place, engine())
            if reason:
                kind = reason.partition(",")[0]
                why = (
                    f"{place} ({kind}) has no direct I/O, so all folders go through the page cache"
                )
                key = change[0].partition("=")[0]
                return [Change(key, change[0], why)]
    return []
