"""A race as results: what is said of the winner, and when it is something to copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.record.records import RunRecord
from fsgauge.report.write import read_report
from fsgauge.stats.race.model import Place, Race
from fsgauge.stats.race.replay import replayed
from fsgauge.stats.race.results import race_lines, with_race
from fsgauge.stats.results import Comparison, Results
from fsgauge.store import StoredStudy, read_results
from tests.synthetic_race import measure


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measure(tmp_path_factory.mktemp("race")).directory


@pytest.fixture(scope="module")
def stored(directory: Path) -> StoredStudy:
    return read_results(directory)


def commands(stored: StoredStudy, results: Results, runs: list[RunRecord]) -> list[str]:
    """Where all systems but "four" are XFS."""
    names = stored.study.plan.systems
    systems = [{"name": name, "kind": "ext4" if name == "four" else "xfs"} for name in names]
    study = stored.study.model_copy(update={"study": {**stored.study.study, "system": systems}})
    found = replayed(study, runs)
    assert found is not None
    race = with_race(results, study, runs, found).race
    assert race is not None
    assert bool(race.commands) == bool(race.chosen)
    return race.commands


def test_only_the_best_of_a_valid_race_that_is_over_is_to_copy(
    directory: Path, stored: StoredStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = read_report(directory).results
    assert commands(stored, results, stored.runs)[0] == "mkfs.xfs /dev/DEVICE"
    begun = [run for run in stored.runs if run.block < 3]
    assert commands(stored, results, begun) == []
    sureness = results.sureness.model_copy(update={"valid": False})
    assert commands(stored, results.model_copy(update={"sureness": sureness}), stored.runs) == []
    other = results.comparisons[0].model_copy(update={"system": "four"})
    monkeypatch.setattr("fsgauge.stats.race.results.overtaking", lambda *_: other)
    said = commands(stored, results, stored.runs)[0]
    assert said == "mkfs.ext4 /dev/DEVICE", "it did better than the leader in the fresh blocks"


def test_a_quantile_of_few_does_not_hide_that_runs_failed(
    directory: Path, stored: StoredStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that were measured alone it was said that they were too short."""
    monkeypatch.setattr("fsgauge.stats.race.results.few_operations", lambda *_: "Few.")
    begun = [run for run in stored.runs if run.block < 2]
    found = replayed(stored.study, begun)
    assert found is not None
    found, results = replace(found, ended="budget"), read_report(directory).results
    fault = EngineFault(what="it failed", cause="", next="", code="x")
    for runs, said in (
        (begun, "Few."),
        ([begun[0].model_copy(update={"fault": fault}), *begun[1:]], "All failed, or did nothing."),
    ):
        first = with_race(results, stored.study, runs, found).lines[0]
        assert first == f"No system is left in the race. {said}"


SYSTEMS = ["ext4", "xfs", "xfs allocsize 64 MiB", "btrfs"]
NEAR = {"ratio": 0.99, "low": 0.96, "high": 1.02}


def gone(system: str, state: Any = "slower", **more: Any) -> Place:
    ratio = {"ratio": 0.8, "low": 0.7, "high": 0.9, "against": "xfs"} if state == "slower" else {}
    return Place(system=system, state=state, blocks=3, after_block=3, **{**ratio, **more})


def stayed(system: str) -> Place:
    return Place(system=system, state="in the race", blocks=24, **NEAR)


