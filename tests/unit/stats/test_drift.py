"""Drift of a whole study: found, sized, not made of noise; and said."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from fsgauge.engine.wire import Pauses
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.stats import Results, read_study
from fsgauge.stats.drift import SURE, TurningPoint, drift_of, turning_point
from fsgauge.stats.results import Finding
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.idle import did
from tests.unit.stats.one_run import ONE_CELL

MADE = make_study(**{**ONE_CELL, "blocks": 4})
HOUR_NS = 3600 * 10**9


def findings(**changes: object) -> list[Finding]:
    made = make_study(patterns=("randread",), block_sizes=(4096,), seed=3, **changes)
    found = made.results()
    return [each for each in found.findings if each.code == "study.drifted"]


@pytest.mark.parametrize(("drift", "sign"), [(0.3, "+"), (-0.3, "-")])
def test_a_drift_of_the_study_is_said_with_its_size(drift: float, sign: str) -> None:
    (found,) = findings(drift=drift)
    assert f"changed by {sign}" in found.sentence
    (said,) = [float(w) for w in found.sentence.split() if w[0] in "+-" and "(" not in w][:1]
    assert said == pytest.approx(100 * math.expm1(drift), abs=6)


def test_no_drift_and_one_that_does_not_matter_are_not_said() -> None:
    assert findings() == []
    assert findings(drift=0.02, noise=0.0005) == []
    assert findings(drift=0.3, blocks=4) == []


def test_stationary_noise_is_called_a_drift_one_time_in_a_hundred() -> None:
    chance = np.random.default_rng(8)
    for blocks in (5, 8, 20):
        drifts = [drift_of([dict(enumerate(chance.normal(0, 0.05, blocks)))]) for _ in range(4000)]
        share = np.mean([drift is not None and drift.p <= SURE for drift in drifts])
        assert share == pytest.approx(SURE, abs=0.005)


def test_its_interval_holds_what_was_planted() -> None:
    chance = np.random.default_rng(9)
    held = []
    for _ in range(3000):
        levels = chance.normal(0, 1, (3, 1)) + chance.normal(0, 0.05, (3, 8))
        levels += np.linspace(0, 0.2, 8)
        drift = drift_of([dict(enumerate(each)) for each in levels])
        assert drift is not None
        held.append(drift.low <= 0.2 <= drift.high)
    assert 0.935 <= np.mean(held) <= 0.965


def test_blocks_that_lack_a_system_are_left_out() -> None:
    whole = {block: 0.1 * block for block in range(8)}
    lacking = {block: 5 + log for block, log in whole.items() if block != 3}
    drift = drift_of([whole, lacking])
    assert drift is not None and drift.change == pytest.approx(0.7)
    assert drift_of([]) is None


def results_of(share: float, noise: float = 0.05) -> Results:
    made = make_study(**{**ONE_CELL, "blocks": 8}, noise=noise, seed=3)
    runs = [did(run, share) if run.system == "xfs" and run.block > 3 else run for run in made.runs]
    return read_study(made.turns, runs, made.study, made.before, made.after)


def test_a_system_that_changes_half_way_is_told_with_both_ratios() -> None:
    """c was 1.13 of a in four blocks and 0.52 in four: "too noisy" was all that was said."""
    (found,) = [each for each in results_of(0.55).findings if each.code == "system.moved"]
    assert found.sentence.startswith(
        "xfs changed while the study ran: in operations per second it was at "
    )
    assert "in blocks 1 to 4, " in found.sentence
    assert found.sentence.endswith("in blocks 5 to 8.")


def test_nothing_is_told_of_systems_that_stay_as_they_were() -> None:
    assert not [each for each in results_of(1.0).findings if each.code == "system.moved"]


def test_the_planted_blocks() -> None:
    found = turning_point(list(np.log([1.11, 0.98, 1.47, 1.03, 0.58, 0.68, 0.36, 0.50])))
    assert found is not None and found.before == 4 and found.p < 0.05
    assert found.change == pytest.approx(-0.787, abs=0.01)


@pytest.mark.parametrize("number", [6, 8, 20])
@pytest.mark.parametrize("tail", ["normal", "heavy"])
def test_scatter_is_called_a_change_in_one_of_twenty_at_most(number: int, tail: str) -> None:
    chance = random.Random(number)

    def drawn() -> float:
        wide = tail == "heavy" and chance.random() < 0.1
        return chance.gauss(0, 4.0 if wide else 1.0)

    found = [turning_point([drawn() for _ in range(number)]) for _ in range(1000)]
    assert sum(each is not None and each.p <= 0.05 for each in found) <= 50 + 3 * 7


@pytest.mark.parametrize("logs", [[0.0] * 5, [0.0] * 8, [0.1, -0.1] * 4])
def test_too_few_or_equal_numbers_have_none(logs: list[float]) -> None:
    assert turning_point(logs) is None


def test_a_change_without_scatter_is_one() -> None:
    assert turning_point([0.0] * 4 + [1.0] * 4) == TurningPoint(4, 1.0, 1 / 2001)


def read(
    turns: list[TurnRecord], runs: list[RunRecord] | None = None, made: SyntheticStudy = MADE
) -> Results:
    return read_study(
        turns, made.runs if runs is None else runs, made.study, made.before, made.after
    )


def found(results: Results, code: str) -> list[Finding]:
    return [each for each in results.findings if each.code == code]


def turns_with(system: str, blocks: set[int], **facts: Any) -> list[TurnRecord]:
    return [
        turn.model_copy(update={"facts": turn.facts.model_copy(update=facts)})
        if turn.system == system and turn.block in blocks
        else turn
        for turn in MADE.turns
    ]


def test_a_remount_in_mid_study_is_told_with_both_ways_and_their_blocks() -> None:
    """It was "not made the same way in every turn. Compare the turn.json files"."""
    usual = next(turn.facts.mount_options for turn in MADE.turns if turn.system == "xfs")
    (told,) = found(
        read(turns_with("xfs", {3}, mount_options="rw,sync,nobarrier")), "system.changed"
    )
    assert told.sentence == (
        f"xfs was not made the same way in every turn: mounted {usual or 'without options'} in"
        " blocks 1 to 3 and mounted rw,sync,nobarrier in block 4."
    )


def test_what_it_gives_up_in_some_blocks_alone_is_given_up() -> None:
    results = read(turns_with("xfs", {1, 3}, mount_options="rw,nobarrier"))
    (weak,) = [each for each in results.durability.systems if each.system == "xfs"]
    assert weak.option.endswith("nobarrier in blocks 2 and 4")
    assert found(results, "durability.weakened")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"mkfs_command": ["mkfs.xfs", "-x"]}, "made by mkfs.xfs -x in block 1"),
        ({"size_bytes": 1 << 29}, "of 512 MiB (536,870,912 bytes) in block 1"),
    ],
)
def test_so_is_another_mkfs_or_size(facts: dict[str, Any], words: str) -> None:
    (told,) = found(read(turns_with("xfs", {0}, **facts)), "system.changed")
    assert words in told.sentence


def test_nothing_is_told_of_a_study_that_stayed_as_it_was() -> None:
    results = read(MADE.turns)
    assert not found(results, "system.changed") and not found(results, "clock.set")


def set_back(made: Any) -> Any:
    return made.model_copy(update={"started_unix_ns": made.started_unix_ns - HOUR_NS})


def test_a_clock_that_went_back_between_blocks_is_told() -> None:
    """The controller's went back by an hour: nothing said so."""
    turns = [set_back(turn) if turn.block >= 2 else turn for turn in MADE.turns]
    runs = [set_back(run) if run.block >= 2 else run for run in MADE.runs]
    (told,) = found(read(turns, runs), "clock.set")
    assert "set back by 60 min or more" in told.sentence
    assert told.where == ["before block 3: 60 min"]


