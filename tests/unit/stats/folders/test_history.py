"""Many folders: order, steps and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.stats.folders.history import follow
from fsgauge.stats.folders.same_conditions import Side
from tests.synthetic.setting import with_machine
from tests.unit.stats.folders.test_same_conditions import side

DAY_NS = 86_400 * 10**9


def folder(day: int, *, cost: float = 0.0, machine: float = 1.0, **changes: Any) -> Side:
    """A folder of one day; `machine` makes every system as fast."""

    def effect(system: str, cell: object) -> float:
        return machine * (1 - cost if system == "xfs" else 1.0)

    made = side(str(day), seed=500 + day, blocks=5, effect=effect, **changes)
    started = made.study.started_unix_ns + day * DAY_NS
    study = made.study.model_copy(update={"started_unix_ns": started})
    kernel = with_machine(made.before, kernel="new" if cost else "old")
    return Side(made.label, study, made.turns, made.runs, kernel, made.after)


def test_a_step_is_found_and_what_changed_there_is_named() -> None:
    days = [folder(day, cost=0.15 if day >= 5 else 0.0) for day in range(10)]
    history = follow(days[::-1])
    assert history.folders == [str(day) for day in range(10) if str(day) not in history.left_out]
    steps = {each.system: each.steps for each in history.series}
    assert steps["ext4"] == []
    (step,) = steps["xfs"]
    assert (step.label, step.direction) == ("5", "worse")
    assert step.ratio == pytest.approx(0.85, abs=0.03)
    assert "kernel: old / new" in step.changed


def test_a_faster_machine_is_no_step() -> None:
    days = [folder(day, machine=1.5 if day >= 4 else 1.0) for day in range(8)]
    assert all(each.steps == [] for each in follow(days).series)


def test_folders_that_are_not_valid_are_left_out_and_named() -> None:
    days = [folder(day) for day in range(3)] + [folder(3, profile="debug")]
    history = follow(days, despite=["engine-profile"])
    assert "3" in history.left_out
    assert not history.enough


def test_one_folder_is_no_history() -> None:
    with pytest.raises(InputError, match="at least two"):
        follow([folder(0)])


def test_a_study_of_the_baseline_alone_has_no_ratio_to_follow() -> None:
    alone = {"systems": {"ext4": "ext4"}}
    with pytest.raises(InputError, match="no system other than the baseline"):
        follow([folder(0, **alone), folder(1, **alone)])


def test_unlike_folders_are_refused_until_it_is_accepted() -> None:
    days = [folder(0), folder(1, question="Another one?")]
    with pytest.raises(InputError, match="not comparable"):
        follow(days)
    assert [each.fact for each in follow(days, despite=["question"]).despite] == ["question (1)"]