def race(left: Sequence[Place] | None = None, **changes: Any) -> Race:
    """Those that did not leave are in it, the leader among them."""
    left = [gone("ext4"), gone("btrfs")] if left is None else left
    systems, leader = changes.get("systems", SYSTEMS), changes.get("leader", "xfs")
    away = {leader, *(each.system for each in left)}
    first = [Place(system=leader, state="leader", blocks=24, ratio=1.0)] if leader else []
    values: dict[str, Any] = {
        "systems": systems,
        "baseline": "ext4",
        "weaker": [],
        "metric": "iops",
        "label": "operations per second",
        "cell": "c",
        "decides": "",
        "margin_percent": 2.0,
        "blocks": 24,
        "leader": leader,
        "places": [*first, *(stayed(each) for each in systems if each not in away), *left],
        "others_at_most": 1.024,
        "ended": "budget",
        "proven": False,
        "first_blocks": {},
        "finalists": ["ext4", "xfs", "xfs allocsize 64 MiB"],
        "confirmed": 8,
        "runs": 80,
        "seconds": 100.0,
        "bytes_written": 1,
        "full_runs": 120,
        "full_seconds": 150.0,
        "full_bytes_written": 2,
    }
    return Race(**{**values, **changes})


def gain(ratio: float = 1.22, low: float = 1.17, high: float = 1.27, **changes: Any) -> Comparison:
    values: dict[str, Any] = {
        "ratio": ratio,
        "low": low,
        "high": high,
        "p_adjusted": 0.001,
        "verdict": "better",
        "n": 8,
        "cell": "c",
        "system": "xfs",
        "metric": "iops",
        "primary": True,
        "p": 0.001,
        "alone_low": low,
        "alone_high": high,
        "pick_low": low,
        "pick_high": high,
        "family": 2,
        "detectable_percent": 3.0,
        "margin_percent": 3.0,
        "robust_ratio": ratio,
        "robust_low": low,
        "robust_high": high,
        "robust_p": 0.001,
        "left_out": [],
        "blocks": [],
    }
    return Comparison(**{**values, **changes})


def test_the_winner_its_gain_and_what_no_other_can_be() -> None:
    proven = race(ended="margin", proven=True, others_at_most=1.018)
    assert race_lines(proven, [gain()]) == [
        "xfs is the best of 4 to within 1.8 %: 1.22 times ext4 in operations per second (1.17 to"
        " 1.27; 8 fresh blocks).",
        "Nothing else tested is more than 1.8 % better (95 %).",
        "xfs ran 32 times, so stalls rarer than one run in 11 may have been missed.",
        "xfs allocsize 64 MiB could not be told from it in the race.",
    ]


def test_a_gain_has_one_interval_in_the_whole_answer(directory: Path, stored: StoredStudy) -> None:
    """The race gave the leader's, and the sentence behind it that of the largest of several."""
    results, found = read_report(directory).results, replayed(stored.study, stored.runs)
    assert found is not None
    of = {each.system: each for each in results.comparisons if each.metric == found.metric}
    leader = of.pop(found.leader)
    assert (leader.pick_low, leader.pick_high) == (leader.low, leader.high)
    assert any((each.pick_low, each.pick_high) != (each.low, each.high) for each in of.values())
    wide = gain(pick_low=1.1, pick_high=1.35)
    assert "(1.10 to 1.35; 8 fresh blocks)" in race_lines(race(), [wide])[0]


def test_the_gain_of_a_load_that_commits_is_in_commits(
    directory: Path, stored: StoredStudy
) -> None:
    results, found = read_report(directory).results, replayed(stored.study, stored.runs)
    assert found is not None
    committed = results.model_copy(update={"commits": [found.cell]})
    own = with_race(committed, stored.study, stored.runs, found).race
    assert own is not None and own.label == "commits per second"
    assert race_lines(race(label="commits per second"), [gain()])[0].startswith(
        "xfs leads the 4: 1.22 times ext4 in commits per second (1.17"
    )


def test_the_cell_that_decides_is_named_where_there_are_others() -> None:
    """In every headline: of the best, of a leader, of a baseline that nothing beats."""
    cell = "randread 4 KiB, depth 1"
    for changes in (
        {"ended": "margin", "proven": True},
        {},
        {"ended": "running"},
        {"leader": "ext4"},
        {"leader": "ext4", "proven": True},
        {"confirmed": 0},
    ):
        fresh = [] if "confirmed" in changes else [gain()]
        assert f" 4 in {cell}" in race_lines(race(decides=cell, **changes), fresh)[0]
    undecided = gain(1.01, 0.97, 1.05, verdict="undecided")
    said = race_lines(race(decides=cell), [undecided])[0]
    assert said.startswith(f"None of 4 systems is shown to beat ext4 in {cell}: xfs led, at")