def test_a_block_that_a_resumed_study_measured_again_is_no_clock() -> None:
    turns = [set_back(turn) if turn.block >= 2 else turn for turn in MADE.turns]
    results = read_study(turns, MADE.runs, MADE.study, MADE.before, MADE.after, resumed=True)
    assert not [each for each in found(results, "clock.set") if "block 3" in str(each.where)]


def test_a_clock_that_went_back_between_the_runs_of_the_last_block_is_told() -> None:
    *runs, last = MADE.runs
    (turn,) = [each for each in MADE.turns if (each.block, each.turn) == (last.block, last.turn)]
    began_ns = turn.started_unix_ns + 10**9 - HOUR_NS
    late = last.model_copy(update={"started_unix_ns": began_ns})
    (told,) = found(read(MADE.turns, [*runs, late]), "clock.set")
    assert "set back by 60 min or more" in told.sentence


@pytest.mark.parametrize(
    ("step_ns", "way"), [(-HOUR_NS, "back"), (HOUR_NS, "forward"), (10**8, ""), (-(10**8), "")]
)
def test_a_clock_that_was_set_in_a_run_is_told(step_ns: int, way: str) -> None:
    pauses = Pauses(
        total_ns=0, longest_ns=0, late_start_ns=0, clock_error_ns=0, wall_clock_step_ns=step_ns
    )
    first, *others = MADE.runs
    (part,) = first.parts
    (only,) = part.slices
    result = only.result.model_copy(update={"pauses": pauses})
    slices = [only.model_copy(update={"result": result})]
    run = first.model_copy(update={"parts": [part.model_copy(update={"slices": slices})]})
    told = found(read(MADE.turns, [run, *others]), "clock.set")
    assert [f"set {way} by" in each.sentence for each in told] == ([True] if way else [])
