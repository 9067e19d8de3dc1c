"""The noise of a pilot, against noise that was planted.

What a pilot's blocks took, out of its records.

The noise of a study that still runs: that of a pilot, and what the plan's code makes of it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.levels import corrected
from fsgauge.plan.power import blocks_needed, paired_percent, planned_percent
from fsgauge.stats.pilot import is_of_same_work, noise_so_far, noise_words, pilot_noise, pilot_time
from tests.synthetic import make_study
from tests.synthetic_churn import make_churn
from tests.synthetic_curve import make_curve


def test_planted_noise_is_found():
    # Runs of deviation 4 %: two of them differ by 4 % x sqrt(2).
    study = make_study(blocks=60, noise=0.04, seed=3, queue_depths=(1, 32), block_sizes=(4096,))
    found = pilot_noise(study.study, study.runs)
    assert found.noise_percent == pytest.approx(4 * 2**0.5, rel=0.12)
    assert found.worst_percent >= found.noise_percent
    assert found.blocks == 60


def test_the_noise_of_a_load_curve_is_that_of_its_rates_at_the_limit():
    """A curve of eight blocks was said to have fewer than three."""
    made = make_curve()
    found = pilot_noise(made.study, made.runs)
    assert (found.cells, found.blocks) == (1, 8)
    assert 1.0 < found.noise_percent < 15.0


def test_a_steady_drift_between_turns_is_no_noise():
    shape = {"blocks": 30, "noise": 0.01, "seed": 3, "queue_depths": (1,), "block_sizes": (4096,)}
    still, moving = make_study(**shape), make_study(**shape, later_effect=0.8)
    noise = pilot_noise(still.study, still.runs).noise_percent
    assert pilot_noise(moving.study, moving.runs).noise_percent == pytest.approx(noise, rel=0.05)


def test_two_blocks_say_nothing():
    study = make_study(blocks=2)
    with pytest.raises(InputError, match="fewer than 3 whole blocks"):
        pilot_noise(study.study, study.runs)


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


SHAPE_OF_NOISE_SO_FAR = {"queue_depths": (1, 32), "block_sizes": (4096,), "seed": 3}


def test_it_is_the_noise_of_a_pilot() -> None:
    study = make_study(blocks=8, noise=0.04, **SHAPE_OF_NOISE_SO_FAR)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None
    assert found.noise_percent == pytest.approx(
        pilot_noise(study.study, study.runs).noise_percent, rel=1e-12
    )
    assert (found.blocks, found.planned) == (8, 8)


def test_one_block_says_nothing_and_two_do() -> None:
    study = make_study(blocks=8, noise=0.04, **SHAPE_OF_NOISE_SO_FAR)
    plan = study.study.plan
    first = [run for run in study.runs if run.block == 0]
    assert noise_so_far(plan, "overhead", first, 3.0) is None
    found = noise_so_far(plan, "overhead", [r for r in study.runs if r.block < 2], 3.0)
    assert found is not None and (found.blocks, found.planned) == (2, 8)


def test_what_it_leaves_to_be_seen_is_what_the_plan_says() -> None:
    study = make_study(blocks=8, noise=0.3, **SHAPE_OF_NOISE_SO_FAR)
    plan = study.study.plan
    found = noise_so_far(plan, "overhead", study.runs, 3.0)
    assert found is not None and found.is_too_noisy
    spread, level = paired_percent(found.noise_percent), corrected(plan.comparisons)
    assert found.detectable_percent == planned_percent(8, spread, level)
    assert found.blocks_needed == blocks_needed(10.0, spread, level)
    said = noise_words(found, "raw", alone=False)
    assert ": too noisy to answer; " in said
    assert f"{found.blocks_needed} blocks or a quieter machine" in said
    assert "or a quieter machine" not in noise_words(found, "raw", alone=True)


def test_a_quiet_machine_is_told_what_it_shows() -> None:
    study = make_study(blocks=8, noise=0.01, **SHAPE_OF_NOISE_SO_FAR)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None and not found.is_too_noisy
    said = noise_words(found, "raw", alone=False)
    assert said.startswith("noise so far: 1.")
    assert "8 blocks show changes of " in said


@pytest.mark.parametrize(("margin", "noisy"), [(3.0, True), (40.0, False)])
def test_a_wide_margin_asks_for_less(margin: float, noisy: bool) -> None:
    study = make_study(blocks=8, noise=0.2, **SHAPE_OF_NOISE_SO_FAR)
    found = noise_so_far(study.study.plan, "overhead", study.runs, margin)
    assert found is not None and found.is_too_noisy is noisy


def test_two_blocks_promise_no_change_that_they_show() -> None:
    """A line "2 blocks show changes of 0.0 % or more" stood above "2 blocks cannot tell"."""
    study = make_study(blocks=2, noise=0.001, **SHAPE_OF_NOISE_SO_FAR)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None and not found.is_too_noisy
    said = noise_words(found, "raw", alone=False)
    assert said.endswith("; a verdict takes 3 blocks or more")


def test_a_baseline_that_equals_itself_has_no_noise() -> None:
    """A simulated one does; "0.0 %" promised changes of 0.0 %."""
    study = make_study(blocks=3, noise=0.04, **SHAPE_OF_NOISE_SO_FAR)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None
    none = replace(found, noise_percent=0.0, typical_percent=0.0, detectable_percent=0.0)
    said = noise_words(none, "ext4", alone=False)
    assert said == "noise so far: none, ext4 equals itself (3 blocks)"
