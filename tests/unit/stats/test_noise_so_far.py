"""The noise of a study that still runs: that of a pilot, and what the plan's code makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsgauge.plan.power import blocks_needed, corrected, detectable_percent, paired_percent
from fsgauge.stats.noise_so_far import noise_so_far, noise_words
from fsgauge.stats.pilot import pilot_noise
from tests.synthetic import make_study

SHAPE = {"queue_depths": (1, 32), "block_sizes": (4096,), "seed": 3}


def test_it_is_the_noise_of_a_pilot() -> None:
    study = make_study(blocks=8, noise=0.04, **SHAPE)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None
    assert found.noise_percent == pytest.approx(
        pilot_noise(study.study, study.runs).noise_percent, rel=1e-12
    )
    assert (found.blocks, found.planned) == (8, 8)


def test_one_block_says_nothing_and_two_do() -> None:
    study = make_study(blocks=8, noise=0.04, **SHAPE)
    plan = study.study.plan
    first = [run for run in study.runs if run.block == 0]
    assert noise_so_far(plan, "overhead", first, 3.0) is None
    found = noise_so_far(plan, "overhead", [r for r in study.runs if r.block < 2], 3.0)
    assert found is not None and (found.blocks, found.planned) == (2, 8)


def test_what_it_leaves_to_be_seen_is_what_the_plan_says() -> None:
    study = make_study(blocks=8, noise=0.3, **SHAPE)
    plan = study.study.plan
    found = noise_so_far(plan, "overhead", study.runs, 3.0)
    assert found is not None and found.is_too_noisy
    spread, level = paired_percent(found.noise_percent), corrected(plan.comparisons)
    assert found.detectable_percent == detectable_percent(8, spread, level)
    assert found.blocks_needed == blocks_needed(10.0, spread, level)
    said = noise_words(found, "raw", alone=False)
    assert ": too noisy to answer; " in said
    assert f"{found.blocks_needed} blocks or a quieter machine" in said
    assert "or a quieter machine" not in noise_words(found, "raw", alone=True)


def test_a_quiet_machine_is_told_what_it_shows() -> None:
    study = make_study(blocks=8, noise=0.01, **SHAPE)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None and not found.is_too_noisy
    said = noise_words(found, "raw", alone=False)
    assert said.startswith("noise so far: raw differs from itself by 1.")
    assert "8 blocks show changes of " in said


@pytest.mark.parametrize(("margin", "noisy"), [(3.0, True), (40.0, False)])
def test_a_wide_margin_asks_for_less(margin: float, noisy: bool) -> None:
    study = make_study(blocks=8, noise=0.2, **SHAPE)
    found = noise_so_far(study.study.plan, "overhead", study.runs, margin)
    assert found is not None and found.is_too_noisy is noisy


def test_two_blocks_promise_no_change_that_they_show() -> None:
    """A line "2 blocks show changes of 0.0 % or more" stood above "2 blocks cannot tell"."""
    study = make_study(blocks=2, noise=0.001, **SHAPE)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None and not found.is_too_noisy
    said = noise_words(found, "raw", alone=False)
    assert said.endswith("; a verdict takes 3 blocks or more")


def test_a_baseline_that_equals_itself_has_no_noise() -> None:
    """A simulated one does; "0.0 %" promised changes of 0.0 %."""
    study = make_study(blocks=3, noise=0.04, **SHAPE)
    found = noise_so_far(study.study.plan, "overhead", study.runs, 3.0)
    assert found is not None
    none = replace(found, noise_percent=0.0, typical_percent=0.0, detectable_percent=0.0)
    said = noise_words(none, "ext4", alone=False)
    assert said == "noise so far: none, ext4 equals itself (3 blocks)"
