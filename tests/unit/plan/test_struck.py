"""Runs that are struck stand in turns of their own: what is compared stays as it was."""

from __future__ import annotations

from fsgauge.plan.struck import fault_lines
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Plan
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import FaultKeys

SIZE_BYTES = 2 << 30


def plan_of(*faults: FaultKeys, kind: str = "overhead") -> Plan:
    study = load_study(kind, [], ["ext4", "xfs"], "loop:2GiB", 1, baseline="ext4")
    study = study.model_copy(update={"faults": list(faults)})
    return make_plan(study, size_bytes=SIZE_BYTES, strikes=VmRig().strikes(study))


def fault(cell: str) -> FaultKeys:
    return FaultKeys(kind="disk_error", cell=cell)


def test_every_system_has_one_more_turn_in_the_struck_cell_alone() -> None:
    plain, whole = plan_of(), plan_of(fault("randread 4 KiB, depth 1"))
    assert whole.turns == plain.turns
    assert [turn.system for turn in whole.struck] == ["ext4", "xfs"]
    assert {turn.block for turn in whole.struck} == {plain.turns[-1].block + 1}
    cell = next(each for each in whole.cells if each.name == "randread 4 KiB, depth 1")
    assert all(turn.cells == [cell.id] for turn in whole.struck)
    assert whole.expected_seconds > plain.expected_seconds
    assert fault_lines(whole) == [
        "randread 4 KiB, depth 1, once more for each system: node1, disk error, after 1 s, for 2 s"
    ]


def test_faults_of_one_cell_strike_the_same_run_and_others_have_a_block_of_their_own() -> None:
    first, other = "randread 4 KiB, depth 1", plan_of().cells[-1].name
    struck = plan_of(fault(first), fault(first), fault(other)).struck
    assert [len(turn.strikes) for turn in struck] == [2, 2, 1, 1]
    assert len({turn.block for turn in struck}) == 2


def test_where_cells_build_on_one_another_those_before_come_before() -> None:
    cells = plan_of(kind="connections").cells
    struck = plan_of(fault(cells[1].name), kind="connections").struck
    assert struck[0].cells == [cells[0].id, cells[1].id]
