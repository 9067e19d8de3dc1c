"""The cells and blocks of a load curve."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.commits.keys import CommitsWorkload
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.plan.curve import STEPS, at_rates, curve_words, runs_at_once, too_short
from fsgauge.plan.estimate import block_seconds
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan
from fsgauge.stats.curve.rates import plan_of_block
from fsgauge.study.model import Study
from tests.synthetic_curve import GIB, curve_study, make_curve
from tests.unit.kinds.mix.studies import LOG, READERS
from tests.unit.kinds.mix.studies import workload as mix

STUDY = curve_study(["ext4", "xfs"], blocks=3)
PLAN = make_plan(STUDY, size_bytes=GIB)
LOAD = "randread-4KiB-depth32"


def test_block_1_is_unpaced_and_the_others_have_all_steps_and_searches() -> None:
    first = [turn for turn in PLAN.turns if turn.block == 0]
    assert len(first) == 3 and all(turn.cells == [LOAD] for turn in first)
    paced = {cell.id for cell in PLAN.cells if cell.pace}
    assert len(paced) == STEPS + 2 * 2 + 1
    for block in (1, 2, 3):
        own = [turn for turn in PLAN.turns if turn.block == block]
        assert [turn.turn for turn in own] == [0, 1, 2]
        assert all(set(turn.cells) == paced for turn in own)
        assert len({tuple(turn.cells) for turn in own}) == 1


def test_it_is_compared_by_one_number_of_each_load() -> None:
    assert PLAN.comparisons == 1
    assert len(make_plan(curve_study(list("abcdefghi")), size_bytes=GIB).cells) == 1 + STEPS + 12


def test_the_unpaced_block_is_in_the_time() -> None:
    a_block = block_seconds(STUDY, GIB)
    assert 3 * a_block < PLAN.expected_seconds < 4 * a_block


def test_a_budget_holds_it() -> None:
    budget_ns = int(3.5 * block_seconds(STUDY, GIB) * 1e9)
    plan = make_plan(curve_study(["ext4", "xfs"], budget=budget_ns), size_bytes=GIB)
    assert {turn.block for turn in plan.turns} == {0, 1, 2, 3}


def test_rates_that_are_known_are_in_names_and_are_cells_of_the_plan() -> None:
    (step,) = [cell for cell in PLAN.cells if cell.id == f"{LOAD}-step1"]
    plan = at_rates(PLAN, {step.id: 5_000.0})
    (known,) = [cell for cell in plan.cells if cell.id == step.id]
    assert known.name == "randread 4 KiB, depth 32 at 5 k IOPS"
    assert known.pace is not None and known.pace.rate == 5_000
    assert PLAN.has_cell(known)
    load = PLAN.cells[0]
    assert load.pace is None and PLAN.has_cell(load)
    assert not PLAN.has_cell(load.model_copy(update={"pace": known.pace}))


def test_words() -> None:
    assert "10 rates, 10 to 110 % of what the slowest reached, and 5 near" in curve_words(PLAN)
    plain = Study.model_validate(
        STUDY.model_dump(by_alias=True) | {"plan": {"seed": 1, "blocks": 2}}
    )
    assert curve_words(make_plan(plain, size_bytes=GIB)) == ""


def test_cells_that_build_on_one_another_stay_together_at_each_rate() -> None:
    workload = MetadataWorkload(clients=[1, 4], folders=["own", "shared"])
    plan = make_plan(curve_study(["ext4"], blocks=2, workload=workload), size_bytes=GIB)
    raised = [cell.factors["operation"] for cell in plan.paced_loads]
    assert raised == ["create", "stat", "unlink"]  # of the one set of files with the most clients
    of_cell = {cell.id: cell for cell in plan.cells}
    orders = []
    for turn in (turn for turn in plan.turns if turn.block):
        chains = [turn.cells[at : at + 3] for at in range(0, len(turn.cells), 3)]
        for chain in chains:
            paces = [of_cell[cell].pace for cell in chain]
            assert [of_cell[cell].factors["operation"] for cell in chain] == raised
            assert len({(pace.part, pace.number) for pace in paces if pace}) == 1
        orders.append((turn.block, [chain[0] for chain in chains]))
    (_, first), *others = orders
    assert all(order == first for block, order in others if block == 1)
    assert any(order != first for block, order in others if block == 2)


def test_groups_that_no_curve_is_of_run_beside_those_that_one_is_of() -> None:
    lines = READERS + LOG + '[[workload.group]]\nname = "writers"\noperations = { write = 1 }\n'
    study = curve_study(["ext4"], blocks=2, workload=mix(lines))
    plan = make_plan(study, size_bytes=4 * GIB)
    assert [cell.name for cell in plan.paced_loads] == ["readers"]
    first, *_, last = plan.turns
    ((own, beside),) = runs_at_once(plan, first)
    assert [cell.name for cell in own] == ["readers", "log", "writers"] and beside == []
    runs = runs_at_once(plan, last)
    assert len(runs) == STEPS + 3
    for own, beside in runs:
        assert [cell.factors["group"] for cell in own] == ["readers"]
        assert [cell.name for cell in beside] == ["log", "writers"]


def cautions(**keys: Any) -> list[str]:
    study = curve_study(["ext4", "xfs"], **keys)
    return too_short(study, make_plan(study, size_bytes=GIB))


def test_runs_too_short_for_the_quantile_are_a_note_of_the_plan() -> None:
    """They were planned without a word: every run then had too few operations, and no answer."""
    assert cautions() == []
    study = curve_study(["ext4", "xfs"], blocks=2, duration_s=0.1, quantile="p999")
    described = describe(make_plan(study, size_bytes=GIB), study, size_bytes=GIB)
    (note,) = described.cautions
    assert note == (
        'p99.9 needs 10,000 operations of "randread 4 KiB, depth 32" in a run: of 100 ms none is'
        " offered below 120 k IOPS, and a system that serves less has no point; longer runs"
        " (--set workload.duration=...)"
    )


def test_of_a_mix_the_reads_alone_count() -> None:
    """A tenth of what is assumed is 2 k IOPS: in 1 s enough for the p99 of reads, not of 30 %."""
    own = {"block_sizes": [4096], "queue_depths": [1], "duration": 10**9, "warm_up": 0}
    reads = OverheadWorkload(patterns=["randread"], **own)
    mixed = OverheadWorkload(patterns=["randrw"], read_percent=50, **own)
    assert cautions(workload=reads) == []
    (note,) = cautions(workload=mixed)
    assert "none is offered below 2.4 k IOPS" in note


def test_what_is_noted_is_what_the_rates_of_a_block_are_held_to() -> None:
    """The plan's caution and the rates that are offered come of one number."""
    made = make_curve(duration_s=0.05, blocks=2, noise=0.0)
    (note,) = too_short(curve_study(["ext4", "xfs"], duration_s=0.05, blocks=2), made.study.plan)
    assert "none is offered below 24 k IOPS" in note
    offered = plan_of_block(made.study.plan, 1, made.runs)
    assert min(cell.pace.rate for cell in offered.cells if cell.pace) == 24_000


