"""Where a race stands, from records: a budget, what is not steady, blocks that are not whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from fsgauge.engine.wire import Steady
from fsgauge.record.parts import in_one
from fsgauge.record.records import RunRecord, StudyRecord, Turn
from fsgauge.stats.race.replay import Replay, replayed, spent_seconds, standing_words
from fsgauge.stats.race.results import race_in
from fsgauge.stats.race.rules import Left, Standing
from fsgauge.stats.sentence import few_operations
from fsgauge.store import StoredStudy, read_results
from tests.synthetic.idle import did
from tests.synthetic_race import BASELINE, BLOCKS, measure

Of = TypeVar("Of", RunRecord, Turn)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return read_results(measure(tmp_path_factory.mktemp("race")).directory)


def found_in(study: StudyRecord, runs: Sequence[RunRecord]) -> Replay:
    found = replayed(study, runs)
    assert found is not None
    return found


def ruled(study: StudyRecord, **rules: object) -> StudyRecord:
    assert study.plan.race is not None
    race = study.plan.race.model_copy(update=rules)
    return study.model_copy(update={"plan": study.plan.model_copy(update={"race": race})})


def left(found: Replay, study: StudyRecord) -> dict[str, int]:
    names = study.plan.systems
    return {names[place]: each.after_block for place, each in found.standing.left.items()}


def unsteady(stored: StoredStudy, moves: Callable[[RunRecord], bool]) -> list[RunRecord]:
    verdict = Steady(judged=True, reached=False, rounds=5, reason="it moved")
    return [
        run.model_copy(
            update={
                "parts": in_one(
                    run.parts[0].machine, run.result.model_copy(update={"steady": verdict})
                )
            }
        )
        if run.result is not None and moves(run)
        else run
        for run in stored.runs
    ]


def test_a_block_counts_once_every_system_that_was_asked_has_its_run(stored: StoredStudy) -> None:
    whole = found_in(stored.study, stored.runs)
    assert whole.blocks > 4 and whole.ended != "running"
    cut = [run for run in stored.runs if (run.block, run.system) < (3, "two")]
    found = found_in(stored.study, cut)
    assert (found.blocks, found.ended) == (3, "running")
    assert left(found, stored.study) == left(whole, stored.study)


def test_a_run_that_is_not_steady_counts(stored: StoredStudy) -> None:
    """Without it, a system that stalls would look as fast as the others."""
    runs = unsteady(stored, lambda run: run.system == "four" and run.block in (1, 2))
    found = found_in(stored.study, runs)
    assert found.standing == found_in(stored.study, stored.runs).standing


@pytest.mark.parametrize("system", [BASELINE, "two"])
@pytest.mark.parametrize("block", [0, 1])
def test_a_run_that_did_nothing_is_the_worst_of_its_system_and_no_two_failures(
    stored: StoredStudy, system: str, block: int
) -> None:
    """One stall in the first two blocks took a system out, as if it had failed twice in a row."""
    runs = [
        did(run, 0) if (run.system, run.block) == (system, block) else run for run in stored.runs
    ]
    live = found_in(stored.study, [run for run in runs if run.block < 2])
    assert (live.blocks, live.standing.left) == (2, {})
    place = stored.study.plan.systems.index(system)
    assert live.values[block, place] < live.values[1 - block, place] - 5
    third = found_in(stored.study, [run for run in runs if run.block < 3])
    assert third.standing.leader not in (None, place)


def test_who_did_nothing_twice_in_a_row_leaves(stored: StoredStudy) -> None:
    runs = [did(run, 0) if run.system == "two" and run.block < 2 else run for run in stored.runs]
    assert left(found_in(stored.study, runs), stored.study)["two"] == 2


@pytest.fixture(scope="module")
def paced(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    """Judged by the p99 of reads."""
    folder = tmp_path_factory.mktemp("paced")
    return read_results(measure(folder, None, "workload.rate=1000 IOPS").directory)


@pytest.mark.parametrize("block", [0, 5])
def test_a_run_too_short_for_the_quantile_takes_no_other_out(
    paced: StoredStudy, block: int
) -> None:
    """One short run of the baseline made all systems fail, in blocks long before it too: "No system
    is left in the race: all failed"."""
    runs = [
        short(run) if (run.system, run.block) == (BASELINE, block) else run for run in paced.runs
    ]
    found = found_in(paced.study, runs)
    assert found.metric == "read.p99"
    assert left(found, paced.study) == left(found_in(paced.study, paced.runs), paced.study)
    assert found.asked[:2] == found_in(paced.study, paced.runs).asked[:2]


def test_where_every_run_is_too_short_it_is_said_that_they_are(paced: StoredStudy) -> None:
    runs = [short(run) for run in paced.runs]
    assert set(left(found_in(paced.study, runs), paced.study)) == set(paced.study.plan.systems)
    told = few_operations("read.p99", runs, {found_in(paced.study, runs).cell})
    assert "needs 1,000 operations in a run" in told


def short(run: RunRecord) -> RunRecord:
    """The run with its first 20 operations."""
    (part,) = run.parts
    (only,) = part.slices
    read = only.result.read
    assert read is not None
    kept = {
        name: histogram.model_copy(
            update={
                "counts": [(bucket, 1) for bucket, _ in histogram.counts[:20]],
                "operations": 20,
            }
        )
        for name in ("service_latency", "response_latency")
        if (histogram := getattr(read, name)) is not None
    }
    read = read.model_copy(update={"operations": 20, **kept})
    result = only.result.model_copy(update={"read": read})
    return run.model_copy(update={"parts": in_one(part.machine, result)})


