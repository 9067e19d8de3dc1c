"""Two simulations that differ in their times alone are two ends of a range, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.record.machine import Simulation
from fsgauge.stats.folders.between import ends_of
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.folders.history import follow
from fsgauge.stats.folders.limits import check
from fsgauge.stats.folders.same_conditions import Side
from tests.synthetic.setting import with_machine
from tests.unit.stats.folders.test_same_conditions import asking, side


def end(times: str | None, label: str = "end", **changes: Any) -> Side:
    """A folder of a model with a range, simulated with one end of it."""
    one = side(label, **{"seed": 1, **changes})
    of_model = asking(one, "storage", kind="simulated", model="ssd-sata", times=times)
    simulation = Simulation(
        model_version=1,
        policies={},
        proofs={},
        device="ssd-sata",
        device_words="an SSD",
        numbers=[],
        times=times or "",
    )
    return replace(of_model, label=label, before=with_machine(one.before, simulation=simulation))


SHORTEST, LONGEST = end("shortest", "short"), end("longest", "long")


def test_two_ends_need_no_exception_and_have_no_verdict() -> None:
    """They were compared like two machines: "2 worse, 6 undecided" of what is never faster."""
    between = compare_sides(SHORTEST, LONGEST)
    assert between.ends is not None
    assert (between.ends.model, between.ends.a, between.ends.b) == (
        "ssd-sata",
        "shortest",
        "longest",
    )
    assert between.entries and all(entry.verdict is None for entry in between.entries)
    (times,) = [each for each in between.differences if each.fact == "storage.times"]
    assert (times.a, times.b, times.despite) == ("shortest", "longest", False)
    named = compare_sides(SHORTEST, LONGEST, despite=["storage.times"])
    assert named == between


def test_either_end_may_come_first() -> None:
    ends = ends_of([LONGEST], [SHORTEST])
    assert ends is not None and (ends.a, ends.b) == ("longest", "shortest")


def test_where_another_fact_differs_it_is_no_range() -> None:
    """What the other fact does would be taken for the range."""
    other = asking(LONGEST, "workload", files=4)
    assert ends_of([SHORTEST], [other]) is None
    with pytest.raises(InputError) as refusal:
        compare_sides(SHORTEST, other, despite=["workload.files"])
    assert [each.split(":")[0] for each in refusal.value.details] == ["storage.times"]
    both = compare_sides(SHORTEST, other, despite=["workload.files", "storage.times"])
    assert both.ends is None and any(entry.verdict for entry in both.entries)


def test_measured_folders_and_equal_ends_are_no_range() -> None:
    assert ends_of([SHORTEST], [end("shortest")]) is None
    assert ends_of([side()], [side(seed=2)]) is None


def test_a_side_with_both_ends_is_refused() -> None:
    more = end("longest", "more")
    assert ends_of([SHORTEST, more], [LONGEST]) is None
    with pytest.raises(InputError, match="not comparable"):
        compare_sides(SHORTEST, LONGEST, more_a=[more])


def test_a_history_does_not_mix_ends() -> None:
    with pytest.raises(InputError, match="not comparable"):
        follow([SHORTEST, end("shortest", "second", seed=2), LONGEST])


def test_a_limit_that_was_asked_for_is_still_tested() -> None:
    slow = end("longest", "slow", effect=lambda system, cell: 0.5)
    ratios = compare_sides(SHORTEST, slow).ratios()
    (test,) = check([parse_condition('ratio(iops, "xfs") < 0.9')], ratios)
    assert test.ratio == pytest.approx(0.5, abs=0.05)
