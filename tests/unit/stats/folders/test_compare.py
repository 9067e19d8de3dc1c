"""Two folders with planted effects, through records; and the limits of --fail-if on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.record.machine import Simulation
from fsgauge.record.records import Cell
from fsgauge.report.charts.between import between_chart
from fsgauge.report.compared import cautions, primary_lines
from fsgauge.report.compared_models import repetition_sentence
from fsgauge.stats.folders.between import Between
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.folders.folder import BASES, read_folder, sittings_of
from fsgauge.stats.folders.limits import SITTINGS_UNKNOWN, Test, check
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.welch import Scatter
from tests.sittings import compare_quiet
from tests.synthetic.setting import with_machine
from tests.synthetic_writers import make_writers
from tests.unit.stats.folders.test_same_conditions import on, side

CELL = "randread-4KiB-depth32"


def slower_xfs(system: str, cell: object) -> float:
    return 0.80 if system == "xfs" else 1.0


def nothing(system: str, cell: object) -> float:
    return 1.0


A = side(seed=1, blocks=8, effect=nothing)
B = side("b", seed=2, blocks=8, effect=nothing)
SLOW = side("slow", seed=3, blocks=6, effect=slower_xfs)


def limits(between: Between, *texts: str) -> list[Test]:
    return check([parse_condition(text) for text in texts], between.ratios())


def ratio_of(between: Between, system: str, basis: Any) -> float:
    entry = between.entry(CELL, system, "iops", basis)
    assert entry is not None
    return entry.ratio


def test_on_one_machine_the_direct_ratio_decides_and_both_are_judged() -> None:
    between = compare_quiet(A, SLOW)
    assert between.decides == "direct"
    for basis in ("direct", "to baseline"):
        entry = between.entry(CELL, "xfs", "iops", basis)
        assert entry is not None
        assert entry.ratio == pytest.approx(0.80, abs=0.04)
        assert entry.verdict == "worse"
        assert (entry.blocks_a, entry.blocks_b) == (8, 6)
    assert between.entry(CELL, "raw", "iops", "to baseline") is None


def test_a_latency_that_grows_is_worse() -> None:
    entry = compare_quiet(A, SLOW).entry(CELL, "xfs", "read.mean", "direct")
    assert entry is not None
    assert entry.ratio > 1.1 and entry.verdict == "worse"


def test_on_two_machines_only_the_ratio_of_ratios_is_judged() -> None:
    between = compare_quiet(A, on(SLOW, name="elsewhere"))
    assert between.decides == "to baseline"
    direct = between.entry(CELL, "xfs", "iops", "direct")
    relative = between.entry(CELL, "xfs", "iops", "to baseline")
    assert direct is not None and relative is not None
    assert direct.verdict is None and not direct.decides
    assert relative.verdict == "worse" and relative.decides


def slower_machine(system: str, cell: object) -> float:
    return 0.7


def slower_baseline(system: str, cell: object) -> float:
    return 0.7 if system == "raw" else 1.0


@pytest.mark.parametrize("effect", [slower_machine, slower_baseline])
def test_a_difference_that_only_one_of_both_ratios_has_is_no_verdict(effect: Any) -> None:
    """What happens to all systems, and what happens to the baseline alone, is no news of xfs."""
    between = compare_quiet(A, side("b", seed=2, blocks=8, effect=effect))
    entry = between.entry(CELL, "xfs", "iops", "direct")
    assert entry is not None and entry.verdict == "undecided"
    moved = between.entry(CELL, "raw", "iops", "direct")
    assert moved is not None and moved.verdict == "worse"
    (test,) = limits(between, 'ratio(iops, "xfs") < 0.95')
    assert test.outcome != "crossed"


def test_a_limit_that_only_the_direct_ratio_crosses_is_undecided_and_says_why() -> None:
    between = compare_quiet(A, side("b", seed=2, blocks=8, effect=slower_machine))
    (test,) = limits(between, 'ratio(iops, "xfs") < 0.95')
    assert test.outcome == "undecided"
    assert "the ratio to raw did not" in test.reason
    lines = {line.system: line.verdict for line in primary_lines(between)}
    assert lines["xfs"] == "undecided (the ratio to raw does not agree)"


def at(one: Side, hour: float) -> Side:
    """The same folder, begun so many hours later."""
    started = one.study.started_unix_ns + int(hour * 3600 * 10**9)
    return replace(one, study=one.study.model_copy(update={"started_unix_ns": started}))


@pytest.mark.parametrize(
    ("hours", "sittings"), [((0, 2, 4), 1), ((0, 24, 48), 3), ((48, 0, 25), 3)]
)
def test_folders_of_one_go_are_one_sitting(hours: tuple[int, ...], sittings: int) -> None:
    sides = [at(side(str(hour), seed=hour + 1, effect=nothing), hour) for hour in hours]
    assert len(sittings_of([read_folder(each) for each in sides])) == sittings
    between = compare_sides(sides[0], SLOW, more_a=sides[1:])
    assert (between.a.sittings, between.b.sittings) == (sittings, 1)
    assert between.sittings_measured == (sittings == 3)
    assert ("count as one sitting" in repetition_sentence(between)) == (sittings == 1)
    model = {"simulated": True}
    both = {"a": between.a.model_copy(update=model), "b": between.b.model_copy(update=model)}
    said = repetition_sentence(between.model_copy(update=both))
    assert "sitting" not in said and "More blocks make them narrower." in said
    entry = between.entry(CELL, "xfs", "iops", "direct")
    assert entry is not None and entry.blocks_a == 9


def test_one_sitting_a_side_says_neither_better_nor_worse_nor_crosses_a_limit() -> None:
    """Sittings that differ as much would have been called so; what blocks show stands beside."""
    between = compare_sides(A, SLOW)
    assert not between.sittings_measured and not between.sittings_known
    assert {entry.verdict for entry in between.entries} == {"undecided"}
    assert {entry.low for entry in between.entries} == {None}
    assert {entry.p_adjusted for entry in between.entries} == {1.0}
    (line,) = (line for line in primary_lines(between) if line.system == "xfs")
    assert line.verdict == "undecided (how sittings differ is not known)"
    assert line.interval == line.within and " to " in line.interval
    assert "nothing is called better or worse" in repetition_sentence(between)
    (test,) = limits(between, 'ratio(iops, "xfs") < 0.95')
    assert test.outcome == "undecided" and test.reason == SITTINGS_UNKNOWN
    drawn = between_chart(between)
    assert drawn is not None and "worse" not in drawn.wide


def test_what_is_known_of_other_sittings_decides_as_far_as_it_goes() -> None:
    """xfs is 20 % slower: clear where sittings differ by 1 %, and not where by 15 %."""
    verdicts = {}
    for deviation in (0.01, 0.15):
        known = {basis: {(CELL, "xfs", "iops"): Scatter(deviation, 6.0)} for basis in BASES}
        between = compare_sides(A, SLOW, known=known)
        entry = between.entry(CELL, "xfs", "iops", "direct")
        assert entry is not None and between.sittings_known and not entry.sittings_measured
        verdicts[deviation] = entry.verdict
    assert verdicts == {0.01: "worse", 0.15: "undecided"}


def test_a_model_has_no_sittings_and_blocks_decide() -> None:
    between = compare_sides(modelled(A), modelled(SLOW))
    entry = between.entry(CELL, "xfs", "iops", "direct")
    assert entry is not None and entry.verdict == "worse"
    assert (entry.alone_low, entry.alone_high) == (entry.within_low, entry.within_high)


def modelled(one: Side) -> Side:
    """The same folder, as if a model had made it."""
    model = Simulation(
        model_version=1, policies={}, proofs={}, device="disk", device_words="a disk", numbers=[]
    )
    return replace(one, before=with_machine(one.before, simulation=model))


def test_the_ratio_of_ratios_can_be_asked_for_on_one_machine() -> None:
    between = compare_quiet(A, SLOW, to_baseline=True)
    assert between.same_machine and between.decides == "to baseline"


def test_swapping_the_folders_inverts_every_ratio_and_verdict() -> None:
    there, back = compare_quiet(A, SLOW), compare_quiet(SLOW, A)
    opposite = {"better": "worse", "worse": "better"}
    for entry in there.entries:
        other = back.entry(entry.cell, entry.system, entry.metric, entry.basis)
        assert other is not None
        assert entry.ratio * other.ratio == pytest.approx(1, rel=1e-12)
        verdict = entry.verdict or "undecided"
        assert other.verdict == opposite.get(verdict, verdict)


def test_only_what_both_folders_have_is_compared() -> None:
    fewer = side("b", seed=2, systems={"raw": "raw", "xfs": "xfs"}, effect=nothing)
    found = compare_quiet(A, fewer)
    assert found.systems == ["raw", "xfs"] and found.only_in == {"a": ["ext4"]}
    assert "not compared, as one side alone has them: ext4 in a" in cautions(found)
    assert compare_quiet(A, B).only_in == {} and "only_in" not in compare_quiet(A, B).model_dump()


def test_two_systems_in_two_folders_are_not_followed() -> None:
    """ext4 was measured, then xfs: the folders were "not comparable: baseline", and with that
    accepted nothing was judged."""
    one, other = (side(name, systems={name: name}, effect=nothing) for name in ("ext4", "xfs"))
    with pytest.raises(InputError, match="ext4 and xfs have no system in common") as refused:
        compare_quiet(one, other)
    assert refused.value.next.startswith("fsgauge run STUDY --system ext4 --system xfs; or")
    both = [side(name, systems={"raw": "raw", name: name}) for name in ("ext4", "xfs")]
    (said,) = cautions(compare_quiet(*both))
    assert said.endswith("ext4 in ext4, xfs in xfs; one run compares them, in turns")


def test_a_drop_crosses_its_limit_and_noise_does_not() -> None:
    text = 'ratio(iops, randread, 4 KiB, "xfs") < 0.95'
    assert [test.outcome for test in limits(compare_quiet(A, SLOW), text)] == ["crossed"]
    assert [test.outcome for test in limits(compare_quiet(A, B), text)] != ["crossed"]


def test_a_limit_inside_the_interval_is_undecided() -> None:
    between = compare_quiet(A, SLOW)
    text = f'ratio(iops, "xfs") < {ratio_of(between, "xfs", "direct"):.4f}'
    (test,) = limits(between, text)
    assert test.outcome == "undecided"
    assert "more blocks" in test.reason


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('ratio(iops, "xfs") <= 0.95', "crossed"),
        ('ratio(iops, "xfs") > 0.5', "crossed"),
        ('ratio(iops, "xfs") >= 0.5', "crossed"),
        ('ratio(iops, "xfs") < 0.5', "held"),
        ('ratio(iops, "xfs") <= 0.5', "held"),
        ('ratio(iops, "xfs") > 0.95', "held"),
        ('ratio(iops, "xfs") >= 0.95', "held"),
    ],
)
def test_every_comparison(text: str, outcome: str) -> None:
    assert [test.outcome for test in limits(compare_quiet(A, SLOW), text)] == [outcome]


def test_more_ratios_make_wider_intervals_and_the_same_ratio_twice_does_not() -> None:
    between = compare_quiet(A, SLOW)
    (alone,) = limits(between, 'ratio(iops, "xfs") < 0.95')
    twice = limits(between, 'ratio(iops, "xfs") < 0.95', 'ratio(iops, "xfs") > 1.05')
    many = limits(between, "ratio(iops) < 0.95")
    assert alone.level == pytest.approx(0.95)
    assert [test.level for test in twice] == [alone.level] * 2
    assert len(many) == 3
    assert all(test.level == pytest.approx(1 - 0.05 / 3) for test in many)
    wide = next(test for test in many if test.system == "xfs")
    assert wide.low is not None and alone.low is not None and wide.low < alone.low


def test_a_folder_that_is_not_valid_fails_nothing() -> None:
    invalid = side("b", seed=3, blocks=8, effect=slower_xfs, profile="debug")
    between = compare_quiet(A, invalid, despite=["engine-profile"])
    assert not between.b.valid
    (test,) = limits(between, 'ratio(iops, "xfs") < 0.95')
    assert test.outcome == "undecided" and "not valid" in test.reason


def test_two_blocks_fail_nothing() -> None:
    few = side("b", seed=3, blocks=2, effect=slower_xfs)
    (test,) = limits(compare_quiet(A, few), 'ratio(iops, "xfs") < 0.95')
    assert test.outcome == "undecided"


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("ratio(iops, ranread) < 1", 'no pattern "ranread"', 'did you mean "randread"?'),
        ("ratio(iops, 8 KiB) < 1", "no block size 8 KiB", ""),
        ("ratio(iops, depth 64) < 1", "no depth 64", ""),
        ("ratio(iops, 4 jobs) < 1", "no number of jobs 4", ""),
        ('ratio(iops, "xf") < 1', 'no system "xf"', 'did you mean "xfs"?'),
        ("ratio(write.p99, randread) < 1", "write.p99 was not measured", ""),
    ],
)
def test_a_selection_of_nothing_is_an_error(text: str, what: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        limits(compare_quiet(A, B), text)
    assert what in caught.value.what
    assert caught.value.location is not None
    assert hint in caught.value.location.hint
    assert caught.value.next


def test_selectors_that_hold_apart_but_not_together_are_an_error() -> None:
    two = {"patterns": ("randread", "randwrite"), "queue_depths": (1, 32), "effect": nothing}
    between = compare_quiet(side(seed=1, **two), side("b", seed=2, **two))
    assert len(limits(between, "ratio(iops, randread, depth 1) < 1")) == 3
    with pytest.raises(InputError, match="no cell is all of this"):
        limits(between, "ratio(iops, randread, randwrite) < 1")


def test_the_baseline_has_no_ratio_to_itself() -> None:
    between = compare_quiet(A, on(SLOW, name="elsewhere"))
    with pytest.raises(InputError, match="no ratio to itself"):
        limits(between, 'ratio(iops, "raw") < 1')


WRITERS = [make_writers(seed=seed, ranges=("shared", "segmented"), blocks=5) for seed in (1, 2)]
OF_WRITERS = compare_quiet(
    *(
        Side(label, each.study, each.turns, each.runs, each.before, each.after)
        for label, each in zip("ab", WRITERS, strict=True)
    )
)


@pytest.mark.parametrize("cell", OF_WRITERS.cells, ids=lambda cell: cell.id)
def test_a_cell_of_writers_is_selected_by_its_name_as_printed_and_by_its_id(cell: Cell) -> None:
    for written in (cell.name, cell.id):
        tests = limits(OF_WRITERS, f"ratio(iops, {written}, 'xfs') < 0.5")
        assert [(each.cell, each.system) for each in tests] == [(cell.name, "xfs")]


@pytest.mark.parametrize(
    ("selector", "what", "next"),
    [
        ("3 writers", "number of writers 3", "it has: 1 writer, 2 writers"),
        ("interleaved", "interleaved ranges", "it has: shared, segmented"),
        ("write-8KiB-writers3", 'no cell "write-8KiB-writers3"', "write-8KiB-writers2"),
    ],
)
def test_what_writers_do_not_have_is_answered_with_what_they_have(
    selector: str, what: str, next: str
) -> None:
    with pytest.raises(InputError) as caught:
        limits(OF_WRITERS, f"ratio(iops, {selector}) < 0.5")
    assert what in caught.value.what
    assert next in caught.value.next


def test_two_blocks_give_no_interval_that_is_worth_printing() -> None:
    """It was "3.43 (0.00 to 31823757.39)", undecided (an effect of over 1000 %)."""
    few = compare_quiet(side(seed=1, blocks=2, noise=0.9), side("b", seed=2, blocks=8, noise=0.9))
    lines = primary_lines(few)
    assert lines and {line.interval for line in lines} == {"not known from 2 blocks"}
    assert {line.verdict for line in lines} == {"undecided"}
    assert all("(not known from 2 blocks)" in line.other for line in lines if line.other)
    drawn = between_chart(few)
    assert drawn is not None and "not known from 2 blocks" in drawn.wide
    many = primary_lines(compare_quiet(A, SLOW))
    assert all(" to " in line.interval for line in many)