def test_a_budget_ends_a_race_that_is_not_proven(stored: StoredStudy) -> None:
    spent, of_turn = spent_seconds(stored.study.plan, stored.runs, 3)
    assert spent == pytest.approx(18 * of_turn) and of_turn > 0
    tight = found_in(ruled(stored.study, budget_seconds=spent), stored.runs)
    assert (tight.blocks, tight.ended) == (3, "budget")
    ample = found_in(ruled(stored.study, budget_seconds=1000 * spent), stored.runs)
    assert ample.blocks == found_in(stored.study, stored.runs).blocks


def test_what_comes_next_is_counted_by_stages(stored: StoredStudy) -> None:
    """Of a load of four stages a quarter of the time was foreseen, and the budget not kept."""

    def staged(each: Of) -> list[Of]:
        """What is measured in four turns; the race is judged by the first of them."""
        new = [{"turn": 4 * each.turn + stage, "again": stage > 0} for stage in range(4)]
        return [each.model_copy(update=one) for one in new]

    runs = [one for each in placed(stored.runs, [0, 18, 36]) for one in staged(each)]
    turns = [one for each in stored.study.plan.turns for one in staged(each)]
    for coming, ended in ((40, "budget"), (44, "running")):  # 14 systems, 4 turns of 3/4 second
        study = ruled(stored.study, budget_seconds=54 + coming)
        plan = study.plan.model_copy(update={"turns": turns})
        found = found_in(study.model_copy(update={"plan": plan}), runs)
        assert (found.blocks, found.ended) == (3, ended)


def test_a_budget_ends_with_a_look(tmp_path: Path) -> None:
    """Blocks since the one before counted for nothing, in the leader and in the bound."""
    stored = read_results(measure(tmp_path, None, "plan.margin_percent=0.1 %").directory)
    spent, of_turn = spent_seconds(stored.study.plan, stored.runs, 7)
    study = ruled(stored.study, budget_seconds=spent + 13.9 * of_turn)  # 2 more, and 3 times 4
    before, found = (
        found_in(study, [run for run in stored.runs if run.block < blocks]) for blocks in (6, 8)
    )
    assert (before.blocks, before.ended) == (6, "running")
    assert (found.blocks, found.ended) == (7, "budget")
    assert found.standing.over_leader != before.standing.over_leader


def placed(runs: Sequence[RunRecord], block_seconds: Sequence[float]) -> list[RunRecord]:
    """Runs whose blocks begin so many seconds after the first one."""
    return [
        run.model_copy(update={"started_unix_ns": int(block_seconds[run.block] * 1e9)})
        for run in runs
        if run.block < len(block_seconds)
    ]


def test_time_is_counted_from_block_to_block_and_pauses_are_not(stored: StoredStudy) -> None:
    """Where systems are made before all runs of a block, no run shows what that takes."""
    plan = stored.study.plan
    runs = placed(stored.runs, [100, 130, 160])
    assert spent_seconds(plan, runs, 3) == (pytest.approx(90), pytest.approx(5))
    resumed = placed(stored.runs, [100, 130, 90_000])
    assert spent_seconds(plan, resumed, 3) == (pytest.approx(90), pytest.approx(5))


def test_a_race_that_is_cut_in_its_first_block_took_nothing_yet(stored: StoredStudy) -> None:
    cut = [run for run in stored.runs if (run.block, run.system) < (0, "two")]
    race = race_in(found_in(stored.study, cut), cut)
    assert (race.blocks, race.ended, race.leader, race.seconds) == (0, "running", "", 0.0)


def test_what_gives_up_durability_does_not_win(stored: StoredStudy) -> None:
    found = found_in(ruled(stored.study, weaker=["two"]), stored.runs)
    assert stored.study.plan.systems[found.standing.leader or 0] == "four"


def test_it_is_said_who_leads_and_who_just_left(stored: StoredStudy) -> None:
    first = found_in(stored.study, [run for run in stored.runs if run.block < 2])
    assert standing_words(first, 2) == ""
    third = found_in(stored.study, [run for run in stored.runs if run.block < 3])
    said = standing_words(third, 3)
    assert "two leads 2 of 5" in said
    assert f"just left: {BASELINE}, three and five" in said or "just left" in said
    over = found_in(stored.study, stored.runs)
    assert "race over: two leads" in standing_words(over, BLOCKS)


def test_where_all_others_failed_the_fresh_blocks_are_of_the_leader_alone(
    stored: StoredStudy,
) -> None:
    """ "fresh blocks of it and " was said."""
    over = found_in(stored.study, stored.runs)
    baseline = over.plan.systems.index(BASELINE)
    left = {at: Left(3, baseline, None) for at in range(5) if at != baseline}
    alone = replace(over, standing=Standing(5, leader=baseline, left=left))
    assert standing_words(alone, BLOCKS).endswith("leads; fresh blocks of it")


def test_a_study_without_a_race_has_none(stored: StoredStudy) -> None:
    plan = stored.study.plan.model_copy(update={"race": None})
    assert replayed(stored.study.model_copy(update={"plan": plan}), stored.runs) is None


def test_a_replay_costs_alike_for_each_run(stored: StoredStudy) -> None:
    """It is asked for before every block: calls of Python are counted, of time a machine takes."""

    def calls_of_each(runs: Sequence[RunRecord]) -> float:
        calls = 0

        def count(_: object, event: str, __: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            found_in(stored.study, runs)
        finally:
            sys.setprofile(None)
        return calls / len(runs)

    first = [run for run in stored.runs if run.block < 3]
    assert calls_of_each(stored.runs) < 1.2 * calls_of_each(first)


def test_the_same_records_give_the_same_race(stored: StoredStudy) -> None:
    one, two = (found_in(stored.study, runs) for runs in (stored.runs, stored.runs[::-1]))
    assert one.standing == two.standing and one.asked == two.asked
