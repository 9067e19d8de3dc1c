"""Whether the storage that was measured has heads to move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from fsgauge.machine import StorageFacts

WITHOUT_OWN_PLACES = ("ram", "loop")
"""Memory has no heads; and where a file's blocks lie tells nothing of the disk below a loop."""

Seeks = Literal["yes", "no", "unknown"]


def seeks_of(storage: StorageFacts) -> Seeks:
    """ "no" for memory, a loop file and what the kernel calls not rotational."""
    if storage.kind in WITHOUT_OWN_PLACES:
        return "no"
    spins = {str(value) for value in _rotational(storage.device_chain)}
    if spins & {"0", "False"}:
        return "no"
    return "yes" if spins & {"1", "True"} else "unknown"


def _rotational(chain: Sequence[dict[str, Any]]) -> list[Any]:
    return [link["rotational"] for link in chain if link.get("rotational") is not None]
