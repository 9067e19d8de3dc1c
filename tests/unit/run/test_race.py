"""A race measured, cut short and resumed: who runs in a block comes of the records alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.progress import Progress
from fsgauge.record.records import Plan
from fsgauge.report.write import read_report, write_report
from fsgauge.run import Outcome, left_of, resume_study
from fsgauge.stats.race.model import Race
from fsgauge.store import read_results
from tests.laboratory import NoDiskRig
from tests.synthetic_race import BASELINE, BLOCKS, CONFIRM, GAINS, RacingEngine, measure


class Told(Progress):
    """What is said of the race, and the blocks that are then ahead."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.ahead: list[set[int]] = []

    def raced(self, plan: Plan, words: str) -> None:
        self.words.append(words)
        self.ahead.append({turn.block for turn in plan.turns})


def resume(directory: Path, progress: Progress | None = None) -> Outcome | None:
    return resume_study(
        directory,
        rig=lambda _: NoDiskRig(RacingEngine()),
        destroy=None,
        progress=progress or Progress(),
    )


def race_of(directory: Path) -> Race:
    found = read_report(directory).results.race
    assert found is not None
    return found


def run_in(directory: Path) -> dict[int, list[str]]:
    """By block, the systems that ran."""
    found: dict[int, list[str]] = {}
    for run in read_results(directory).runs:
        found.setdefault(run.block, []).append(run.system)
    return {block: sorted(names) for block, names in sorted(found.items())}


def test_who_left_is_not_run_again_and_the_best_are_confirmed(tmp_path: Path) -> None:
    directory = measure(tmp_path).directory
    race, ran = race_of(directory), run_in(directory)
    assert race.leader == "two"
    left = {each.system: each for each in race.places if each.after_block}
    assert {name: each.after_block for name, each in left.items()} == dict.fromkeys(
        (BASELINE, "three", "five"), 3
    )
    assert all(each.against == "two" and (each.high or 2) < 1 for each in left.values())
    assert ran[2] == sorted([*GAINS, BASELINE])
    raced = [block for block in ran if block < BLOCKS]
    assert all(ran[block] == ["four", "two"] for block in raced[3:])
    confirmed = range(BLOCKS, BLOCKS + CONFIRM)
    assert all(ran[block] == ["four", BASELINE, BASELINE, "two"] for block in confirmed)
    assert {each.system: each.blocks for each in race.places} == {
        name: 3 if name in ("three", "five", BASELINE) else len(raced) for name in GAINS
    }
    assert race.runs == sum(map(len, ran.values())), "those that confirm are runs as well"
    assert race.full_runs == len(ran) * (len(GAINS) + 1)


def test_the_ratio_of_the_answer_is_of_fresh_blocks_alone(tmp_path: Path) -> None:
    results = read_report(measure(tmp_path).directory).results
    two = results.comparison(results.primary_cells[0], "two", "iops")
    assert two is not None and two.n == CONFIRM
    assert {block for block, _ in two.blocks} == set(range(BLOCKS, BLOCKS + CONFIRM))
    assert f"{two.ratio:.2f} times {BASELINE}" in results.answer
    assert f"{CONFIRM} fresh blocks" in results.answer


@pytest.mark.parametrize("most", [5, 12, 18, 21, 27, 33])
def test_a_race_that_was_cut_short_ends_as_if_nothing_had_happened(
    tmp_path: Path, most: int
) -> None:
    whole, cut = measure(tmp_path / "whole"), measure(tmp_path / "cut", RacingEngine(most))
    assert cut.ended_by is not None
    assert left_of(cut.directory) is not None
    finished = resume(cut.directory)
    assert finished is not None and finished.ended_by is None
    assert run_in(cut.directory) == run_in(whole.directory)
    found, wanted = race_of(cut.directory), race_of(whole.directory)
    assert (found.leader, found.ended) == (wanted.leader, wanted.ended)
    assert found.places == wanted.places
    assert left_of(cut.directory) is None
    assert resume(cut.directory) is None


