"""What hosts may tell of a block: the plan's own turns, cells and records, and no more of them."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.rig.fleet.control import HostLostError
from fsgauge.rig.fleet.gathered import Planned
from fsgauge.rig.fleet.messages import HappeningMessage, Label
from tests.synthetic import make_study

STUDY = make_study(blocks=2)
PLAN = STUDY.study.plan
TURN = next(turn for turn in PLAN.turns if turn.block == 0)
MADE = next(each for each in STUDY.turns if (each.block, each.turn) == (0, TURN.turn))
RUN = next(each for each in STUDY.runs if (each.block, each.turn) == (0, TURN.turn))


@pytest.fixture
def planned() -> Planned:
    return Planned(PLAN, 0)


def test_what_is_planned_is_heard(planned: Planned) -> None:
    planned.require_told(
        "b", [HappeningMessage(kind="run started", turn=TURN.turn, text=TURN.cells[0])]
    )
    for host in ("a", "b"):
        planned.require_record(host, MADE)
        planned.require_record(host, RUN)
    planned.require_due("b", label(cell=TURN.cells[0]))
    planned.require_due("b", label(meeting="ageing"))


@pytest.mark.parametrize("told", [{"turn": 99}, {"turn": -1}, {"text": "another cell"}])
def test_happenings_of_no_plan_are_not(planned: Planned, told: dict[str, Any]) -> None:
    found = HappeningMessage.model_validate(
        {"kind": "run started", "turn": 0, "text": TURN.cells[0], **told}
    )
    with pytest.raises(HostLostError, match="b: it tells of what is not in the plan"):
        planned.require_told("b", [found])


def test_happenings_have_an_end(planned: Planned) -> None:
    some = [HappeningMessage(kind="step started", turn=TURN.turn, text="x")] * 10_000
    with pytest.raises(HostLostError, match="b: it tells more of a block than can happen in it"):
        for _ in range(3 * len(PLAN.turns)):
            planned.require_told("b", some)


@pytest.mark.parametrize(
    "update",
    [
        *({"block": 1}, {"turn": 99}, {"system": "../../x"}, {"again": not RUN.again}),
        *({"position": 99}, {"position": -1}, {"position": RUN.position + 1}, {"series": "x"}),
        *({"parts": RUN.parts * 2}, {"cell": RUN.cell.model_copy(update={"name": "x"})}),
        {"parts": [RUN.parts[0].model_copy(update={"slices": []})]},
    ],
)
def test_records_of_no_plan_are_not(planned: Planned, update: dict[str, object]) -> None:
    record: RunRecord = RUN.model_copy(update=update)
    with pytest.raises(HostLostError, match="b: its record is not of what was planned"):
        planned.require_record("b", record)


def test_a_run_is_recorded_once(planned: Planned) -> None:
    planned.require_record("b", RUN)
    with pytest.raises(HostLostError):
        planned.require_record("b", RUN)


@pytest.mark.parametrize(
    "words",
    [{"block": 1}, {"turn": 99}, {"cell": "x"}, {"cell": ""}, {"cell": "x", "meeting": "x"}],
)
def test_starts_of_no_plan_are_not_given(planned: Planned, words: dict[str, object]) -> None:
    with pytest.raises(HostLostError, match="which is not planned"):
        planned.require_due("b", label(**words))


@pytest.mark.parametrize(
    ("words", "most"), [({"cell": TURN.cells[0]}, 8), ({"meeting": "x"}, 1000)]
)
def test_a_host_that_always_waits_for_the_same(
    planned: Planned, words: dict[str, object], most: int
) -> None:
    for _ in range(most):
        planned.require_due("b", label(**words))
    with pytest.raises(HostLostError, match="again and again"):
        planned.require_due("b", label(**words))


def label(**words: object) -> Label:
    return Label.model_validate({"block": 0, "turn": TURN.turn, "cell": "", **words})