def test_what_gave_up_durability_may_have_beaten_it() -> None:
    """ "None of 40" stood above one of them that was 1.61 times as fast."""
    undecided = gain(1.01, 0.97, 1.05, verdict="undecided")
    said = race_lines(race(weaker=["btrfs"]), [undecided])[0]
    assert said.startswith("None of 3 equally durable systems is shown to beat ext4: xfs led, at")


def test_a_budget_that_came_first_is_said() -> None:
    first, second, *_ = race_lines(race(), [gain()])
    assert first.startswith("xfs leads the 4: 1.22 times ext4")
    assert first.endswith("8 fresh blocks); that it is the best is not proven.")
    assert second == (
        "Nothing else tested is more than 2.4 % better (95 %); the race ended before 2 % was"
        " proven."
    )


def test_a_gain_that_fresh_blocks_do_not_show_is_none() -> None:
    said = race_lines(race(), [gain(1.01, 0.97, 1.05, verdict="undecided")])[0]
    assert said.startswith("None of 4 systems is shown to beat ext4: xfs led, at 1.01 times its")
    said = race_lines(race(proven=True), [gain(0.9, 0.85, 0.95, verdict="worse")])[0]
    assert said.startswith("None of 4 systems is shown to beat ext4"), "it is slower"


def test_what_noise_hides_is_no_bound_and_no_gain() -> None:
    """It was "No difference above 3.30825e+06 %", and "led, at 0.10 times (0.00011 to 90)"."""
    wide = stayed("ext4").model_copy(update={"low": 0.001, "high": 1000.0})
    found = race(places=[Place(system="xfs", state="leader", blocks=5), wide])
    first = race_lines(found, [gain(0.1, 0.00011, 90.1, verdict="undecided")])[0]
    assert first == "Too noisy to tell: none of 4 systems is shown to beat ext4."


def test_equal_systems_have_no_difference_above_a_bound() -> None:
    """The bound is of both ends: another one may be so much better, or worse."""
    first = race_lines(race([]), [gain(1.01, 0.97, 1.05, verdict="undecided")])[0]
    assert first == "No difference above 4.2 % between xfs and 3 other systems (95 %)."
    assert not any("No difference" in line for line in race_lines(race(), [gain()]))


def test_what_gives_up_durability_is_left_out_of_the_claim() -> None:
    lines = race_lines(race(weaker=["xfs allocsize 64 MiB"]), [gain()])
    assert (
        "Nothing else tested that keeps what the baseline keeps is more than 2.4 % better"
        in (lines[1])
    )
    assert not any("told from it" in line for line in lines)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"leader": "ext4"}, "ext4, the baseline, leads"),
        ({"ended": "running", "blocks": 5}, "xfs leads the 4 after 5 blocks; the race is not"),
        ({"leader": "", "ended": "running", "blocks": 1}, "The race has no leader yet: it has 1"),
        (
            {"leader": "", "ended": "budget"},
            "No system is left in the race. All failed, or did nothing.",
        ),
        ({"confirmed": 0}, "xfs leads the 4; no fresh block confirms it."),
    ],
)
def test_other_ends(changes: dict[str, Any], said: str) -> None:
    fresh = [] if changes.get("confirmed") == 0 else [gain(verdict="undecided")]
    assert race_lines(race(**changes), fresh)[0].startswith(said)


def test_who_failed_is_named() -> None:
    lines = race_lines(race([gone("btrfs", "failed"), gone("ext4")]), [gain()])
    assert lines[-1] == ("btrfs failed, or did too little to be measured, twice in a row and left.")


def test_where_no_run_has_the_quantile_that_is_said_and_not_that_all_failed() -> None:
    few = "The read p99 latency needs 1,000 operations in a run, and 4 of 4 runs had fewer: 20."
    first, *_ = race_lines(race(leader="", ended="budget"), [], few)
    assert first == f"No system is left in the race. {few}"


