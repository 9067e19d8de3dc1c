"""How long a simulation takes is tried in a small way, and said with a range."""

from __future__ import annotations

import resource

import pytest

from fsgauge.cli.plan_lines import time_and_bytes
from fsgauge.engine.client import Engine
from fsgauge.plan.around import Around, Tried
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan
from fsgauge.rig.rig import around_on
from fsgauge.rig.simulator import rig
from fsgauge.rig.simulator.life import (
    empty_of,
    first_turn,
    job_of,
    life_of,
    place_in,
)
from fsgauge.rig.simulator.models import size_of
from fsgauge.rig.simulator.rig import SimulatorRig
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from fsgauge.study.system import System


def churn(size: str) -> Study:
    return load_study("churn-simulated", [f"storage.size={size}", "plan.blocks=2"], seed=1)


def processor_seconds() -> float:
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def test_what_is_tried_on_smaller_devices_is_near_to_what_the_study_takes() -> None:
    """By processor time, which other work on the machine does not change; a factor of two is said,
    and three are allowed here, for a life of a few seconds."""
    study, engine = churn("8GiB"), Engine()
    study = study.model_copy(update={"systems": study.systems[:1]})
    found = rig._turn_seconds(study, study.systems[0], engine)
    assert found.is_whole and found.size_bytes == size_of(study)
    begin = processor_seconds()
    system = study.systems[0]
    for steps in first_turn(study, system, empty_of(study, system, engine).free_bytes):
        engine.simulate(job_of(study, system, steps))
    real = processor_seconds() - begin
    assert real / 3 < found.seconds < real * 3


def test_a_system_has_the_same_lives_in_a_plan_of_its_own() -> None:
    """Nothing but the order of its stages, which is by lot."""
    study = churn("64MiB")
    plan = make_plan(study, size_bytes=size_of(study))
    for system in study.systems:
        place = place_in(study, system, 32 << 20, system)
        own = [turn for turn in plan.turns if (turn.block, turn.system) == (0, system.name)]
        lives = [life_of(study, plan, turn, place) for turn in own if not turn.again]
        whole = sorted(each.step.model_dump_json() for life in lives for each in life)
        alone = first_turn(study, system, 32 << 20)
        assert sorted(step.model_dump_json() for life in alone for step in life) == whole


def test_of_more_systems_than_that_one_of_each_kind_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    def took(_: Study, system: System, __: Engine) -> rig._Small:
        tried.append(system.name)
        return rig._Small(1, 10.0 if system.kind == "first-fit" else 1.0, True)

    monkeypatch.setattr(rig, "_turn_seconds", took)
    study = churn("64MiB")
    one, other = (System(name=kind, kind=kind) for kind in ("first-fit", "next-fit"))
    many = [one, other, *(System(name=f"n{each}", kind="next-fit") for each in range(11))]
    found = rig.block_takes(study.model_copy(update={"systems": many}), Engine())
    assert tried == ["next-fit", "first-fit"] and "the first system of each kind" in found.words
    assert 32 <= found.seconds < 40, "the baseline has two turns"
    tried.clear()
    rig.block_takes(study.model_copy(update={"systems": many[:12]}), Engine())
    assert len(tried) == 12


def test_a_study_whose_files_are_of_a_fixed_number_is_tried_on_its_own_device() -> None:
    """It has no room on a smaller one."""
    study = load_study("connections", seed=1)
    found = SimulatorRig().tried(study)
    assert found is not None and found.longest_seconds == found.seconds * rig.FACTOR


def test_a_turn_that_takes_too_long_gives_a_lower_bound_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rig, "MOST_SECONDS", 0.01)
    monkeypatch.setattr(rig, "SMALLER", ())
    study = churn("32GiB")
    found = SimulatorRig().tried(study)
    assert found is not None and found.longest_seconds is None
    plan = make_plan(study, size_bytes=size_of(study), around=Around(block=found))
    time, written = time_and_bytes(
        describe(plan, study, size_bytes=size_of(study), around=Around(block=found))
    )
    assert time.startswith("time      more than ") and "stopped after" in time
    assert written.startswith("written   nothing; ")


def test_the_question_before_a_run_and_its_plan_try_a_study_once() -> None:
    study, rig = churn("64MiB"), SimulatorRig()
    found = around_on(rig, study)
    assert around_on(rig, study.model_copy()).block is found.block is not None
    assert around_on(rig, churn("128MiB")).block is not found.block


def test_what_is_refused_takes_no_time() -> None:
    refused = churn("8GiB").model_copy(update={"systems": load_study("churn").systems})
    assert around_on(SimulatorRig(), refused).block is None


def test_a_plan_has_the_seconds_of_the_rig_and_writes_nothing() -> None:
    """It said 33 hours and 46 TiB of a simulation that takes four minutes."""
    study = load_study("aging-as-published", seed=1)
    around = Around(block=Tried(48.0, 24.0, 96.0, "tried"))
    plan = make_plan(study, size_bytes=2 << 40, around=around)
    assert (plan.expected_seconds, plan.expected_written_bytes) == (5 * 48.0, 0)
    time, written = time_and_bytes(describe(plan, study, size_bytes=2 << 40, around=around))
    assert time == "time      about 4 min (2 min to 8 min): tried"
    assert written.startswith("written   nothing; 45")
