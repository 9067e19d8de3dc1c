"""The order of turns, the seeds and jobs that come of a plan."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsgauge.engine.wire import BlockTarget, RandomAccess, SequentialAccess, ZeroData, ZipfAccess
from fsgauge.errors import InputError
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.plan.turns import derived_seed, job_for, make_plan, with_seed
from fsgauge.study.model import LoopStorage, PlanSettings, Study, System
from fsgauge.workload import method_of

GIB = 1 << 30
DRAWN_BY_42 = [
    ("ext4", False),
    ("raw", True),
    ("xfs", False),
    ("raw", False),
    ("raw", False),
    ("xfs", False),
    ("raw", True),
    ("ext4", False),
]
TARGET = BlockTarget(path="/dev/loop0", size_bytes=GIB)


def study(names=("raw", "ext4", "xfs"), workload=None, **plan):
    return Study(
        format=1,
        name="test",
        question="?",
        storage=LoopStorage(size=GIB),
        systems=[System(name=name, kind=name) for name in names],
        workload=OverheadWorkload(**(workload or {})),
        plan=PlanSettings(**{"seed": 1, **plan}),
    )


def turns_of(plan, block):
    return [turn for turn in plan.turns if turn.block == block]


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 5), st.integers(2, 9), st.integers(0, 2**53 - 1))
def test_every_block_is_complete(systems, blocks, seed):
    names = ["raw", "ext4", "xfs", "btrfs", "ext2"][:systems]
    plan = make_plan(study(names, blocks=blocks, seed=seed), size_bytes=GIB)
    for block in range(blocks):
        turns = turns_of(plan, block)
        counts = Counter((turn.system, turn.again) for turn in turns)
        assert counts == Counter([(name, False) for name in names] + [("raw", True)])
        assert [turn.turn for turn in turns] == list(range(systems + 1))
        assert len({tuple(turn.cells) for turn in turns}) == 1
        assert sorted(turns[0].cells) == sorted(cell.id for cell in plan.cells)


def test_the_seed_decides_all():
    assert make_plan(study(), size_bytes=GIB) == make_plan(study(), size_bytes=GIB)
    other = make_plan(study(seed=2), size_bytes=GIB)
    assert other.turns != make_plan(study(), size_bytes=GIB).turns


def test_the_order_of_a_seed_stays_the_same_for_ever():
    """A recorded seed must give the same order in every release; this one was drawn by 0.1."""
    plan = make_plan(study(seed=42, blocks=2), size_bytes=GIB)
    drawn = [(turn.system, turn.again) for turn in plan.turns]
    assert drawn == DRAWN_BY_42
    assert derived_seed(42, 0, "layout") == 3302815514159195


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 5), st.integers(1, 4), st.integers(0, 2**53 - 1))
def test_every_second_block_goes_backwards(systems, pairs, seed):
    """The twin as well: an even drift moves no mean of an even number of blocks."""
    names = ("raw", "ext4", "xfs", "btrfs", "ext2")[:systems]
    plan = make_plan(study(names, blocks=2 * pairs, seed=seed), size_bytes=GIB)
    orders = [
        [(turn.system, turn.again) for turn in turns_of(plan, block)] for block in range(2 * pairs)
    ]
    for first, second in zip(orders[::2], orders[1::2], strict=True):
        assert first == second[::-1]


def test_every_position_is_as_likely_for_every_system():
    """Neither a system nor the baseline's twin may sit early or late more often than by chance."""
    plan = make_plan(study(("raw", "ext4"), blocks=900), size_bytes=GIB)
    counts = Counter((turn.system, turn.again, turn.turn) for turn in plan.turns)
    assert len(counts) == 9
    assert all(234 < count < 369 for count in counts.values())
    starts = Counter(
        next(turn.system for turn in turns_of(plan, block) if not turn.again)
        for block in range(0, 200, 2)
    )
    assert 30 < starts["raw"] < 70


def test_reads_come_before_mixes_before_writes():
    plan = make_plan(study(), size_bytes=GIB)
    shares = {cell.id: cell.factors["read_percent"] for cell in plan.cells}
    for turn in plan.turns:
        found = [shares[cell] for cell in turn.cells]
        assert found == sorted(found, reverse=True)
    assert len({tuple(turn.cells) for turn in plan.turns}) > 1