def test_a_bound_of_more_than_ten_times_says_nothing() -> None:
    """ "Nothing else tested is more than 10,284,537 % better" was printed."""
    lines = race_lines(race(others_at_most=102_846.0), [gain()])
    assert "What the others could be at most is not known." in lines


def test_five_that_are_not_told_apart_are_counted() -> None:
    names = [f"system {number}" for number in range(6)]
    found = race([], systems=[*names, "xfs"])
    assert (
        "system 2 and 3 more could not be told from it in the race."
        in race_lines(found, [gain()])[-1]
    )


def test_a_small_gain_reads_as_one() -> None:
    """ "xfs leads the 4: 1.00 times ext4 (1.00 to 1.01)", and the verdict was better."""
    said = race_lines(race(), [gain(1.004, 1.002, 1.006)])
    assert any("1.004 times ext4" in each and "(1.002 to 1.006;" in each for each in said), said


FOUR = gone("btrfs", "failed")


def test_a_rival_that_is_better_in_the_fresh_blocks_is_the_headline() -> None:
    """It said "two is the best", and that the other one was 1.51 times the baseline."""
    rival = "xfs allocsize 64 MiB"
    blocks = [(block, 1.1 + block / 1000) for block in range(8)]
    led = gain(1.1, 1.09, 1.11, blocks=blocks)
    more = [(block, 1.3 * ratio) for block, ratio in blocks]
    beats = gain(1.43, 1.42, 1.44, system=rival, blocks=more)
    proven = race(ended="margin", proven=True, others_at_most=1.018)
    first, second, *_ = race_lines(proven, [led, beats])
    assert first == (
        "xfs led the 4, but xfs allocsize 64 MiB did better in the fresh blocks: 1.43 times ext4 in"
        " operations per second (1.42 to 1.44; 8 fresh blocks); xfs 1.10 times."
    )
    assert second == "In the race nothing else tested was more than 1.8 % better (95 %)."
    near = [(block, ratio * (1.02 if block % 2 else 0.99)) for block, ratio in blocks]
    alike = gain(1.105, 1.09, 1.12, system=rival, blocks=near)
    assert race_lines(proven, [led, alike])[0].startswith("xfs is the best of 4")
    undecided = gain(1.01, 0.97, 1.05, verdict="undecided", blocks=blocks)
    assert "but xfs allocsize 64 MiB did better" in race_lines(proven, [undecided, beats])[0]
    wide = gain(1.4, 0.95, 2.1, verdict="undecided", blocks=[(b, 1.4) for b, _ in blocks])
    small = gain(1.05, 1.01, 1.09, system=rival, blocks=[(b, 1.05) for b, _ in blocks])
    assert race_lines(proven, [wide, small])[0] == (
        "xfs led the 4, but xfs allocsize 64 MiB is shown to beat ext4, and xfs is not: 1.05 times"
        " ext4 in operations per second (1.01 to 1.09; 8 fresh blocks); xfs 1.40 times."
    )
    led_by_baseline = race(
        [gone("btrfs")], leader="ext4", ended="one left", proven=True, others_at_most=1.0
    )
    first, second, *_ = race_lines(led_by_baseline, [beats])
    assert first.startswith("ext4 led the 4, but xfs allocsize 64 MiB did better")
    assert second == "In the race nothing else tested was better (95 %)."
    slower = race_lines(proven.model_copy(update={"weaker": [rival]}), [led, beats])
    assert slower[0].startswith("xfs is the best of 4"), "it gives up what the others keep"


