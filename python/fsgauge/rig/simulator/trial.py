"""A system before a study begins: what the engine says of it, and of the steps to come."""

from __future__ import annotations

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import AgeJob, SimulateResult, SimulateStep
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.rig.simulator.device import size_of
from fsgauge.rig.simulator.life import job_of, life_of, place_in
from fsgauge.study.model import Study, System


def first_turn(study: Study, system: System, free_bytes: int) -> list[list[SimulateStep]]:
    """The steps of the lives that the system has in the first block, its repetition left out;
    InputError where there is no room."""
    plan = make_plan(with_seed(study, 1), size_bytes=size_of(study))
    place = place_in(study, system, free_bytes, system)
    return [
        [happens.step for happens in life_of(study, plan, turn, place)]
        for turn in plan.turns
        if turn.block == 0 and turn.system == system.name and not turn.again
    ]


def first_steps(study: Study, system: System, free_bytes: int) -> list[SimulateStep]:
    """The same one after the other."""
    return [step for life in first_turn(study, system, free_bytes) for step in life]


def is_without_data(study: Study, system: System) -> bool:
    """Whether its logs allocate space and write nothing."""
    steps = first_steps(study, system, size_of(study))
    return any(isinstance(step, AgeJob) and step.mode == "fast" for step in steps)


def empty_of(study: Study, system: System, engine: Engine) -> SimulateResult:
    """The system before anything has happened to it."""
    without_data = is_without_data(study, system)
    return engine.simulate(job_of(study, system, [], without_data=without_data, check=True))


def check_life(study: Study, system: System, free_bytes: int, engine: Engine) -> None:
    """Raise InputError for a step that there is no model of; nothing is simulated."""
    steps = first_steps(study, system, free_bytes)
    without_data = is_without_data(study, system)
    engine.simulate(job_of(study, system, steps, without_data=without_data, check=True))
