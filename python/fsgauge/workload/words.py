"""What several kinds say alike of how their load is carried out."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.study.access import AccessKeys
from fsgauge.study.reached import through
from fsgauge.units import exact_duration


def access_line(
    accesses: Sequence[AccessKeys], interfaces: Sequence[str], direct: str = ""
) -> list[str]:
    """How files that were laid out are reached, a line for what is held equal; none over paths.
    `direct` is what direct I/O means through a server, where it means anything."""
    if all(access.protocol == "path" for access in accesses):
        return []
    return [
        f"access: {through(accesses, ' and '.join(interfaces))}; files are laid out over the path "
        "first; through a server, "
        + (direct or "direct and buffered are the same, since the server decides what it caches")
    ]


def at_most(limit_ns: int, *, in_model: bool) -> str:
    """What ends a run before its work is done: its limit, and in a model nothing."""
    if in_model:
        return "; in a model no time limit ends it"
    return f", at most {exact_duration(limit_ns)}"
