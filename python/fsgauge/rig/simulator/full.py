"""A simulated device that filled up: which system had no space for what, and what gives it room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.engine.wire import SimulatedStep
from fsgauge.errors import FullModelError
from fsgauge.rig.host.leaving_out import or_without
from fsgauge.rig.simulator.more_room import Room, filling_keys
from fsgauge.rig.simulator.readable import with_sizes
from fsgauge.study.model import Study, System


def require_whole(
    study: Study,
    system: System,
    planned: int,
    steps: Sequence[SimulatedStep],
    room: Callable[[], Sequence[Room]],
) -> None:
    """FullModelError, by the step at which a life of so many ended early; `room` is asked for the
    options with which the same life fits."""
    fault = steps[-1].fault if steps else None
    if fault is None:
        return
    found = room()
    options = [each.option for each in found]
    error = FullModelError(
        f'"{system.name}": {with_sizes(fault.what)}',
        details=(
            f"step {len(steps)} of {planned}; the records before it are kept",
            *(_tried(each) for each in found),
        ),
        cause=with_sizes(fault.cause),
        next=or_without(study, system, ", or ".join(options) or _untried(study)),
    )
    error.has_room_with = tuple(options)
    raise error


def _tried(room: Room) -> str:
    """What was seen of an option."""
    whose = "every turn has" if room.is_of_all else "this turn has"
    others = "" if room.is_of_all else "; not all others were tried"
    return f"tried: with {room.option} {whose} room{others}"


def _untried(study: Study) -> str:
    """A larger device or less on it, where nothing that was tried fits."""
    keys = [f"workload.{key}" for key in filling_keys(study)]
    less = f"a smaller {' or '.join(keys)}" if keys else "smaller files"
    return f"{less}, or a larger storage.size"
