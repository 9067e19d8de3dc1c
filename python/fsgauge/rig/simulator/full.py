"""A simulated device that filled up: which system had no space for what, and what gives it room."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fsgauge.errors import FullModelError
from fsgauge.rig.host.leaving_out import or_without
from fsgauge.rig.simulator.device import size_of
from fsgauge.study.model import Study, System
from fsgauge.study.storage import SimulatedStorage
from fsgauge.units import exact_size, format_size
from fsgauge.wire import SimulatedStep

_OF_BYTES = re.compile(r"(\d+)(?: of (\d+))? bytes")
_FILLING = "fill"
"""In the name of each key that says how full a device is made."""


def require_whole(
    study: Study, system: System, planned: int, steps: Sequence[SimulatedStep]
) -> None:
    """FullModelError, by the step at which a life of so many ended early."""
    fault = steps[-1].fault if steps else None
    if fault is None:
        return
    raise FullModelError(
        f'"{system.name}": {_sized(fault.what)}',
        details=(f"step {len(steps)} of {planned}; the records before it are kept",),
        cause=_sized(fault.cause),
        next=_with_room(study, system),
    )


def _sized(text: str) -> str:
    """The engine's bytes as a person reads them."""

    def words(found: re.Match[str]) -> str:
        sizes = [format_size(int(each)) for each in found.groups() if each is not None]
        return " of ".join(sizes)

    return _OF_BYTES.sub(words, text)


def _with_room(study: Study, system: System) -> str:
    """A larger device, less on it, or the others alone."""
    twice = exact_size(2 * size_of(study)).replace(" ", "")
    larger = f"--storage simulated:{twice}"
    if isinstance(study.storage, SimulatedStorage):
        larger = f"--set storage.size={twice}"
    keys = [key for key in type(study.workload).model_fields if _FILLING in key]
    less = (
        f"a smaller {' or '.join(f'workload.{key}' for key in keys)}" if keys else "smaller files"
    )
    return or_without(study, system, f"fsgauge run again with {larger}, with {less}")
