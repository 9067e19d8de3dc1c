"""Whether a study's load can be submitted here: looked at before anything is made.

A load that needs io_uring is refused where there is none. One that can do without goes on, and plan
and page say how.
"""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.machine.process.rings import lockable_bytes, no_rings
from fsgauge.study.model import ShareStorage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.rings import Rings


def require_rings(study: Study) -> None:
    """Raise InputError where the load needs rings of io_uring that cannot be had here."""
    rings = _rings(study)
    lacking = no_rings(rings.count, rings.depth) if rings is not None else None
    if rings is None or lacking is None:
        return
    if not (rings.by_itself and lacking.is_forbidden):
        raise InputError(
            f"the load needs io_uring for {rings.depth} operations in flight, and cannot have it",
            cause=lacking.cause,
            next=", or ".join(filter(None, (rings.instead, lacking.remedy))),
        )


def ring_cautions(study: Study) -> list[str]:
    """What the engine does instead where it can, for the plan and for the page."""
    rings = _rings(study)
    if rings is None:
        return []
    lacking = no_rings(rings.count, rings.depth)
    if lacking is not None:
        return [f"{lacking.cause}: {rings.by_itself}"] if rings.by_itself else []
    most = lockable_bytes()
    if most is None or rings.buffer_bytes <= most:
        return []
    return [
        f"buffers are not registered with io_uring: this user may lock {format_size(most)} of"
        f" memory, and they take {format_size(rings.buffer_bytes)}; each operation costs more"
        " processor time, alike for all systems (ulimit -l unlimited ends it)"
    ]


def _rings(study: Study) -> Rings | None:
    """What the load asks for where a system is reached over its path; a server has sockets."""
    if isinstance(study.storage, ShareStorage):
        return None
    accesses = accesses_of(study)
    if accesses and all(access.protocol != "path" for access in accesses):
        return None
    return method_of(study.workload).rings()
