"""A simulated device that filled up: which system had no space for what, and what gives it room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.errors import FullModelError
from fsgauge.rig.host.leaving_out import or_without
from fsgauge.rig.simulator.more_room import filling_keys
from fsgauge.rig.simulator.readable import with_sizes
from fsgauge.study.model import Study, System
from fsgauge.wire import SimulatedStep


def require_whole(
    study: Study,
    system: System,
    planned: int,
    steps: Sequence[SimulatedStep],
    room: Callable[[], Sequence[str]],
) -> None:
    """FullModelError, by the step at which a life of so many ended early; `room` is asked for the
    options with which the same life fits."""
    fault = steps[-1].fault if steps else None
    if fault is None:
        return
    raise FullModelError(
        f'"{system.name}": {with_sizes(fault.what)}',
        details=(f"step {len(steps)} of {planned}; the records before it are kept",),
        cause=with_sizes(fault.cause),
        next=_with_room(study, system, room()),
    )


def _with_room(study: Study, system: System, tried: Sequence[str]) -> str:
    """What was tried and fits; else a larger device or less on it, and the others alone."""
    if tried:
        return or_without(study, system, f"{', or '.join(tried)}: this life fits then")
    keys = [f"workload.{key}" for key in filling_keys(study)]
    less = f"a smaller {' or '.join(keys)}" if keys else "smaller files"
    return or_without(study, system, f"{less}, or a larger storage.size")
