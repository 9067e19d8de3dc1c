"""Accepting and checking folders: verdicts, refusals, limits, several folders, other sittings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fsgauge.errors import InputError
from fsgauge.report.gate import accepted_lines, checked_lines
from fsgauge.report.gate_file import NAME
from fsgauge.stats.folders.condition import parse_condition, parse_limit
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.gate.accept import Accepted, accept, readiness
from fsgauge.stats.gate.check import Checked, check
from fsgauge.stats.gate.learned import Learned
from tests.synthetic.idle import did
from tests.unit.stats.folders.test_free_space import GIB, filled
from tests.unit.stats.gate.folders import on_kernel, side

RUNS = 6


def learnt(sides: Sequence[Side], learned: Learned | None = None, **options: object) -> Accepted:
    return accept(learned, sides, version="1", label="gate.json", **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def learned() -> Learned:
    return learnt([side(number) for number in range(1, RUNS + 1)]).learned


def checked(learned: Learned, *sides: Side, **options: object) -> Checked:
    return check(learned, sides, label="gate.json", **options)  # type: ignore[arg-type]


def outcomes(found: Checked) -> dict[tuple[str, str], str]:
    return {(line.cell, line.system): line.outcome for line in found.lines}


def test_an_equal_build_passes(learned: Learned) -> None:
    assert readiness(learned).state == "ready"
    found = checked(learned, side(20))
    assert found.verdict == "pass"
    assert set(outcomes(found).values()) == {"no loss"}


def test_a_loss_of_one_system_fails_and_names_it(learned: Learned) -> None:
    found = checked(learned, side(20, slower={"xfs": 0.9}))
    assert found.verdict == "fail"
    worse = {system for (_, system), outcome in outcomes(found).items() if outcome == "worse"}
    assert worse == {"xfs"}


def test_a_slower_machine_is_undecided(learned: Learned) -> None:
    """Unchanged code failed once: the direct value alone is not enough."""
    slow = side(20, slower=dict.fromkeys(("raw", "ext4", "xfs"), 0.8))
    found = checked(learned, slow)
    assert found.verdict == "undecided"
    assert set(outcomes(found).values()) == {"disagrees"}


def test_a_baseline_that_alone_became_slower_fails(learned: Learned) -> None:
    found = checked(learned, side(20, slower={"raw": 0.8}))
    assert found.verdict == "fail"
    assert {s for (_, s), outcome in outcomes(found).items() if outcome == "worse"} == {"raw"}


def test_a_gain_passes_and_is_named(learned: Learned) -> None:
    found = checked(learned, side(20, slower={"ext4": 1.2}))
    assert found.verdict == "pass"
    assert "better" in outcomes(found).values()


def test_one_system_alone_is_judged_by_its_value() -> None:
    alone = {"systems": {"ext4": "ext4"}}
    gate = learnt([side(number, **alone) for number in range(1, 7)]).learned
    assert checked(gate, side(20, **alone)).verdict == "pass"
    assert checked(gate, side(20, slower={"ext4": 0.85}, **alone)).verdict == "fail"


def test_too_few_accepted_runs_decide_nothing_and_say_how_many_are_needed() -> None:
    gate = learnt([side(1), side(2)]).learned
    ready = readiness(gate)
    assert ready.state == "too few" and ready.needed == 5
    found = checked(gate, side(20, slower={"xfs": 0.5}))
    assert found.verdict == "too noisy" and "too few" in found.reasons[0]


def test_noisy_runs_are_too_noisy_at_accept_and_at_check() -> None:
    gate = learnt([side(number, noise=0.3) for number in range(1, 7)]).learned
    ready = readiness(gate)
    assert ready.state == "too noisy"
    assert ready.lines[0].visible_percent > 10
    assert ready.needed is None or ready.needed > 6
    assert checked(gate, side(20, noise=0.3)).verdict == "too noisy"


def test_a_new_run_that_is_noisier_than_accepted_ones_is_too_noisy(learned: Learned) -> None:
    assert checked(learned, side(20, noise=0.6)).verdict == "too noisy"


def test_accepting_in_parts_is_accepting_at_once(learned: Learned) -> None:
    sides = [side(number) for number in range(1, RUNS + 1)]
    parts = learnt(sides[4:], learnt(sides[:4]).learned).learned
    assert parts == learned


def test_a_folder_counts_once(learned: Learned) -> None:
    again = learnt([side(2), side(7)], learned)
    assert again.known == ["day-2"]
    assert len(again.learned.runs) == RUNS + 1


def test_an_accepted_folder_is_not_checked_against_itself(learned: Learned) -> None:
    with pytest.raises(InputError, match="is one of the accepted runs"):
        checked(learned, side(3))


@pytest.mark.parametrize(
    ("other", "fact"),
    [
        (side(20, question="Another one?"), "question"),
        (side(20, storage_kind="ram"), "storage.kind"),
        (side(20, systems={"raw": "raw", "xfs": "xfs"}), "systems"),
        (on_kernel(side(20), "Linux 7.0.0"), "kernel"),
    ],
)
def test_another_study_storage_or_kernel_is_refused_with_the_reason(
    learned: Learned, other: Side, fact: str
) -> None:
    for refused in (lambda: checked(learned, other), lambda: learnt([other], learned)):
        with pytest.raises(InputError) as caught:
            refused()
        assert any(detail.startswith(f"{fact}: ") for detail in caught.value.details)
        assert f"--despite {fact}" in caught.value.next


def test_a_difference_is_told_in_the_units_of_the_study() -> None:
    """The gate said "workload.duration: 200000000 / 300000000", where compare said 200 ms."""
    sides = []
    for number, duration_ms in ((1, 200), (2, 300)):
        made = side(number)
        duration = {**made.study.study["workload"], "duration": duration_ms * 10**6}
        study = {**made.study.study, "workload": duration}
        made = replace(made, study=made.study.model_copy(update={"study": study}))
        text = f'[workload]\nduration = "{duration_ms} ms"\n'
        sides.append(replace(made, study_toml=text))
    first = learnt(sides[:1]).learned
    again = Learned.model_validate_json(first.model_dump_json())
    with pytest.raises(InputError, match="not comparable") as refused:
        checked(again, sides[1])
    assert refused.value.details == ("workload.duration: 200 ms / 300 ms",)


def test_a_new_kernel_is_taken_where_that_is_asked_for(learned: Learned) -> None:
    found = checked(learned, on_kernel(side(20), "Linux 7.0.0"), despite=["kernel"])
    assert found.verdict == "pass"
    assert [each.fact for each in found.despite] == ["kernel"]


def test_a_folder_that_is_not_valid_is_not_accepted_and_decides_nothing(learned: Learned) -> None:
    debug = side(20, slower={"xfs": 0.5}, profile="debug")
    with pytest.raises(InputError, match="not valid"):
        learnt([debug])
    found = checked(learned, debug, despite=["engine-profile"])
    assert found.verdict == "undecided" and "debug build" in found.reasons[0]


def test_limits_hold_break_and_stay_open(learned: Learned) -> None:
    new = side(20)
    rate = checked(learned, new, limits=[parse_limit("iops() > 1 IOPS")])
    first = next(line for line in rate.lines if line.system == "xfs")
    depth = first.cell.rpartition("depth")[2]
    assert first.new is not None
    assert rate.verdict == "pass" and len(rate.limits) == 6
    cases = {"0.5": "held", "1.5": "broken", "1.0": "undecided"}
    verdicts = {"held": "pass", "broken": "fail", "undecided": "undecided"}
    for factor, outcome in cases.items():
        limit = first.new * float(factor)
        text = f'iops(depth {depth}, "xfs") > {limit:.0f} IOPS'
        found = checked(learned, new, limits=[parse_limit(text)])
        assert [each.outcome for each in found.limits] == [outcome]
        assert found.verdict == verdicts[outcome]


def test_limits_need_no_accepted_runs_to_know_their_noise() -> None:
    gate = learnt([side(1)]).learned
    found = checked(gate, side(20), limits=[parse_limit("p99(read) < 1 ns")])
    assert found.verdict == "fail"


def test_conditions_decide_in_place_of_lines(learned: Learned) -> None:
    new = side(20, slower={"xfs": 0.85})
    loose = checked(learned, new, conditions=[parse_condition("ratio(iops) < 0.5")])
    assert loose.verdict == "pass"
    strict = checked(learned, new, conditions=[parse_condition('ratio(iops, "xfs") < 0.95')])
    assert strict.verdict == "fail"
    open_end = checked(learned, new, conditions=[parse_condition('ratio(iops, "xfs") < 0.85')])
    assert open_end.verdict == "undecided"


def test_another_metric_is_judged_where_it_is_asked_for(learned: Learned) -> None:
    more = learnt([], learned, metrics=["read.mean"]).learned
    assert {line.metric for line in checked(more, side(20)).lines} == {"iops", "read.mean"}
    with pytest.raises(InputError, match="no accepted run has"):
        learnt([], learned, metrics=["fsync.p99"])


def test_several_folders_of_one_build_are_judged_together(learned: Learned) -> None:
    losses = {"xfs": 0.97}
    one = checked(learned, side(20, slower=losses))
    three = checked(learned, *(side(number, slower=losses) for number in (20, 21, 22)))
    widths = [
        line.direct.high / line.direct.low
        for found in (one, three)
        for line in found.lines
        if line.system == "xfs" and line.direct
    ]
    assert max(widths[2:]) < min(widths[:2])


def test_runs_of_one_sitting_do_not_promise_another_day() -> None:
    """Six runs an hour apart; the new one is of the same day, or of another."""
    hour = 3600 * 10**9

    def at(number: int, hours: int) -> Side:
        made = side(number)
        shifted = made.study.started_unix_ns - number * 24 * hour + hours * hour
        study = made.study.model_copy(update={"started_unix_ns": shifted})
        return replace(made, study=study)

    gate = learnt([at(number, number) for number in range(1, 7)]).learned
    ready = readiness(gate)
    assert (ready.sittings, ready.by_sitting) == (1, False)
    far = ready.lines[0].elsewhere_percent
    assert far is not None and far > ready.lines[0].visible_percent
    near, away = checked(gate, at(20, 8)), checked(gate, at(20, 100))
    assert (near.elsewhere, away.elsewhere) == (False, True)
    for first, second in zip(near.lines, away.lines, strict=True):
        assert first.direct and second.direct
        assert first.direct.ratio == pytest.approx(second.direct.ratio)
        assert first.direct.error < second.direct.error


def test_an_option_alone_changes_what_is_kept(learned: Learned) -> None:
    changed = learnt([], learned, loss_percent=5.0, limits=["p99(read) < 5 ms"]).learned
    assert (changed.loss_percent, changed.limits) == (5.0, ["p99(read) < 5 ms"])
    assert changed.runs == learned.runs
    assert learnt([], changed).learned.limits == ["p99(read) < 5 ms"]
    assert learnt([], changed, limits=[]).learned.limits == []
    with pytest.raises(InputError, match="no folder is named"):
        learnt([])


# Who did nothing.


def idle(number: int, system: str, blocks: Sequence[int]) -> Side:
    made = side(number)
    low = [run.system == system and run.block in blocks for run in made.runs]
    runs = [did(run, 0.0) if each else run for run, each in zip(made.runs, low, strict=True)]
    return replace(made, runs=runs)


@pytest.mark.parametrize("system", ["xfs", "raw"])
@pytest.mark.parametrize("blocks", [(0, 1, 2, 3), (1, 2)])
def test_a_build_with_which_a_system_did_nothing_fails(
    learned: Learned, system: str, blocks: Sequence[int]
) -> None:
    """It was 4, undecided: "2 lines were not measured"."""
    found = checked(learned, idle(20, system, blocks))
    assert found.verdict == "fail"
    worse = [line for line in found.lines if line.outcome == "worse"]
    assert {line.system for line in worse} == {system}
    runs = 2 if system == "raw" else 1
    where = f"did nothing in {runs * len(blocks)} of {4 * runs} runs"
    assert {line.idle for line in worse} == {where}
    said = checked_lines(found, "gate.json")
    of = f"in {2 * runs * len(blocks)} of {8 * runs} runs."
    assert said[1] == f"day-20: {system} did nothing {of}"
    assert sum(f"worse: {where}" in line for line in said) == 2


def test_one_idle_run_is_named_and_decides_nothing(learned: Learned) -> None:
    found = checked(learned, idle(20, "xfs", [1]))
    assert found.idle == ["day-20: xfs did nothing in 2 of 8 runs."]


def test_limits_and_conditions_take_who_did_nothing_for_the_worst(learned: Learned) -> None:
    """They were refused: "iops was not measured in these cells"."""
    limit = parse_limit("iops('xfs') > 1 IOPS")
    condition = parse_condition("ratio(iops, 'xfs') < 0.95")
    found = checked(learned, idle(20, "xfs", range(4)), limits=[limit], conditions=[condition])
    assert {(each.outcome, each.value) for each in found.limits} == {("broken", None)}
    assert {(each.outcome, each.ratio) for each in found.conditions} == {("crossed", None)}
    said = "\n".join(checked_lines(found, "gate.json"))
    assert "broken     iops('xfs') > 1 IOPS: " in said and "did nothing in 4 of 4 runs" in said


def test_a_folder_in_which_a_system_did_nothing_teaches_nothing(learned: Learned) -> None:
    with pytest.raises(InputError, match="day-20 cannot be accepted: a system did nothing") as no:
        learnt([idle(20, "xfs", range(4))], learned)
    assert no.value.details == ("xfs did nothing in 8 of 8 runs",)
    accepted = learnt([idle(20, "xfs", [1])], learned)
    assert accepted.idle == ["day-20: xfs did nothing in 2 of 8 runs."]


# What is advised goes on with what was given.


@pytest.mark.parametrize(
    ("file", "option"), [("my gate.json", " --file 'my gate.json'"), (NAME, "")]
)
def test_hints_name_the_file(file: str, option: str, learned: Learned) -> None:
    few = learnt([side(1)]).learned
    (hint,) = [line for line in accepted_lines(readiness(few), file, "raw") if "next: " in line]
    assert hint.endswith(f"fsgauge gate accept DIR{option}")
    told = checked_lines(checked(few, side(20)), file, ["kernel"])
    (hint,) = [line for line in told if line.startswith("next: ")]
    assert hint.endswith(f"fsgauge gate accept DIR{option} --despite kernel")
    slow = checked(learned, side(20, slower=dict.fromkeys(("raw", "ext4", "xfs"), 0.8)))
    (hint,) = [line for line in checked_lines(slow, file) if line.startswith("next: ")]
    assert f"fsgauge gate check DIR DIR{option}. " in hint


def test_a_file_system_that_filled_up_meanwhile_is_said(learned: Learned) -> None:
    """A build failed on a file system that was full, and nothing but the loss was told."""
    accepted = learnt([filled(side(number), 3 * GIB) for number in range(1, RUNS + 1)]).learned
    full = checked(accepted, filled(side(20, slower={"xfs": 0.9}), GIB))
    assert full.verdict == "fail"
    said = "note: xfs had other free space: 1 GiB of 8 GiB, and 3 GiB in accepted runs"
    assert said in checked_lines(full, NAME)
    assert checked(accepted, filled(side(20), 3 * GIB - (50 << 20))).space == []
    assert checked(learned, filled(side(20), GIB)).space != []
    older = learned.model_copy(
        update={"runs": [run.model_copy(update={"space": {}}) for run in learned.runs]}
    )
    assert checked(older, filled(side(20), GIB)).space == []