def test_a_log_that_is_full_before_it_holds_the_quantile_s_operations_is_refused() -> None:
    """It was offered more than ten times what it serves: "even 127 k commits/s have a p99.9 of
    500 ms: nothing is served"."""
    grown = CommitsWorkload(logs=["append"], sizes=[64 << 10])
    with pytest.raises(InputError, match="its log is full after 640: no rate") as refused:
        make_plan(curve_study(["ext4"], workload=grown), size_bytes=GIB)
    assert "workload.fill" in refused.value.next
    assert make_plan(curve_study(["ext4"], workload=grown, quantile="p50"), size_bytes=GIB).curve
    over = CommitsWorkload(sizes=[64 << 10])
    assert make_plan(curve_study(["ext4"], workload=over), size_bytes=GIB).curve


def test_a_pace_at_which_too_few_are_due_for_what_it_is_judged_by_is_a_note_of_the_plan() -> None:
    """All of it was measured, and ended with "No answer"."""
    plain: dict[str, Any] = {"mode": "all", "latency_limit": None}

    def reads(per_second: float) -> list[str]:
        own: dict[str, Any] = {"patterns": ["randread"], "block_sizes": [4096]}
        paced = OverheadWorkload(**own, queue_depths=[1], rate=per_second, duration=10**10)
        return cautions(workload=paced, **plain)

    assert reads(100.0) == []
    assert reads(50.0) == [
        '"randread 4 KiB, depth 1" is judged by its p99, which needs 1,000 operations in a run,'
        " and 500 are due: it will have none; longer runs (--set workload.duration=...)"
    ]
    files = MetadataWorkload(
        operations=["create", "list"], clients=[1], folders=["own"], entries=[500], rate=1e4
    )
    (note,) = cautions(workload=files, **plain)
    assert note.endswith("500 are due: it will have none; more files (--set workload.entries=...)")