def test_whoever_watches_a_resumed_race_is_told_what_is_left_of_it(tmp_path: Path) -> None:
    told = Told()
    resume(measure(tmp_path, RacingEngine(4 * 6)).directory, told)
    assert all("leads" in words for words in told.words)
    whole = {0, 1, 2, 3}
    assert told.ahead and not any(whole & blocks for blocks in told.ahead)


def test_a_race_that_is_not_over_says_who_leads(tmp_path: Path) -> None:
    outcome = measure(tmp_path, RacingEngine(3 * 6 + 1))
    results = read_report(outcome.directory).results
    assert results.race is not None and results.race.ended == "running"
    assert "two leads" in results.answer
    assert "not over" in results.answer


def test_a_race_that_is_cut_in_its_first_block_has_a_page(tmp_path: Path) -> None:
    page = write_report(measure(tmp_path, RacingEngine(2)).directory)
    assert page.is_file()


def test_two_failures_in_a_row_are_a_departure_and_one_is_none(tmp_path: Path) -> None:
    directory = measure(tmp_path, RacingEngine(failing={"four": [2], "two": [2, 3]})).directory
    race = race_of(directory)
    failed = [each for each in race.places if each.state == "failed"]
    assert [(each.system, each.after_block, each.ratio) for each in failed] == [("two", 3, None)]
    assert race.leader == "four"
    assert "two failed" in read_report(directory).results.answer


def test_a_leader_that_fails_out_leads_no_more(tmp_path: Path) -> None:
    """ "two leads the 5" stood above "two failed and left"."""
    engine = RacingEngine(failing={"two": [6, 7]})
    directory = measure(tmp_path, engine, "plan.margin_percent=0.1 %", "plan.blocks=7").directory
    results = read_report(directory).results
    assert results.race is not None and results.race.leader == "four"
    assert {run.system for run in read_results(directory).runs if run.block >= 7} == {
        BASELINE,
        "four",
    }
    assert "four is the best of 4 that worked" in results.answer


def test_who_alone_does_not_fail_is_not_the_best(tmp_path: Path) -> None:
    failing = {name: range(1, 100) for name in GAINS if name != BASELINE}
    results = read_report(measure(tmp_path, RacingEngine(failing=failing)).directory).results
    assert results.race is not None and not results.race.proven
    assert "so nothing is chosen" in results.answer and "best" not in results.answer


@pytest.mark.parametrize("begins", [1, 7])
def test_a_baseline_that_fails_is_said(begins: int, tmp_path: Path) -> None:
    """ "No answer yet: no block is complete" was said of a race that was over."""
    engine = RacingEngine(failing={BASELINE: range(begins, 100)})
    answer = read_report(measure(tmp_path, engine).directory).results.answer
    assert "over scratch folder no gain is known" in answer
    assert "no block is complete" not in answer


def test_a_winner_that_fails_in_fresh_blocks_is_named_and_not_proven(tmp_path: Path) -> None:
    whole = race_of(measure(tmp_path / "whole").directory)
    assert whole.proven and not whole.missed
    ran = next(each.blocks for each in whole.places if each.system == "two")
    engine = RacingEngine(failing={"two": [ran + 2]})
    results = read_report(measure(tmp_path / "failing", engine).directory).results
    assert results.race is not None and results.race.leader == "two"
    assert results.race.missed == {"two": 1} and not results.race.proven
    assert (
        f"two failed, or did too little to be measured, in 1 of {CONFIRM} fresh" in results.answer
    )


def test_a_winner_that_stalls_in_a_fresh_block_is_not_proven(tmp_path: Path) -> None:
    """Who left was held against blocks in which it had not stalled yet."""
    whole = race_of(measure(tmp_path / "whole").directory)
    ran = next(each.blocks for each in whole.places if each.system == "two")
    engine = RacingEngine(stalling={"two": [ran + 2]})
    race = race_of(measure(tmp_path / "stalling", engine).directory)
    assert (race.leader, race.ended, race.proven) == ("two", whole.ended, False)
    assert race.others_at_most is not None and whole.others_at_most is not None
    assert race.others_at_most > whole.others_at_most
