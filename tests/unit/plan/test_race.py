"""What a race takes: runs expected and at worst, seconds, and what it refuses."""

from __future__ import annotations

import re

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.plan.preview import describe
from fsgauge.plan.race import EXPECTED_BLOCKS, race_of, race_words, wear
from fsgauge.plan.turns import make_plan
from fsgauge.study.model import LoopStorage, PlanSettings, Study, System
from fsgauge.study.parse import load_study
from tests.synthetic_race import CONFIRM, race_study

GIB = 1 << 30
TB = 10**12
SYSTEMS = 5


def durable(
    mounts: list[str], *, may_win: bool = False, writeback: list[str] | None = None
) -> list[str]:
    """Of ext4 with these mount options, those that never win."""
    name = "/proc/sys/vm/dirty_writeback_centisecs"
    tunables = [{name: each} for each in writeback or []] or [{} for _ in mounts]
    systems = [
        System(name=f"s{at}", kind="ext4", mount=each, tunables=tunables[at])
        for at, each in enumerate(mounts)
    ]
    study = Study(
        format=1,
        name="race",
        question="Which one?",
        storage=LoopStorage(size=GIB),
        systems=systems,
        workload=OverheadWorkload(),
        plan=PlanSettings(mode="race", weaker_may_win=may_win),
    )
    race = race_of(study)
    assert race is not None
    return race.weaker


