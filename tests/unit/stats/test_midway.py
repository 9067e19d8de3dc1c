"""What did not stay as it was: a mount that somebody changed in mid-study, a clock that was set."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Pauses
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.stats import Results, read_study
from fsgauge.stats.results import Finding
from tests.synthetic import SyntheticStudy, make_study
from tests.unit.stats.one_run import ONE_CELL

MADE = make_study(**{**ONE_CELL, "blocks": 4})
HOUR_NS = 3600 * 10**9


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
