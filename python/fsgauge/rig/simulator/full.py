"""A simulated device that filled up: which system had no space for what, and what gives it room.

Each change is tried by living it. Twice the size helps where files are of a fixed number, and
seldom where they fill a share: there the same share of a larger device is as full. So nothing is
proposed that did not fit. The turn that was cut short is lived first, then each other turn of the
study: with other seeds, the same files may not fit.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import SimulatedStep
from fsgauge.errors import FullModelError, InputError, RigError
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.record.records import Turn
from fsgauge.rig.refusing import or_without
from fsgauge.rig.simulator import life
from fsgauge.rig.simulator.models import size_of
from fsgauge.study.device_numbers import beyond_capacity
from fsgauge.study.model import SimulatedStorage, Study, System
from fsgauge.study.storage import LARGEST_SIMULATED_BYTES
from fsgauge.units import exact_percent, exact_size, format_size

_BYTES = re.compile(r"(\d+)(?: of (\d+))? bytes")


def with_sizes(text: str) -> str:
    """ "2688000 of 134217728 bytes" as "2.56 MiB of 128 MiB"."""

    def words(found: re.Match[str]) -> str:
        sizes = [format_size(int(each)) for each in found.groups() if each is not None]
        return " of ".join(sizes)

    return _BYTES.sub(words, text)


_LEAST_SECONDS = 0.5
"""An engine that is asked to end sooner may not hear it."""
MOST_SECONDS = 10.0
"""All trials together; a life that takes longer is not lived again."""
_TIMES = (2, 4, 8)
_LESS_PERCENT = (1, 2, 5, 10, 20)
_FILLING = "fill"
"""In the name of each key that says how full a device is made."""


@dataclass(frozen=True)
class _Change:
    option: str
    study: Study


def filling_keys(study: Study) -> list[str]:
    return [key for key in type(study.workload).model_fields if _FILLING in key]


@dataclass(frozen=True)
class Room:
    """An option with which a turn has room, and whether every turn of the study was seen to."""

    option: str
    is_of_all: bool


def found_room(study: Study, seed: int, turn: Turn, engine: Engine) -> list[Room]:
    """Options with which the turn's life has room, at most one of each sort; tried in time."""
    begin_seconds = time.monotonic()
    study = with_seed(study, seed)
    sorts = (_larger(study), _less(study, filling_keys(study)))
    found: list[Room] = []
    for number, changes in enumerate(sorts, 1):
        until_seconds = begin_seconds + MOST_SECONDS * number / len(sorts)
        found += islice(_tried(changes, turn, engine, until_seconds), 1)
    return found


def _tried(
    changes: Iterable[_Change], turn: Turn, engine: Engine, until_seconds: float
) -> Iterator[Room]:
    for change in changes:
        if time.monotonic() >= until_seconds:
            return
        is_of_all = _gives_room(change.study, turn, engine, until_seconds)
        if is_of_all is not None:
            yield Room(change.option, is_of_all)


def _larger(study: Study) -> Iterator[_Change]:
    storage = study.storage
    for times in _TIMES:
        size = times * size_of(study)
        if size > LARGEST_SIMULATED_BYTES:
            return
        text = exact_size(size).replace(" ", "")
        option = f"--storage simulated:{text}"
        if isinstance(storage, SimulatedStorage):
            option = f"--set storage.size={text}"
            if beyond_capacity(storage.model, storage.parameters, size, storage.devices):
                return
        changed = storage.model_copy(update={"size": size})
        yield _Change(option, study.model_copy(update={"storage": changed}))


def _less(study: Study, keys: Sequence[str]) -> Iterator[_Change]:
    """Less of each key alone, then of all. A key that is not in force changes nothing alone, and so
    gives no room."""
    sorts = [[key] for key in keys]
    for sort in [*sorts, keys] if len(keys) > 1 else sorts:
        for less in _LESS_PERCENT:
            found = [_lowered(study, key, less) for key in sort]
            if any(each is None for each in found):
                break
            lowered = [each for each in found if each is not None]
            values = {key: value for key, value, _ in lowered}
            workload = study.workload.model_copy(update=values)
            option = " ".join(each for _, _, each in lowered)
            yield _Change(option, study.model_copy(update={"workload": workload}))


def _lowered(study: Study, key: str, less: int) -> tuple[str, object, str] | None:
    """The key, its value when the highest is so many points lower, and the option for it."""
    given = getattr(study.workload, key)
    levels = given if isinstance(given, list) else [given]
    if not all(isinstance(level, int) for level in levels) or max(levels) <= less:
        return None
    most = max(levels) - less
    fewer = list(dict.fromkeys(min(level, most) for level in levels))
    words = ", ".join(f'"{exact_percent(level)}"' for level in fewer)
    text = f"[{words}]" if isinstance(given, list) else exact_percent(most)
    option = f"--set {shlex.quote(f'workload.{key}={text}')}"
    return key, fewer if isinstance(given, list) else most, option


def _gives_room(study: Study, turn: Turn, engine: Engine, until_seconds: float) -> bool | None:
    """Whether the lives of all turns come to their end; False where time was too short to live
    others than the turn's own, None where one does not fit, or the turn's own was not lived."""
    is_own_lived = False
    try:
        for fits in _lives(study, turn, engine, until_seconds):
            if fits is None:
                return False if is_own_lived else None
            if not fits:
                return None
            is_own_lived = True
    except (InputError, RigError):
        return None
    return is_own_lived or None


def _lives(study: Study, turn: Turn, engine: Engine, until_seconds: float) -> Iterator[bool | None]:
    """For each turn of the study whether its life comes to its end, the given one and those of its
    system first; None where there is no time for it."""
    plan = make_plan(study, size_bytes=size_of(study))
    own = (turn.block, turn.turn)
    systems = {each.name: each for each in study.systems}
    empty = {name: life.empty_of(study, each, engine) for name, each in systems.items()}
    least = min(study.systems, key=lambda each: empty[each.name].free_bytes)
    for each in sorted(
        plan.turns, key=lambda each: ((each.block, each.turn) != own, each.system != turn.system)
    ):
        system = systems[each.system]
        place = life.place_in(study, system, empty[least.name].free_bytes, least)
        steps = [happens.step for happens in life.life_of(study, plan, each, place)]
        left_seconds = until_seconds - time.monotonic()
        if left_seconds < _LEAST_SECONDS:
            yield None
            return
        job = life.job_of(study, system, steps)
        with life.stopped_after(left_seconds) as on_start:
            result = engine.simulate(job, None, on_start)
        if result.ended == "interrupted":
            yield None
            return
        yield len(result.steps) == len(steps) and result.steps[-1].fault is None


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
            *(_seen(each) for each in found),
        ),
        cause=with_sizes(fault.cause),
        next=or_without(study, system, ", or ".join(options) or _untried(study)),
    )
    error.has_room_with = tuple(options)
    raise error


def _seen(room: Room) -> str:
    whose = "every turn has" if room.is_of_all else "this turn has"
    others = "" if room.is_of_all else "; not all others were tried"
    return f"tried: with {room.option} {whose} room{others}"


def _untried(study: Study) -> str:
    keys = [f"workload.{key}" for key in filling_keys(study)]
    less = f"a smaller {' or '.join(keys)}" if keys else "smaller files"
    return f"{less}, or a larger storage.size"