def test_what_failed_is_not_beaten() -> None:
    some = race([FOUR, gone("ext4")], ended="one left", proven=True, others_at_most=1.0)
    first, second, *_ = race_lines(some, [gain()])
    assert first.startswith("xfs is the best of 3 that worked: 1.22 times ext4")
    assert second == "Nothing else that worked is better (95 %)."
    others = [each for each in SYSTEMS if each != "ext4"]
    alone = race([gone(each, "failed") for each in others], leader="ext4", ended="one left")
    first, second, *_ = race_lines(alone, [])
    assert first == "ext4 is all that worked: the others failed, so nothing is chosen."
    assert second == "What the others could be at most is not known: they failed."
    undecided = gain(1.01, 0.97, 1.05, verdict="undecided")
    none = race_lines(some, [undecided])[0]
    assert none.startswith("None of 3 systems that worked is shown to beat ext4: xfs led")


ALL_ELSE = "the others failed, so nothing is chosen."


@pytest.mark.parametrize(
    ("systems", "weaker", "failed", "first", "second"),
    [
        ("ab", "b", "", "a, the baseline, leads the 2", "Nothing else that keeps what the base"),
        ("ab", "b", "b", "a, the baseline, leads the 1", "Nothing else that keeps what the base"),
        ("abc", "b", "c", f"a is all that worked of the equally durable: {ALL_ELSE}", "What the o"),
        ("abc", "b", "bc", f"a is all that worked: {ALL_ELSE}", "What the others could be"),
    ],
)
def test_of_what_gave_up_durability_it_is_not_said_that_it_failed(
    systems: str, weaker: str, failed: str, first: str, second: str
) -> None:
    """Of ext4 and ext4 with nobarrier it was said that the others failed."""
    found = race(
        [gone(each, "failed") for each in failed],
        systems=list(systems),
        baseline="a",
        leader="a",
        weaker=list(weaker),
        others_at_most=None,
    )
    lines = race_lines(found, [])
    said = [line for line in lines if not line.startswith("No difference")]
    assert said[0].startswith(first) and said[1].startswith(second), lines


def test_a_baseline_that_failed_or_one_block_leaves_no_gain() -> None:
    failed = race([gone("ext4", "failed"), gone("btrfs")])
    one = gain(low=None, high=None, verdict="undecided", n=1)  # type: ignore[arg-type]
    for fresh, why in ([], "one failed in the fresh blocks"), ([one], "too few fresh blocks"):
        said = race_lines(failed, fresh)[0]
        assert said == f"xfs leads the 3 that worked; over ext4 no gain is known: {why}."


def test_a_bound_says_which_stalls_it_does_not_count() -> None:
    """Whoever stalls in one run of 20 was called the best in a third of the races."""
    few = [line for line in race_lines(race(confirmed=0), []) if "stalls" in line]
    assert few == ["xfs ran 24 times, so stalls rarer than one run in 8 may have been missed."]
    failed = race(missed={"xfs": 2})
    assert any("xfs ran 30 times" in line for line in race_lines(failed, [gain()]))
    for unknown in (None, 102_846.0):
        lines = race_lines(race(others_at_most=unknown), [gain()])
        assert not any("stalls" in line for line in lines), "there is no bound"


@pytest.mark.parametrize(
    ("at_most", "said"), [(1.0204, "2.1 %"), (1.02, "2 %"), (1.1301, "14 %"), (1.00001, "0.1 %")]
)
def test_a_bound_is_never_said_smaller_than_it_is(at_most: float, said: str) -> None:
    assert f"more than {said} better" in race_lines(race(others_at_most=at_most), [gain()])[1]


def test_a_leader_that_fails_in_some_of_the_fresh_blocks_is_named() -> None:
    """One that failed in two of eight was the best, and nothing was said."""
    found = race(ended="margin", others_at_most=1.01, missed={"xfs": 2, "ext4": 1})
    first, second, *_, of_leader, of_baseline = race_lines(found, [gain()])
    assert first.endswith("that it is the best is not proven.")
    assert second == (
        "Nothing else tested is more than 1 % better (95 %); the fresh blocks do not bear out that"
        " xfs is the best."
    )
    assert of_leader == ("xfs failed, or did too little to be measured, in 2 of 8 fresh blocks.")
    assert of_baseline.startswith("ext4 failed") and "in 1 of 8 fresh blocks" in of_baseline
