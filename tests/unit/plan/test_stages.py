"""Stages: where a workload has several, each is a turn on a system made afresh."""

from collections import Counter
from itertools import groupby, pairwise

from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.plan.estimate import TURN_SECONDS, turn_seconds
from fsgauge.plan.turns import job_for, make_plan, steps_for
from fsgauge.study.access import AccessKeys
from fsgauge.study.model import LoopStorage, PlanSettings, Study, System
from fsgauge.workload.folders import ClientFolders

GIB = 1 << 30
FOLDERS = ClientFolders(
    directory="/mnt", files_per_client=0, backup_files_per_client=0, available_bytes=GIB
)


def study(names=("ext4", "xfs", "btrfs"), blocks=8, **workload):
    return Study(
        format=1,
        name="test",
        question="?",
        storage=LoopStorage(size=GIB),
        systems=[System(name=name, kind=name) for name in names],
        workload=ChurnWorkload(**workload),
        plan=PlanSettings(seed=1, blocks=blocks),
    )


def level_of(turn):
    return turn.cells[0].split("-")[1]


def test_every_system_has_every_stage_in_one_order():
    plan = make_plan(study(), size_bytes=GIB)
    for block in range(8):
        turns = [turn for turn in plan.turns if turn.block == block]
        assert [turn.turn for turn in turns] == list(range(4 * 6))
        counts = Counter((turn.system, turn.again) for turn in turns)
        assert set(counts.values()) == {6}
        orders = [
            [turn.cells for turn in found]
            for _, found in groupby(turns, key=lambda turn: (turn.system, turn.again))
        ]
        assert len(orders) == 4
        assert all(order == orders[0] for order in orders)
        assert sorted(cell for stage in orders[0] for cell in stage) == sorted(
            cell.id for cell in plan.cells
        )


def test_aged_and_fresh_of_a_level_are_neighbours_and_take_turns_to_be_first():
    plan = make_plan(study(blocks=10), size_bytes=GIB)
    first = Counter()
    for block in range(10):
        turns = [turn for turn in plan.turns if turn.block == block][:6]
        for one, two in pairwise(turns):
            if level_of(one) == level_of(two):
                first[level_of(one), one.cells[0].split("-")[0]] += 1
    assert first == Counter(
        {(level, wear): 5 for level in ("50", "80", "95") for wear in ("aged", "fresh")}
    )


def test_the_order_of_levels_is_drawn():
    plan = make_plan(study(blocks=12), size_bytes=GIB)
    leads = {turn.cells[0].split("-")[1] for turn in plan.turns if turn.turn == 0}
    assert leads == {"50", "80", "95"}


def test_a_block_has_one_log_and_one_load_for_all_systems_and_both_wears():
    asked = study(blocks=2)
    plan = make_plan(asked, size_bytes=GIB)
    cells = {cell.id: cell for cell in plan.cells}
    seeds = {}
    for turn in plan.turns:
        cell = cells[turn.cells[0]]
        (step,) = steps_for(asked, plan, turn, cell, FOLDERS)
        job = job_for(asked, plan, turn, cells[turn.cells[1]], FOLDERS)
        seeds.setdefault((turn.block, ChurnFactors.of(cell).fill_percent), set()).add(
            (step.job.seed, job.seed)
        )
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) == 6


def test_time_counts_every_system_that_is_made():
    one = turn_seconds(study(fills=[50], tests=["write"], mode="fast"), GIB, AccessKeys())
    assert one > 2 * TURN_SECONDS