def test_what_the_baseline_keeps_has_to_be_kept() -> None:
    assert durable(["", "noatime", "data=writeback"]) == ["s2"]
    assert durable(["data=writeback", "data=writeback,noatime", ""]) == []
    assert durable(["", "data=writeback"], may_win=True) == []
    late = ["commit=6", "commit=3600", "commit=5", "commit=6,data=writeback"]
    assert durable(late) == ["s1", "s3"], "more of what the baseline gives up, too"
    for first, second, weaker in (("0", "600", []), ("600", "0", ["s1"])):
        assert durable(["", ""], writeback=[first, second]) == weaker, "0 is never"


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("plan.blocks=2", "nothing leaves a race before block 3"),
        ("plan.stop_interval=5 %", "a race ends by its own rules"),
        ("plan.latency_limit=5 ms", 'it is of plan.mode "curve"'),
    ],
)
def test_what_a_race_has_no_use_for_is_refused(setting: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        race_study(setting)


def test_keys_of_a_race_are_refused_without_one_and_one_system_has_no_race() -> None:
    with pytest.raises(InputError, match=r'it is of plan\.mode "race"'):
        race_study("plan.mode=all", "plan.margin_percent=1 %")
    with pytest.raises(InputError, match="one system has nothing to race against"):
        load_study("demo-user", ["plan.mode=race"], None, "path:/tmp", 7)


def test_runs_expected_and_at_worst_are_said() -> None:
    """At worst all systems stay in all blocks; five at most are confirmed, the baseline twice."""
    study = race_study("plan.blocks=24")
    assert race_words(study) == (
        f"{(EXPECTED_BLOCKS['usual'] + CONFIRM) * (SYSTEMS + 1):.0f} runs expected,"
        f" {(24 + CONFIRM) * (SYSTEMS + 1)} at worst: up to 24 blocks, then {CONFIRM} of the best;"
        " it ends once nothing left can be 2 % better"
    )
    assert "or at 1 h" in race_words(race_study("plan.budget=1h"))
    assert race_words(load_study("demo-user", ["plan.mode=all"])) == ""


def test_a_race_has_more_blocks_than_a_study_unless_it_says_how_many() -> None:
    assert PlanSettings(mode="race").blocks == 24 and PlanSettings().blocks == 8
    assert race_study("plan.blocks=6").plan.blocks == 6
    high = PlanSettings(mode="race", certainty="high")
    assert (high.blocks, high.confirm) == (240, 40)
    assert PlanSettings(mode="race", certainty="high", confirm=9).confirm == 9
    study = race_study().model_copy(update={"plan": high})
    assert "up to 240 blocks, then 40 of the best" in race_words(study)


def test_the_plan_has_turns_for_all_and_takes_no_longer_than_its_budget() -> None:
    study = race_study()
    plan = make_plan(study, size_bytes=GIB)
    assert plan.race is not None and plan.race == race_of(study)
    blocks = plan.race.blocks + plan.race.confirm
    assert len(plan.turns) == blocks * (SYSTEMS + 1)
    short = make_plan(race_study("plan.budget=110s"), size_bytes=GIB)
    assert short.expected_seconds == 110 < plan.expected_seconds
    assert short.turns == plan.turns


def test_what_a_race_is_expected_to_take_is_within_its_bounds_and_its_budget() -> None:
    """A budget shortened the time of each block: it then took less than the shortest."""
    times = []
    for settings in ([], ["plan.budget=110s"]):
        study = race_study("plan.blocks=24", *settings)
        described = describe(make_plan(study, size_bytes=GIB), study, size_bytes=GIB)
        longest_seconds = described.longest_seconds
        assert longest_seconds is not None
        assert described.shortest_seconds <= described.expected_seconds <= longest_seconds
        times.append((described.expected_seconds, longest_seconds))
    (whole, _), (within, longest) = times
    assert (within, longest) == (min(whole, 110), 110)


def test_a_budget_for_less_than_three_blocks_is_refused() -> None:
    with pytest.raises(InputError, match="too short for 3 blocks and those that confirm") as short:
        make_plan(race_study("plan.budget=10s"), size_bytes=GIB)
    assert "turns of 1 cell; in all " in short.value.cause, "and a budget of that is enough"
    enough = short.value.cause.rpartition("in all ")[2].replace(" ", "")
    assert make_plan(race_study(f"plan.budget={enough}"), size_bytes=GIB).race
    next_step = short.value.next
    said = re.fullmatch(
        r"--set plan.budget=(\d+min), or fewer --kinds, or shorter runs: --set .*", next_step
    )
    assert said is not None, "a command that can be typed"
    assert make_plan(race_study(f"plan.budget={said[1]}"), size_bytes=GIB).race


def test_what_would_show_rests_on_the_confirming_blocks() -> None:
    study = race_study("plan.blocks=24")
    described = describe(make_plan(study, size_bytes=GIB), study, size_bytes=GIB)
    assert described.race == race_words(study)
    assert described.shortest_seconds < described.expected_seconds
    assert described.runs == (24 + CONFIRM) * (SYSTEMS + 1)
    assert described.sensitivity[0].comparisons == 4
    more = race_study("plan.blocks=24", "plan.confirm=20")
    better = describe(make_plan(more, size_bytes=GIB), more, size_bytes=GIB)
    assert better.sensitivity[0].detectable_percent < described.sensitivity[0].detectable_percent


def test_a_budget_lowers_what_is_written_and_the_expected_is_less_than_the_worst() -> None:
    """It was told to give a budget to a race that wrote too much, which changed nothing."""

    def planned(*more: str) -> tuple[int, int, int]:
        study = load_study("overhead", ["plan.mode=race", *more], ["ext4", "xfs", "btrfs"], seed=7)
        plan = make_plan(study, size_bytes=GIB)
        found = describe(plan, study, size_bytes=GIB)
        worst = found.written_bytes_at_worst
        return found.written_bytes_estimate, worst, plan.expected_written_bytes

    expected, worst, most = planned()
    assert expected < worst == most
    within, least, limited = planned("plan.budget=10 min")
    assert within <= least == limited < worst


def test_a_little_wear_is_not_said_much_is_and_too_much_is_refused() -> None:
    study = load_study("mix-mail", storage="device:nvme-X")
    assert wear(study, TB, 59 * TB, 60.0) == ""
    assert "the whole device 61 times" in wear(study, TB, 61 * TB, 60.0)
    with pytest.raises(InputError, match="more than it endures") as refused:
        wear(study, TB, 1200 * TB, 36_000.0)
    # `workload.fill` has other files written first, in a mix: more, not less.
    assert refused.value.next == "--set plan.budget=150min, or fewer --kinds"
    assert wear(load_study("mix-mail"), TB, 601 * TB, 60.0) == ""
