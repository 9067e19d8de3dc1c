"""A system that fails in its turn: what is recorded of it, and what is no fault of a system."""

from __future__ import annotations

import pytest

from fsgauge.errors import FsgaugeError, InputError, Interrupted, RigError
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Plan, RunRecord, Turn
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.vm.arrangement.standing import NotReadyError
from fsgauge.rig.vm.faults.failed_runs import (
    CRASHED,
    HANGS,
    NOT_SET_UP,
    RecordedTurns,
    failed_runs,
    fault_of,
    is_of_system,
)
from fsgauge.rig.vm.in_force import CODE as NOT_IN_FORCE
from fsgauge.rig.vm.in_force import NotInForceError
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study


def study() -> Study:
    return load_study("sharing", ['workload.tests=["write","read"]'], [], None, 1)


def one_turn() -> tuple[Plan, Turn]:
    plan = make_plan(study(), size_bytes=320 << 20)
    turn = next(each for each in plan.turns if each.system == "nfs")
    return plan.model_copy(update={"turns": [turn]}), turn


def lost(what: str, *, has_ended: bool) -> NodeLostError:
    error = NodeLostError(what, details=("console: Kernel panic",))
    error.has_ended = has_ended
    return error


def test_what_was_not_reached_has_failed_and_what_was_reached_stays() -> None:
    plan, turn = one_turn()
    told: list[object] = []
    heard = RecordedTurns(told.append, {})
    whole = list(failed_runs(study(), plan, [turn], heard, fault_of(RigError("mount failed"))))
    assert [run.cell.id for run in whole] == turn.cells
    heard(whole[0])
    left = list(
        failed_runs(study(), plan, [turn], heard, fault_of(lost("it panicked", has_ended=True)))
    )
    assert [(run.position, run.cell.id) for run in left] == [(1, turn.cells[1])]
    assert left[0].fault is not None and left[0].parts == []
    assert "Kernel panic" in left[0].fault.what and told == [whole[0]]
    assert RunRecord.model_validate_json(left[0].model_dump_json()) == left[0]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RigError("mount failed"), NOT_SET_UP),
        (lost("it has ended", has_ended=True), CRASHED),
        (lost("it says nothing", has_ended=False), HANGS),
        (NotInForceError("its cache has no daemon"), NOT_IN_FORCE),
        (NotUpError("node1 is not up within 240 s"), "rig.not_up"),
        (NotReadyError("caches cannot be emptied"), "rig.not_ready"),
        (RigError("node2: other nodes were not ready for a run within 300 s"), "rig.not_ready"),
        (RigError("node2: fsgauge itself failed: KeyError: 'x'"), "rig.not_ready"),
    ],
)
def test_a_fault_says_which_of_four_it_was_or_that_it_is_the_rig_s(
    error: FsgaugeError, code: str
) -> None:
    assert fault_of(error).code == code


@pytest.mark.parametrize(
    ("error", "is_fault"),
    [
        (RigError("mount failed"), True),
        (Interrupted("Ctrl-C"), False),
        (InputError("no such key"), False),
        (lost("node2: the start was missed: it was 2 ms ago", has_ended=False), False),
    ],
)
def test_not_every_error_is_the_system_s(error: FsgaugeError, is_fault: bool) -> None:
    assert is_of_system(error, RecordedTurns(lambda _: None, {})) == is_fault


def test_what_telling_raises_is_no_fault_of_the_system() -> None:
    plan, turn = one_turn()

    def full(_: object) -> None:
        raise RigError("no space left on device")

    heard = RecordedTurns(full, {})
    with pytest.raises(RigError):
        heard(RunStarted(turn, plan.cells[0]))
    assert not is_of_system(RigError("no space left on device"), heard)