def test_jobs_are_equal_for_all_systems_of_a_block():
    one = study()
    plan = make_plan(one, size_bytes=GIB)
    cell = plan.cells[0]
    first = [job_for(one, plan, turn, cell, TARGET) for turn in turns_of(plan, 0)]
    second = [job_for(one, plan, turn, cell, TARGET) for turn in turns_of(plan, 1)]
    assert all(job == first[0] for job in first)
    assert second[0].seed != first[0].seed
    assert job_for(one, plan, plan.turns[0], plan.cells[1], TARGET).seed != first[0].seed


def test_a_job_says_what_the_study_says():
    one = study(
        workload={
            "patterns": ["randrw", "read"],
            "block_sizes": [8192],
            "queue_depths": [1, 32],
            "jobs": [4],
            "read_percent": 60,
            "distribution": "zipf",
            "zipf_theta": 0.9,
            "data": "zero",
            "rate": 500.0,
            "arrival": "constant",
            "warm_up": 10**8,
            "duration": 10**9,
        }
    )
    plan = make_plan(one, size_bytes=GIB)
    cells = {cell.id: cell for cell in plan.cells}
    turn = plan.turns[0]
    mixed = job_for(one, plan, turn, cells["randrw-8KiB-depth32-jobs4"], TARGET)
    assert (mixed.interface, mixed.queue_depth, mixed.jobs) == ("io_uring", 32, 4)
    assert (mixed.read_percent, mixed.access) == (60, ZipfAccess(theta=0.9))
    assert mixed.rate is not None
    assert (mixed.rate.operations_per_second, mixed.rate.arrival) == (500, "constant")
    assert (mixed.warm_up_ns, mixed.duration_ns, mixed.interval_ns) == (10**8, 10**9, 5 * 10**7)
    assert mixed.data == ZeroData()
    plain = job_for(one, plan, turn, cells["read-8KiB-depth1-jobs4"], TARGET)
    assert (plain.interface, plain.read_percent) == ("psync", 100)
    assert plain.access == SequentialAccess()
    uniform = study()
    plan = make_plan(uniform, size_bytes=GIB)
    job = job_for(uniform, plan, plan.turns[0], plan.cells[0], TARGET)
    assert (job.access, job.rate) == (RandomAccess(), None)
    layout = method_of(one.workload).layout_job(TARGET, 1)
    assert layout is not None and layout.data == ZeroData()


@given(st.integers(0, 2**53 - 1), st.integers(0, 1000), st.text(max_size=20))
def test_derived_seeds_survive_every_json_reader(seed, block, purpose):
    assert 0 <= derived_seed(seed, block, purpose) < 2**53


def test_the_budget_cuts_blocks():
    whole = make_plan(study(blocks=20), size_bytes=GIB)
    half_ns = int(whole.expected_seconds / 2 * 1e9)
    cut = make_plan(study(blocks=20, budget=half_ns), size_bytes=GIB)
    assert cut.turns[-1].block + 1 in (9, 10)
    assert cut.expected_seconds <= half_ns / 1e9
    ample = make_plan(study(blocks=3, budget=10**18), size_bytes=GIB)
    assert ample.turns[-1].block + 1 == 3


def test_a_budget_without_room_for_two_blocks_is_refused():
    with pytest.raises(InputError, match="is too short for 2 blocks") as short:
        make_plan(study(budget=10**9), size_bytes=GIB)
    enough, rest = short.value.next.removeprefix("--set plan.budget=").split("min, ", 1)
    assert rest.startswith("or fewer systems")
    assert make_plan(study(budget=int(enough) * 60 * 10**9), size_bytes=GIB).turns[-1].block >= 1


def test_files_must_hold_a_block():
    with pytest.raises(InputError, match="a file would have"):
        make_plan(study(workload={"files": 10_000}), size_bytes=GIB)


def test_a_seed_is_given_once():
    open_study = study(seed=None)
    with pytest.raises(ValueError, match="no seed"):
        make_plan(open_study, size_bytes=GIB)
    seeded = with_seed(open_study, 2**60 + 5)
    assert seeded.plan.seed == 5
    assert with_seed(seeded, 9).plan.seed == 5


def test_primary_cells_become_ids():
    named = study(primary=["randread 4 KiB, depth 32", "randwrite-4KiB-depth1"])
    plan = make_plan(named, size_bytes=GIB)
    assert plan.primary == ["randread-4KiB-depth32", "randwrite-4KiB-depth1"]
    assert len(make_plan(study(), size_bytes=GIB).primary) == 6
