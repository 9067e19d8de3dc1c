"""What a pilot's blocks took, out of its records."""

import pytest

from fsgauge.stats.pilot import is_of_same_work, pilot_time
from tests.synthetic import make_study
from tests.synthetic_churn import make_churn

SHAPE = {"blocks": 3, "queue_depths": (1,), "block_sizes": (4096,)}


def test_a_block_is_its_turns_and_its_runs():
    study = make_study(**SHAPE)
    turns = [turn.model_copy(update={"prepare_ns": 10**9}) for turn in study.turns]
    found = pilot_time(study.study, turns, study.runs)
    (first, *_others) = [
        sum((run.result.warm_up_ns + run.result.elapsed_ns) / 1e9 for run in runs)
        for runs in ([run for run in study.runs if run.block == block] for block in range(3))
    ]
    made = sum(turn.block == 0 for turn in turns)
    assert found.blocks == 3
    assert found.block_seconds == pytest.approx(first + made, rel=0.01)
    assert found.shortest_seconds <= found.block_seconds <= found.longest_seconds


def test_a_block_that_was_cut_short_does_not_count():
    study = make_study(**SHAPE)
    assert pilot_time(study.study, study.turns, study.runs[:-1]).blocks == 2
    assert pilot_time(study.study, study.turns, study.runs[:3]) is None


def test_other_work_is_told_apart():
    study = make_study(**SHAPE)
    document, size = study.study.study, study.before.storage.size_bytes

    def same(document, size):
        return is_of_same_work(study.study, study.before, document, size)

    assert same(document, size)
    assert same({**document, "plan": {"blocks": 99}}, size)
    assert not same({**document, "workload": {**document["workload"], "files": 99}}, size)
    assert not same({**document, "system": document["system"][:1]}, size)
    assert not same({**document, "storage": {"kind": "device"}}, size)
    assert not same(document, 2 * size)


def test_steps_between_cells_take_their_time_too() -> None:
    made = make_churn(fills=[80], blocks=2, systems={"ext4": "ext4"})
    without = pilot_time(made.study, made.turns, made.runs)
    found = pilot_time(made.study, made.turns, made.runs, made.steps)
    assert without is not None and found is not None
    assert found.block_seconds == pytest.approx(without.block_seconds + 4.0)
