"""How long a block will be simulated for: a turn of each system is tried on smaller devices first.

A life takes time for its operations, and most studies have as many more of them as their device is
larger. So the seconds of two small devices are drawn out to the study's own. A study whose files
are of a fixed number fits on its own device alone; there the turn itself is tried, for a while.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import SimulateResult
from fsgauge.errors import InputError
from fsgauge.plan.around import Tried
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.rig.simulator.device import devices_of, size_of
from fsgauge.rig.simulator.life import empty_of, first_turn, is_without_data, job_of, stopped_after
from fsgauge.study.model import Study, System
from fsgauge.study.policy_settings import BLOCK_BYTES

SMALLER = (512, 64, 8)
"""Shares of the study's device that are tried, the smallest first."""
ENOUGH_SECONDS = 0.15
"""From here on, what an engine needs to start is a small part."""
MOST_SECONDS = 4.0
"""A turn that is tried is stopped there."""
AROUND_SECONDS = 0.1
"""Around each life: files and journal of its records. Three studies took 0.09 to 0.13 s."""
FACTOR = 2.0
"""Between the expected seconds and the range's ends."""


@dataclass(frozen=True)
class _Small:
    size_bytes: int
    seconds: float
    is_whole: bool


def block_takes(study: Study, engine: Engine) -> Tried:
    """What a block takes; InputError where no turn of a system can be simulated."""
    begin_seconds = _processor_seconds()
    found = [_turn_seconds(study, system, engine) for system in study.systems]
    trial_seconds = _processor_seconds() - begin_seconds
    around_seconds = AROUND_SECONDS * _lives_of_block(study)
    seconds = sum(each.seconds for each in found) + found[0].seconds + around_seconds
    if not all(each.is_whole for each in found):
        words = f"a turn was tried, and stopped after {MOST_SECONDS:g} s; without the report"
        return Tried(seconds, seconds, None, words, trial_seconds)
    words = "a turn of each system was tried on a smaller device; without the report"
    return Tried(seconds, seconds / FACTOR, seconds * FACTOR, words, trial_seconds)


def _lives_of_block(study: Study) -> int:
    plan = make_plan(with_seed(study, 1), size_bytes=size_of(study))
    return sum(turn.block == 0 for turn in plan.turns)


def _turn_seconds(study: Study, system: System, engine: Engine) -> _Small:
    """A turn's seconds on the study's own device."""
    whole_bytes = size_of(study)
    tried: list[_Small] = []
    for share in SMALLER:
        try:
            tried.append(_tried(_smaller(study, whole_bytes // share), system, engine))
        except InputError:
            continue
        if tried[-1].seconds >= ENOUGH_SECONDS:
            break
    if not tried or (tried[-1].seconds < ENOUGH_SECONDS and tried[-1].is_whole):
        return _tried(study, system, engine)
    last = tried[-1]
    seconds = last.seconds + _a_byte(tried) * (whole_bytes - last.size_bytes)
    return _Small(whole_bytes, seconds, last.is_whole)


def _a_byte(tried: list[_Small]) -> float:
    last = tried[-1]
    if len(tried) < 2:
        return last.seconds / last.size_bytes
    before = tried[-2]
    return max(last.seconds - before.seconds, 0.0) / (last.size_bytes - before.size_bytes)


def _smaller(study: Study, size_bytes: int) -> Study:
    unit = BLOCK_BYTES * devices_of(study)
    size = size_bytes - size_bytes % unit
    return study.model_copy(update={"storage": study.storage.model_copy(update={"size": size})})


def _tried(study: Study, system: System, engine: Engine) -> _Small:
    """The lives of a block, simulated and written down as their records are."""
    empty = empty_of(study, system, engine)
    without_data = is_without_data(study, system)
    begin_seconds, is_whole = _processor_seconds(), True
    for steps in first_turn(study, system, empty.free_bytes):
        with stopped_after(MOST_SECONDS) as on_start:
            job = job_of(study, system, steps, without_data=without_data)
            result = engine.run(job, None, on_start)
        if not isinstance(result, SimulateResult):
            raise TypeError("a simulation has a result of its own")
        result.model_dump_json()
        is_whole = len(result.steps) == len(steps) and result.ended != "interrupted"
        if not is_whole:
            break
    return _Small(size_of(study), _processor_seconds() - begin_seconds, is_whole)


def _processor_seconds() -> float:
    """Of this process and the engines that it has waited for: one thread works at a time, and what
    else the machine does is none of it."""
    found = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in found)
